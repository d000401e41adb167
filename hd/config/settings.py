"""What the environment says, checked once at the start."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit

from hd.config.home import Home
from hd.config.keys import VARIABLE, Source
from hd.errors import UsageError

DEFAULT_BASE_URL: Final = "https://api.deepseek.com"


@dataclass(frozen=True, slots=True)
class Settings:
    """`key_source` is where a key is looked for, not whether there is one. `base_url` has no slash at its end.

    `model` is None where the provider's default model is meant. `titles` says whether sessions are named by a model as
    long as nobody decided otherwise.
    """

    home: Home
    key_source: Source
    base_url: str
    model: str | None
    titles: bool = True

    @classmethod
    def from_environment(cls, environment: Mapping[str, str]) -> "Settings":
        """`UsageError` naming the variable that cannot be used."""
        return cls(
            home=Home.of(environment),
            key_source="environment" if environment.get(VARIABLE, "").strip() else "store",
            base_url=base_url(environment.get("DEEPSEEK_BASE_URL", "").strip() or DEFAULT_BASE_URL),
            model=environment.get("HD_MODEL", "").strip() or None,
            titles=_switch("HD_TITLES", environment),
        )


def _switch(name: str, environment: Mapping[str, str]) -> bool:
    text = environment.get(name, "").strip().lower() or "on"
    if text not in ("on", "off"):
        raise UsageError(f"{name} must be `on` or `off`.")
    return text == "on"


def base_url(text: str) -> str:
    """A usable base address without the slash at its end; `UsageError` in words that do not repeat a password in it."""
    try:
        parts = urlsplit(text)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port is None or parts.port > 0)
    except ValueError:
        usable, parts = False, None
    if parts is None or not usable or any(letter.isspace() or not letter.isprintable() for letter in text):
        raise UsageError("DEEPSEEK_BASE_URL must be an http or https address such as https://api.deepseek.com.")
    if parts.username is not None or parts.password is not None:
        raise UsageError("DEEPSEEK_BASE_URL must not have a user or a password in it.")
    if parts.query or parts.fragment:
        raise UsageError("DEEPSEEK_BASE_URL must not have a query or a fragment in it.")
    return text.rstrip("/")
