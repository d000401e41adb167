"""`python -m hd`: the same as the command `hd`, whose name other programs have taken on many machines."""

import sys

from hd.cli import main

if __name__ == "__main__":
    sys.exit(main())
