"""The fence in front of every `/api` request and the upgrade (WIRE 2.3): Host first, then where it comes from. Pure."""

import ipaddress
import re
from collections.abc import Collection, Sequence

_HOST = re.compile(r"(?:\[([0-9a-f:.]+)\]|([a-z0-9._-]+?)\.?)(?::[0-9]{1,5})?")


def host_name(host: str) -> str:
    """The name in a Host header, lower case, without port, brackets and a trailing dot; empty if it is no plain host.

    Whatever could be read in two ways, such as `[::1].evil.test` or `localhost@evil.test`, is no plain host.
    """
    found = _HOST.fullmatch(host.strip().lower())
    return (found[1] or found[2]) if found else ""


def shown(address: str) -> str:
    """A bare address as it stands in a URL and in a Host header."""
    return f"[{address}]" if ":" in address else address


def is_loopback(host: str) -> bool:
    """Whether a Host (or a bare address) names this machine and nothing but it."""
    name = host_name(host)
    if name == "localhost":
        return True
    try:
        return ipaddress.ip_address(name).is_loopback
    except ValueError:
        return False


def host_allowed(host: str, trusted: Collection[str] = ()) -> bool:
    """The Host must be loopback or in `trusted` (`host` for any port, `host:port` for one): no DNS rebinding."""
    name = host_name(host)
    return is_loopback(host) or (bool(name) and (name in trusted or host.strip().lower() in trusted))


def allowed(host: str, origins: Sequence[str], sites: Sequence[str], trusted: Collection[str] = ()) -> bool:
    """Whether a request may come near the cookie check at all.

    `origins` and `sites` are all values of `Origin` and `Sec-Fetch-Site`: a browser must not send it from another site,
    and each of several values counts.
    """
    if not host_allowed(host, trusted) or any(site.strip().lower() == "cross-site" for site in sites):
        return False
    return all(_same_place(origin, host) for origin in origins)


def _same_place(origin: str, host: str) -> bool:
    scheme, separator, rest = origin.strip().lower().partition("://")
    return bool(separator) and scheme in ("http", "https") and rest == host.strip().lower()
