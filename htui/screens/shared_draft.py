"""A session's draft as the host keeps it for all clients: told what changes here, taken over when it changed there."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from htui.composer.shared import EDITING, LONGEST, HostDraft, host_draft, is_part, meet, unfolded_caret
from htui.composer.store import whole_text
from htui.errors import HtuiError
from htui.screens.desk import LinkLike

_KEPT = "Another client changed this draft: yours is kept, theirs is at ↑."
_REPLACED = "Another client changed this draft: yours is at ↑."

State = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Met:
    """What came of an item: the state that the composer takes over, a text that makes way for it, what is said of that,
    and whether anything is another than before."""

    adopted: State | None = None
    aside: str = ""
    said: str = ""
    changed: bool = False


class SharedDraft:
    """States are those of an editor. A host without drafts is one that sends no item: then nothing is called."""

    def __init__(self, link: LinkLike, session_id: str, moment: Callable[[], float]) -> None:
        self._link = link
        self._session_id = session_id
        self._moment = moment
        self._text = ""
        self._agreed: int | None = 0
        self._own = False
        """True while the text was changed here last."""
        self._edited_at: float | None = None
        self._heard_as: str | None = None
        """The client id of the connection on which the host sent the draft."""
        self._pushing = False
        self._pushed = 0

    def begin(self, state: State, agreed: int | None) -> None:
        """What was kept on disk; `agreed` as `kept` gave it."""
        self._text, self._agreed, self._own = whole_text(state), agreed, True

    def kept(self) -> dict[str, int]:
        """What is kept on disk beside the draft, so that one that was sent from elsewhere does not come back."""
        return {} if self._agreed is None else {"agreed": self._agreed}

    def note(self, state: State) -> None:
        """The draft may have been changed here."""
        text = whole_text(state)
        if text != self._text:
            self._text, self._agreed, self._own = text, None, True
            self._edited_at = self._moment()

    @property
    def hosted(self) -> bool:
        """True when the host keeps drafts and listens."""
        return self._link.status.phase == "online" and self._heard_as == self._link.host.client_id

    def meet(self, items: list[Any], state: State) -> Met:
        """Takes items of `drafts/follow`; the last one counts."""
        host = host_draft(items[-1]) if items else None
        if host is None:
            return Met()
        first, self._heard_as = not self.hosted, self._link.host.client_id
        if host.by == self._heard_as and not first and (self._pushing or host.revision <= self._pushed):
            return Met()  # our own words, perhaps older than what was typed since
        self.note(state)
        match meet(self._text, host, agreed=self._agreed, editing=self._editing()):
            case "same":
                changed, self._agreed = self._agreed != host.revision, host.revision
                return Met(changed=changed)
            case "take":
                return self._take(host)
            case _:
                return self._keep(host)

    async def push(self, state: Callable[[], State]) -> bool:
        """Tells the host until it has what `state` gives; True when it has it. An error leaves that for later."""
        if self._pushing:
            return False
        self._pushing = True
        try:
            while self.hosted and self._agreed is None:
                await self._told(state())
        except HtuiError:
            return False  # the copy on disk stays, and the next change tries again
        finally:
            self._pushing = False
        return self._agreed is not None

    async def _told(self, state: State) -> None:
        self.note(state)
        text = whole_text(state)
        if len(text) > LONGEST:
            raise HtuiError("The draft is longer than the host keeps one.")
        answer = await self._link.call(
            "drafts/set",
            sessionId=self._session_id,
            text=text,
            cursor=unfolded_caret(state),
            clientId=self._link.host.client_id,
        )
        revision = answer.get("revision") if isinstance(answer, Mapping) else None
        if not isinstance(revision, int):
            raise HtuiError("The host did not say that it keeps the draft.")
        self._pushed = max(self._pushed, revision)
        if text == self._text:
            self._agreed = revision

    def _take(self, host: HostDraft) -> Met:
        mine, own = self._text, self._own
        self._text, self._agreed, self._own = host.text, host.revision, False
        lost = mine if own and mine.strip() and not is_part(mine, of=host.text) else ""
        state = {"text": host.text, "caret": min(host.cursor, len(host.text))}
        return Met(state, lost, _REPLACED if lost and host.text else "", changed=True)

    def _keep(self, host: HostDraft) -> Met:
        """The host is told what stands here; what it had is kept where it can be found."""
        self._agreed = None
        lost = "" if not host.text.strip() or is_part(host.text, of=self._text) else host.text
        return Met(None, lost, _KEPT if lost else "", changed=True)

    def _editing(self) -> bool:
        return self._edited_at is not None and self._moment() - self._edited_at < EDITING
