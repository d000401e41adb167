"""`python -m htui` is the command `htui`."""

import sys

from htui.cli import main

if __name__ == "__main__":
    sys.exit(main())
