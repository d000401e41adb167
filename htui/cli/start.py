"""`htui [SESSION]`: the terminal client itself, and the flags that stand alone."""

import argparse
import os
import sys
from pathlib import Path

from htui.errors import DONE, USAGE


def run(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="htui",
        description="A terminal client for hd, the headless coding agent.",
        epilog="Subcommands, each with --help: list workspaces, list sessions; needs, allow ID, deny ID, answer ID ….",
    )
    parser.add_argument("session", nargs="?", help="the session to open: its id or the beginning of it")
    parser.add_argument("--url", help="the host, as http://127.0.0.1:3080 or the URL that hd printed")
    parser.add_argument("--workspace", type=Path, metavar="DIR", help="the folder to work in (default: this one)")
    parser.add_argument("--choose", action="store_true", help="choose a workspace and a session first")
    parser.add_argument("--low-bandwidth", action="store_true", help="two frames a second, for a slow line")
    parser.add_argument("--version", action="store_true", help="print the version and end")
    parser.add_argument("--reset", action="store_true", help="put a terminal in order that a killed htui left behind")
    chosen = parser.parse_args(arguments)
    if chosen.version:
        return _version()
    if chosen.reset:
        from htui.cli.reset import reset

        return reset()
    session = "" if chosen.choose and chosen.session is None else chosen.session
    return _start(session, chosen.url, chosen.workspace, low_bandwidth=chosen.low_bandwidth)


def _version() -> int:
    from importlib.metadata import version

    print(f"htui {version('hd-agent')}")
    return DONE


def _start(session: str | None, url: str | None, workspace: Path | None, *, low_bandwidth: bool) -> int:
    from htui.link.address import resolve

    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        print("htui: this needs a terminal. Without one use hd run, or htui list.", file=sys.stderr)
        return USAGE
    directory = Path(os.path.expanduser(workspace or Path.cwd())).absolute()
    if not directory.is_dir():
        print(f"htui: {directory} is no folder.", file=sys.stderr)
        return USAGE
    address = resolve(url, os.environ)
    from htui.running import run_app

    return run_app(address, session=session, directory=directory, low_bandwidth=low_bandwidth)
