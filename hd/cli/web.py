"""`hd web`: the daemon."""

import argparse
import os
import sys

from hd.cli.ending import leave_within
from hd.config.home import Home
from hd.errors import DONE, FAILED

EXIT_S = 1.0
"""How long a daemon whose work is done waits for threads that are not."""


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--host", default="127.0.0.1", help="address to listen on (loopback only; default %(default)s)")
    parser.add_argument("--port", type=int, default=3080, help="port, 0 for any free one (default %(default)s)")
    parser.add_argument("--no-open", action="store_true", help="accepted for compatibility; no browser is opened")
    parser.add_argument("--json", action="store_true", help="print the address as one JSON line")
    parser.add_argument("--demo", action="store_true", help="offer only the scripted offline demo, even with a key")
    parser.add_argument("--background", action="store_true", help="return when the daemon listens and leave it running")


def run(args: argparse.Namespace) -> int:
    if args.background:
        return _in_background(args)
    import asyncio

    from hd.daemon import Listen, serve

    with asyncio.Runner() as runner:
        runner.run(serve(Listen(args.host, args.port, demo=args.demo, as_json=args.json), os.environ))
        leave_within(EXIT_S, DONE)
    return DONE


def _in_background(args: argparse.Namespace) -> int:
    """Starts a daemon of its own session, passes on its first line, and leaves it."""
    import subprocess

    from hd.config.logs import start_log

    command = [sys.executable, "-m", "hd", "web", "--host", args.host, "--port", str(args.port)]
    command += [flag for flag, given in (("--json", args.json), ("--demo", args.demo)) if given]
    home = Home.of(os.environ)
    home.prepare()
    with start_log(home) as errors:
        daemon = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=errors, start_new_session=True
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
    print(line, end="", flush=True)
    return DONE
