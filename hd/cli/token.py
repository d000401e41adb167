"""`hd token`: a fresh login address."""

import argparse
import os

from hd.cli.local import Local
from hd.config.home import Home


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = "The token in it works for ten minutes after its first use, or for a day unused."


def run(args: argparse.Namespace) -> int:
    print(Local.find(Home.of(os.environ)).login_url())
    return 0
