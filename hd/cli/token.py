"""`hd token`: a fresh login address."""

import argparse
import os

from hd.config.home import Home
from hd.errors import DONE


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = "The token in it works for ten minutes after its first use, or for a day unused."


def run(args: argparse.Namespace) -> int:
    from hd.cli.local import Local

    print(Local.find(Home.of(os.environ)).login_url())
    return DONE
