"""Looks at what the program knows, and calls for somebody where that is due."""

from collections.abc import Callable, Coroutine, Mapping
from typing import Any, Final

from htui.alerts.moments import Moment, Moments
from htui.alerts.ways import is_wanted, sequence, wish_of
from htui.copying.tmux import around
from htui.mirror import HostMirror, SessionMirror

_WORDS: Final[Mapping[Moment, str]] = {"needs": "hd needs you", "done": "hd is done"}


class Alerts:
    """`write` takes sequences to the terminal, `start` runs something to its end."""

    def __init__(
        self,
        environ: Mapping[str, str],
        write: Callable[[str], None],
        start: Callable[[Coroutine[Any, Any, None]], object],
    ) -> None:
        self._environ = environ
        self._wish = wish_of(environ)
        self._write = write
        self._start = start
        self._moments = Moments()
        self._client_id = ""
        self.focused: bool | None = None
        """What the terminal last said of itself; None while it has said nothing."""

    def look(self, host: HostMirror, mirror: SessionMirror | None, title: str) -> None:
        """After every change; `mirror` is that of the session in sight, `title` its title."""
        if host.client_id != self._client_id:
            self._client_id = host.client_id
            self._moments.forget()
        session_id = None if mirror is None else mirror.session_id
        running, loaded = mirror is not None and mirror.running, mirror is not None and mirror.loaded
        moment = self._moments.look([ask.event_id for ask in host.asks], session_id, running=running, loaded=loaded)
        if moment is not None and self._wish != "off" and is_wanted(self._environ, self.focused):
            self._start(self._call(f"{_WORDS[moment]}: {title}" if title else _WORDS[moment]))

    async def _call(self, text: str) -> None:
        tmux = await around(self._environ) if self._environ.get("TMUX") and self._wish != "bell" else None
        self._write(sequence(text, self._wish, self._environ, tmux))
