"""The kill ring: what was cut, to be brought back, the latest first, as in readline."""

MOST = 30


class KillRing:
    """`add` takes what was cut; `yank` gives the latest, `turn` the one before what was given last."""

    def __init__(self) -> None:
        self._kills: list[str] = []
        self._at = 0

    def add(self, text: str, *, forward: bool, joined: bool) -> None:
        """`joined` adds to the latest kill, behind it for a cut `forward` and else before it."""
        if joined and self._kills:
            latest = self._kills[-1]
            self._kills[-1] = latest + text if forward else text + latest
        else:
            self._kills.append(text)
            del self._kills[:-MOST]

    def yank(self) -> str:
        self._at = len(self._kills) - 1
        return self._kills[-1] if self._kills else ""

    def turn(self) -> str:
        """After the oldest comes the latest again."""
        if not self._kills:
            return ""
        self._at = (self._at - 1) % len(self._kills)
        return self._kills[self._at]
