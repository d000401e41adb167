"""Where the daemon listens, whether it may, and what it says about it."""

import ssl
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from hd.errors import UsageError
from hd.server import fence

LAST_PORT: Final = 65535
_WILDCARDS: Final = {"0.0.0.0": "127.0.0.1", "::": "::1"}

OPEN_WARNING: Final = (
    "Warning: listening at {host} without TLS. Logins and all that is typed and answered cross the network in the "
    "clear, and whoever reads a login there runs commands as you. Give --tls-cert and --tls-key, or listen on loopback "
    "and come over SSH."
)


@dataclass(frozen=True, slots=True)
class Listen:
    """Where to listen and how to say so. `trusted_hosts` may stand in the Host header beside the place itself."""

    host: str
    port: int
    demo: bool = False
    as_json: bool = False
    tls_cert: Path | None = None
    tls_key: Path | None = None
    trusted_hosts: tuple[str, ...] = ()
    insecure_bind: bool = False
    page: bool = False
    """Whether the address shows the client to a browser."""

    @property
    def bound(self) -> str:
        """The address to bind. `localhost` may mean two, which would be two ports where any is free."""
        return "127.0.0.1" if self.host.lower() == "localhost" else self.host

    @property
    def reached(self) -> str:
        """The address at which this machine reaches it; one that stands for all of them is no place to call."""
        return _WILDCARDS.get(self.bound, self.bound)

    @property
    def is_open(self) -> bool:
        """Whether it is listened at for other machines, in the clear."""
        return self.tls_cert is None and not fence.is_loopback(fence.shown(self.host))

    def origin(self, port: int) -> str:
        scheme = "http" if self.tls_cert is None else "https"
        return f"{scheme}://{fence.shown(_WILDCARDS.get(self.host, self.host))}:{port}"

    def warning(self) -> str | None:
        """What a person must have read who listens for other machines in the clear."""
        return OPEN_WARNING.format(host=self.host) if self.is_open else None

    def known_hosts(self) -> frozenset[str]:
        """What may stand in the Host header: what was trusted, and the name that is listened at."""
        own = [] if self.host in _WILDCARDS else [fence.host_name(fence.shown(self.host))]
        return frozenset([*(host.strip().lower() for host in self.trusted_hosts), *own])


def check(listen: Listen) -> None:
    """`UsageError` for a place that a daemon does not listen at, before anything is made or opened."""
    if not 0 <= listen.port <= LAST_PORT:
        raise UsageError(f"The port must be a number from 0 (any free one) to {LAST_PORT}, not {listen.port}.")
    if not fence.host_name(fence.shown(listen.host)):
        raise UsageError(f"{listen.host!r} is no address to listen at. Leave --host out to listen on loopback.")
    if (listen.tls_cert is None) is not (listen.tls_key is None):
        raise UsageError("--tls-cert and --tls-key go together: a certificate chain and its private key, both in PEM.")
    if listen.is_open and not listen.insecure_bind:
        raise UsageError(
            f"{listen.host!r} is not a loopback address. The daemon runs commands, so it is not offered to other "
            "machines in the clear: reach it over SSH (`ssh -L 3080:127.0.0.1:3080 host`), give --tls-cert and "
            "--tls-key, or insist with --insecure-bind."
        )
    if listen.page and listen.tls_cert is not None:
        raise UsageError(
            "--page does not go together with --tls-cert: put what speaks TLS in front of a daemon on loopback, and "
            "name what it is reached by with --trusted-host."
        )
    for host in listen.trusted_hosts:
        if not fence.host_name(host):
            raise UsageError(f"--trusted-host takes a bare `host` or `host:port`, not {host!r}.")


def tls_context(listen: Listen) -> ssl.SSLContext | None:
    """The server's side of TLS, None where there is none; `UsageError` says which of the two files is not usable."""
    if listen.tls_cert is None or listen.tls_key is None:
        return None
    for path, what in ((listen.tls_cert, "certificate"), (listen.tls_key, "private key")):
        try:
            content = path.read_bytes()
        except OSError as error:
            raise UsageError(f"The {what} {path} cannot be read: {error.strerror}.") from None
        if b"-----BEGIN " not in content:
            raise UsageError(f"The {what} {path} is not in PEM, the form that begins with -----BEGIN.")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    try:
        context.load_cert_chain(listen.tls_cert, listen.tls_key, password=_no_password)
    except ssl.SSLError as error:
        if error.reason == "KEY_VALUES_MISMATCH":
            text = f"The private key {listen.tls_key} is not the one of the certificate {listen.tls_cert}."
        else:
            text = (
                f"{listen.tls_cert} and {listen.tls_key} cannot be used for TLS: they must hold a certificate chain "
                "and its private key, the key without a password."
            )
        raise UsageError(text) from None
    return context


def _no_password() -> str:
    """Otherwise a daemon without a terminal would ask one for the password of the key."""
    return ""
