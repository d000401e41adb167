"""`hd record [on|off]`: whether the running daemon writes down what goes to the provider and what comes back."""

import argparse
import os
from collections.abc import Mapping
from typing import Any

from hd.config.home import Home
from hd.errors import DONE, FAILED

_HOLDS = (
    "The file is private and holds requests and answers: prompts, answers, calls with their arguments, instruction "
    "files, names of files. API keys and the values of secret files and of the environment are marks in it, the home "
    "folder is ~, and what tools found is left out unless --with-contents is given. Read it before you pass it on. "
    "Recording ends with the daemon."
)


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("wish", nargs="?", choices=("on", "off"), help="without it: say how it is")
    parser.add_argument("--with-contents", action="store_true", help="also what tools found, so contents of files")
    parser.epilog = _HOLDS


def run(args: argparse.Namespace) -> int:
    from hd.cli.local import Local

    query = "&".join(word for word in (args.wish, "contents" if args.with_contents else "") if word)
    recording = Local.find(Home.of(os.environ)).post(f"/api/local/record?{query}")
    print(told(recording))
    return FAILED if recording["state"] == "stopped" else DONE


def told(recording: Mapping[str, Any]) -> str:
    """How it is, in words."""
    requests = "1 request" if recording["attempts"] == 1 else f"{recording['attempts']} requests"
    so_far = f"{requests}, {recording['size']:,} bytes in {recording['path']}"
    match recording["state"]:
        case "on":
            return f"Recording: {so_far}"
        case "stopped":
            return f"{recording['why']} {so_far}"
        case _ if recording["path"]:
            return f"Recorded: {so_far}"
        case _:
            return "Nothing is recorded; `hd record on` begins."
