"""How many errors a check found, from its output and its end; pure."""

import re
from dataclasses import dataclass
from typing import Final

# A line that begins an error in what compilers, type checkers and `hd.projects.check_python` print.
_ERROR: Final = re.compile(
    r"""
    ^\s*(?:\[ERROR\]\s+\S.*:\[\d+                     # Maven: [ERROR] /a/B.java:[3,5] …
    | error(?:\[\w+\])?:                             # Rust: error[E0308]: …
    | .*?\berror\ TS\d+:                             # tsc: a.ts(1,2): error TS2322: …
    | [^\s:][^:]*:\d+(?::\d+)?:\s+(?:fatal\ )?error: # gcc, javac
    | (?:vet:\ )?[^\s:][^:]*:\d+:\d+:\s+(?!warning|note)\S  # go vet, Python
    | (?:PHP\ )?(?:Parse|Fatal)\ error:              # php -l
    | [^\s:][^:]*:\d+:\s+syntax\ error               # ruby -c
    | [^\s:][^:]*:\s+line\ \d+:\s                    # bash -n
    )""",
    re.VERBOSE | re.IGNORECASE,
)
_CLOSING: Final = re.compile(r"^error: (?:could not compile|aborting due to)", re.IGNORECASE)

NOT_FOUND: Final = (126, 127)


@dataclass(frozen=True, slots=True)
class Verdict:
    """`errors` is None when the check itself could not be done, which `reason` then explains."""

    errors: int | None
    reason: str = ""


def verdict(exit_code: int | None, output: str) -> Verdict:
    """What a check says that ended with `exit_code` (None when it had to be ended).

    A check that fails without a line that we know is one error: what fails is not fine.
    """
    if exit_code is None:
        return Verdict(None, "it did not end in time")
    if exit_code in NOT_FOUND or _no_compiler(output):
        return Verdict(None, "its program is not installed here")
    if exit_code == 0:
        return Verdict(0)
    lines = [line for line in output.splitlines() if _ERROR.match(line) and not _CLOSING.match(line)]
    return Verdict(max(1, len(lines)))


def _no_compiler(output: str) -> bool:
    """What `npx --no-install` says of a program that the project does not have."""
    return "npx canceled due to missing packages" in output or "could not determine executable to run" in output
