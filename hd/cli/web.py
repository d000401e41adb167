"""`hd web`: the daemon."""

import argparse
import os
import sys
from pathlib import Path

from hd.cli.ending import leave_within, say
from hd.config.home import Home
from hd.errors import DONE, FAILED
from hd.server.listen import Listen, check, tls_context

EXIT_S = 1.0
"""How long a daemon whose work is done waits for threads that are not."""


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--host", default="127.0.0.1", help="address to listen on (default %(default)s)")
    parser.add_argument("--port", type=int, default=3080, help="port, 0 for any free one (default %(default)s)")
    parser.add_argument("--tls-cert", type=Path, metavar="FILE", help="certificate chain (PEM), to speak HTTPS")
    parser.add_argument("--tls-key", type=Path, metavar="FILE", help="its private key (PEM, without a password)")
    parser.add_argument(
        "--trusted-host",
        action="append",
        default=[],
        metavar="HOST[:PORT]",
        help="accept this name in requests too, as behind a proxy; may be given several times",
    )
    parser.add_argument(
        "--insecure-bind", action="store_true", help="allow an address that other machines reach without TLS"
    )
    parser.add_argument("--no-open", action="store_true", help="accepted for compatibility; no browser is opened")
    parser.add_argument("--json", action="store_true", help="print the address as one JSON line")
    parser.add_argument("--demo", action="store_true", help="offer only the scripted offline demo, even with a key")
    parser.add_argument("--page", action="store_true", help="show the client in a browser at the printed address")
    parser.add_argument("--background", action="store_true", help="return when the daemon listens and leave it running")


def run(args: argparse.Namespace) -> int:
    listen = Listen(
        args.host,
        args.port,
        demo=args.demo,
        as_json=args.json,
        tls_cert=args.tls_cert,
        tls_key=args.tls_key,
        trusted_hosts=tuple(args.trusted_host),
        insecure_bind=args.insecure_bind,
        page=args.page,
    )
    # Before all that takes long to load; the daemon reads the files of TLS again.
    check(listen)
    tls_context(listen)
    if listen.page:
        from hd.server.page import assets

        assets()
    if args.background:
        return _in_background(listen)
    import asyncio

    from hd.daemon import serve

    with asyncio.Runner() as runner:
        runner.run(serve(listen, os.environ))
        leave_within(EXIT_S, DONE)
    return DONE


def _command(listen: Listen) -> list[str]:
    """The command line that means `listen`."""
    # -P: the folder it is started in is a stranger's, and must not be where modules come from.
    command = [sys.executable, "-P", "-m", "hd", "web", "--host", listen.host, "--port", str(listen.port)]
    switches = (
        ("--json", listen.as_json),
        ("--demo", listen.demo),
        ("--insecure-bind", listen.insecure_bind),
        ("--page", listen.page),
    )
    command += [flag for flag, given in switches if given]
    command += [f"--trusted-host={host}" for host in listen.trusted_hosts]
    files = (("--tls-cert", listen.tls_cert), ("--tls-key", listen.tls_key))
    return command + [f"{flag}={path}" for flag, path in files if path is not None]


def _in_background(listen: Listen) -> int:
    """Starts a daemon of its own session, passes on its first line, and leaves it."""
    import subprocess

    from hd.config.logs import start_log

    home = Home.of(os.environ)
    home.prepare()
    with start_log(home) as errors:
        daemon = subprocess.Popen(
            _command(listen), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=errors, start_new_session=True
        )
    assert daemon.stdout is not None
    try:
        with daemon.stdout:
            line = daemon.stdout.readline().decode()
    except KeyboardInterrupt:
        # It is of another session, so the interrupt did not reach it.
        daemon.terminate()
        raise
    if not line:
        code = daemon.wait()
        sys.stderr.write(home.start_log.read_text(errors="replace"))
        return code or FAILED
    warning = listen.warning()
    if warning is not None:
        say(warning)
    print(line, end="", flush=True)
    return DONE
