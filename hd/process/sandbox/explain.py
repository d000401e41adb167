"""Tells from a command's output what the sandbox kept it from; pure.

A program says itself, in its own words, that it was refused. The line made here says by whom, so that the model does
not take the sandbox for a wrong owner and reach for `chmod`. Words of other languages than English are not known; then
the line is missing, and the program's words still stand.
"""

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from posixpath import join, normpath
from typing import Final

from hd.process.sandbox.plan import Plan

OWN_CLOSED: Final = "reading the folder of the daemon itself is blocked in every session"
"""What nobody is asked to open."""

_REFUSED: Final = re.compile(
    r"permission denied|operation not permitted|read-only file system|\b(?:EACCES|EPERM|EROFS)\b", re.IGNORECASE
)
_UNREACHED: Final = re.compile(
    r"network is unreachable|could not resolve|couldn't resolve|name resolution|ENOTFOUND|EAI_AGAIN|ENETUNREACH"
    r"|no address associated|(?:connect|bind|socket|listen)\S*\W[^\n]*(?:permission denied|not permitted|EACCES|EPERM)"
    r"|(?:permission denied|not permitted|EACCES|EPERM)[^\n]*(?:connect|bind|socket|listen)",
    re.IGNORECASE,
)
_SIGNAL: Final = re.compile(r"\b(?:p?kill|killall|killing pid)\b[^\n]*not permitted|kill EPERM", re.IGNORECASE)
_NAMED: Final = re.compile(
    r"""
      ['"‘`](?P<quoted>[^'"’`\n]+)['"’`]
    | (?:(?<=\s)|(?<=:)|^)(?P<bare>(?:~?/|\.{1,2}/)[^\s:'"‘’`,;)]*)
    """,
    re.VERBOSE,
)
_LAST: Final = re.compile(r"(?:: |^)([^\s:][^:\n]*): (?:permission denied|operation not|read-only file)", re.IGNORECASE)
"""A name without a slash or quotes, as shells put it."""
_SPEAKER: Final = re.compile(r"^\s*[^\s:'\"]*/[^\s:'\"]+: (?=.*: )")
_LONGEST: Final = 4096
_LINES: Final = 400
_SHOWN: Final = 200


def explain(
    output: str, plan: Plan, folder: Path, home: Path, allowed: Callable[[Path], bool], *, within: bool = False
) -> str | None:
    """One sentence for the model, or None where nothing points to the sandbox.

    `folder` is where the command began, `within` as in `Plan.hides`. `allowed` says of a path whether it could be
    written without a sandbox; where it could not, the sandbox is not to blame.
    """
    refused = [line[:_LONGEST] for line in output.splitlines() if _REFUSED.search(line[:_LONGEST])]
    for line in [*refused[:_LINES], *refused[-_LINES:]]:
        for path in _paths(line, folder, home):
            if plan.hides(path, within=within) and plan.own in (path, *path.parents):
                return OWN_CLOSED
            if plan.hides(path, within=within):
                return f"reading {_shown(path)} is blocked"
            if not plan.may_write(path) and allowed(path):
                return _unwritable(path, plan)
    if not plan.network and _UNREACHED.search(output):
        return "the network is cut for this session's permissions"
    if any(_SIGNAL.search(line) for line in refused):
        return "ending processes that the command did not start is blocked"
    return None


def _unwritable(path: Path, plan: Plan) -> str:
    if plan.mode == "read-only":
        return f"writing is blocked in a read-only session, but for the folder in $TMPDIR; refused: {_shown(path)}"
    return f"writing outside the workspace is blocked, but for temporary folders and caches; refused: {_shown(path)}"


def _paths(line: str, folder: Path, home: Path) -> Iterator[Path]:
    """What may be a path in a message, the last one first; one that is relative is taken from where the command began.

    A message often begins with the program that speaks, which is not what it speaks of.
    """
    line = _SPEAKER.sub("", line)
    named = [found["quoted"] or found["bare"] for found in _NAMED.finditer(line)] or _LAST.findall(line)
    for text in reversed(named):
        if text.startswith("~/"):
            text = join(str(home), text[2:])
        if "\0" not in text and not text.isspace():
            yield Path(normpath(join(str(folder), text)))


def _shown(path: Path) -> str:
    text = str(path)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
