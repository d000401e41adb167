"""`hd token`: a fresh login address, and the end of all logins."""

import argparse
import os

from hd.cli.ending import say
from hd.config.home import Home
from hd.errors import DONE


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = "The token in it works for ten minutes after its first use, or for a day unused."
    parser.add_argument(
        "--revoke-all", action="store_true", help="first log everybody out: cookies and earlier tokens work no more"
    )


def run(args: argparse.Namespace) -> int:
    from hd.cli.local import Local

    local = Local.find(Home.of(os.environ))
    if args.revoke_all:
        cut = local.post("/api/local/revoke")["cut"]
        say(f"All logins and tokens are void. {cut} connected {'client was' if cut == 1 else 'clients were'} cut off.")
    print(local.login_url())
    return DONE
