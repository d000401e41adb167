"""How a secret is told by its name or by its form; the one place that knows these patterns."""

import re
from typing import Final

NAME: Final = re.compile(
    r"KEY|TOKEN|SECRET|PASSW|PASSPHRASE|PWD|CREDENTIAL|AUTH|PRIVATE|SALT|SIGNATURE|DSN|WEBHOOK", re.IGNORECASE
)
"""A name with one of these in it says that its value is secret."""

KEY: Final = re.compile(
    r"""(?<![A-Za-z0-9])(?:sk-[\w\-]{16,}|gh[pousr]_[A-Za-z0-9]{20,}|github_pat_\w{20,}|glpat-[\w\-]{16,}
        |xox[abprs]-[\w\-]{10,}|(?:AKIA|ASIA)[A-Z0-9]{16}|npm_[A-Za-z0-9]{30,}
        |eyJ[\w\-]{8,}\.eyJ[\w\-]{8,}\.[\w\-]*)""",
    re.VERBOSE | re.IGNORECASE,
)
"""A key of a known provider, wherever it stands."""

LOGIN: Final = re.compile(r"[a-z][a-z0-9+.\-]*://[^/\s@]*@", re.IGNORECASE)
"""An address with somebody's name or password in it."""

PRIVATE_KEY: Final = re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY")
