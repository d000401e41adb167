"""The fence in front of every `/api` request and the upgrade (WIRE 2.3): Host first, then where it comes from. Pure."""

import ipaddress
from collections.abc import Collection, Mapping


def host_name(host: str) -> str:
    """The name in a Host header, lower case, without port, brackets and a trailing dot."""
    text = host.strip().lower()
    if text.startswith("["):
        return text[1:].partition("]")[0]
    return text.partition(":")[0].removesuffix(".")


def is_loopback(host: str) -> bool:
    name = host_name(host)
    if name == "localhost":
        return True
    try:
        return ipaddress.ip_address(name).is_loopback
    except ValueError:
        return False


def allowed(headers: Mapping[str, str], trusted: Collection[str] = ()) -> bool:
    """Whether a request may come near the cookie check at all.

    The Host must be loopback or in `trusted` (`host` for any port, `host:port` for one), which defeats DNS rebinding;
    a browser must not send it from another site.
    """
    host = headers.get("Host", "")
    normal = host.strip().lower()
    if not (is_loopback(host) or normal in trusted or host_name(host) in trusted):
        return False
    if headers.get("Sec-Fetch-Site", "").lower() == "cross-site":
        return False
    origin = headers.get("Origin")
    if origin is None:
        return True
    scheme, separator, rest = origin.strip().lower().partition("://")
    return bool(separator) and scheme in ("http", "https") and rest == normal
