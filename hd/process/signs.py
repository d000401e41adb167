"""What the output of a program in a terminal says about it: that it serves, that it failed, where it can be looked at.

Pure, line by line, every pattern linear in the line, which is cut: whatever runs there writes the text.
"""

import re
from typing import Final, Literal

Sign = Literal["started", "failed"]

_LONGEST: Final = 2_000
_FAILED: Final = re.compile(
    r"""
      ^Traceback[ ]\(most[ ]recent[ ]call[ ]last\) | ^\s*(?:\w+\.)*(?:\w+Error|\w+Exception|SystemExit):[ ]
    | \bnpm[ ](?:ERR!|error)[ ] | \bERR_[A-Z_]{4,} | \b(?:EADDRINUSE|EACCES|ENOENT|MODULE_NOT_FOUND)\b
    | ^\s*(?:error|fatal|panic)(?:\[\w+\])?:[ ] | ^Error:[ ] | \bUncaught[ ]\w*(?:Error|Exception)\b
    | \b[Aa]ddress[ ]already[ ]in[ ]use\b | :[ ](?:command[ ])?not[ ]found$ | \bSegmentation[ ]fault\b
    | \b[Ff]ailed[ ]to[ ](?:compile|start|bind|load)\b | \bCannot[ ]find[ ]module\b
    """,
    re.VERBOSE,
)
_STARTED: Final = re.compile(
    r"""
      \b(?:listening|listens|running|serving|started|available|ready)\b[^\n]{0,80}?
        (?:\b(?:on|at|in|from)\b[^\n]{0,60}?(?::\d{2,5}\b|\bport\b|https?://)|\bport[ ]\d)
    | \bhttps?://(?:localhost|127\.0\.0\.1|0\.0\.0\.0|\[::1?\]):\d{2,5}
    | \bApplication[ ]startup[ ]complete\b | \bStarting[ ]development[ ]server[ ]at\b | \bCompiled[ ]successfully\b
    | \bready[ ]in[ ][\d.]+[ ]?m?s\b | \bBooting[ ]worker\b | \bServing[ ]HTTP[ ]on\b
    | \bWatching[ ]for[ ]file[ ]changes\b
    """,
    re.VERBOSE | re.IGNORECASE,
)
_PAGE: Final = re.compile(
    r"\bhttps?://(?:localhost|127\.0\.0\.1|0\.0\.0\.0|\[::1?\]):(?:[1-9]\d{0,4})(?!\d)(?:/[\w.~%/?=&+\-]*)?",
    re.IGNORECASE,
)
_ANY_HOST: Final = re.compile(r"//(?:0\.0\.0\.0|\[::\])", re.IGNORECASE)


def sign(line: str) -> Sign | None:
    """An error counts before a success: a server that says where it listens may say next why it does not."""
    line = line[:_LONGEST]
    if _FAILED.search(line):
        return "failed"
    return "started" if _STARTED.search(line) else None


def pages(line: str) -> list[str]:
    """The addresses of this machine, with a port, that a line names; one for all interfaces as this machine's own."""
    return [_ANY_HOST.sub("//127.0.0.1", found.rstrip(".,")) for found in _PAGE.findall(line[:_LONGEST])]
