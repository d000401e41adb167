"""Which texts in a secret file, or in an environment, are values to be hidden; pure.

Most of what stands in a `.env` is no secret, and a mask over `development` or `localhost` would make every output
unreadable. So a value counts by its name, or because it looks like a key; and never when it is a short plain word.
"""

import re
from collections.abc import Mapping
from typing import Final

from hd.secrets import forms

SHORTEST: Final = 8
MOST: Final = 2_000
"""Values of one file; what comes after them is left out."""

_ASSIGNED: Final = re.compile(
    r"""^[ \t]*(?:export[ \t]+|set[ \t]+|-[ \t]+)?["']?(?P<name>[\w.\-/:@]{1,200}?)["']?[ \t]*(?:=>?|:)[ \t]*
        (?:"(?P<double>(?:[^"\\\n]|\\.)*)"|'(?P<single>[^'\n]*)'|(?P<bare>[^\s#"',;][^\n#,;]*))""",
    re.VERBOSE | re.MULTILINE,
)
_IN_JSON: Final = re.compile(r'"(?P<name>[^"\\\n]{1,200})"\s*:\s*"(?P<double>(?:[^"\\\n]|\\.)+)"')
_PASSWORD_IN_URL: Final = re.compile(r"[a-z][a-z0-9+.\-]*://[^/\s:@]*:(?P<password>[^/\s@]{4,})@", re.IGNORECASE)
_LOGIN: Final = re.compile(r"\bpassword\s+(\S+)")
_PEM_LINE: Final = re.compile(r"^[A-Za-z0-9+/=]{40,}$", re.MULTILINE)
_PLAIN_WORD: Final = re.compile(r"[A-Za-z]+|[a-z]+(?:[-_.][a-z]+)*|\d+|[\d.]+|[./~][\w./\-]*|https?://[^@\s]*")


def values_of(text: str) -> dict[str, str]:
    """The values that the text of a secret file holds, each with its name there."""
    found: dict[str, str] = {}
    for match in (*_ASSIGNED.finditer(text), *_IN_JSON.finditer(text)):
        groups = match.groupdict()
        value = groups.get("double") or groups.get("single") or (groups.get("bare") or "").strip()
        if value and (reason := _secret(match["name"], value)):
            found.setdefault(reason, match["name"])
    for match in _LOGIN.finditer(text):
        if len(match[1]) >= SHORTEST:
            found.setdefault(match[1], "password")
    for match in forms.KEY.finditer(text):
        found.setdefault(match[0], "key")
    if "-----BEGIN" in text:
        found |= dict.fromkeys(_PEM_LINE.findall(text), "private-key")
    return dict(list(found.items())[:MOST])


def environment_values(environment: Mapping[str, str]) -> dict[str, str]:
    """The same for the variables of an environment."""
    return {hidden: name for name, value in environment.items() if (hidden := _secret(name, value))}


def _secret(name: str, value: str) -> str | None:
    """The part of a value that has to be hidden, None where there is none."""
    login = _PASSWORD_IN_URL.search(value)
    if login is not None:
        return login["password"] if len(login["password"]) >= SHORTEST else value
    known = forms.KEY.search(value)
    if known is not None:
        return known[0]
    if len(value) < SHORTEST or not forms.NAME.search(name) or _PLAIN_WORD.fullmatch(value):
        return None
    return value
