"""What `hd doctor` says of the logs: which of them cannot be opened, and what is cured in one whenever it is opened."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

import msgspec

from hd.agent.fit import fit
from hd.agent.history import HISTORY, History
from hd.protocol.events import Event
from hd.protocol.forms import read
from hd.protocol.projections import DAEMON, State
from hd.session.repair import repair
from hd.session.store.survey import Log


@dataclass(slots=True)
class Survey:
    """`cured` has, by session, what is cured in it (kind → how often); `closed` says why one cannot be opened.

    `unseen` counts the sessions for which there was no time.
    """

    seen: int = 0
    unseen: int = 0
    cured: dict[str, Counter[str]] = field(default_factory=dict)
    closed: dict[str, str] = field(default_factory=dict)


def survey(logs: Iterable[Log], *, has_time: Callable[[], bool]) -> Survey:
    """Goes through the logs as long as there is time."""
    found = Survey()
    for log in logs:
        if not has_time():
            found.unseen += 1
            continue
        found.seen += 1
        if log.missing_from is not None:
            found.closed[log.session_id] = f"its events from {log.missing_from} on are gone"
            continue
        try:
            cures = cures_of(log.bodies)
        except ValueError as error:
            found.closed[log.session_id] = f"it cannot be read ({error})"
            continue
        if cures:
            found.cured[log.session_id] = cures
    return found


def cures_of(bodies: Iterable[bytes]) -> Counter[str]:
    """What is left out or added when this log is read and its history sent; ValueError when it cannot be read.

    A turn that still runs is looked at as if it were closed now, for only then is anything sent of it again.
    """
    events = [read(msgspec.json.decode(body)) for body in bodies]
    state = State.initial((*DAEMON, HISTORY)).fold(events)
    drafts = repair(state, None, "", "")
    closing = (Event(d.type, state.seq + 1 + n, 0, d.data, d.surface) for n, d in enumerate(drafts))
    history: History = state.fold(closing).values[HISTORY.key]
    cures = Counter({"events that cannot be read whole": sum(event.damaged for event in events)})
    return +(cures + fit(entry.message for entry in history.entries).cured)


def told(found: Survey) -> Iterator[str]:
    """The lines for a person."""
    sessions = f"{found.seen} session" + ("" if found.seen == 1 else "s")
    if not found.cured and not found.closed:
        yield f"Logs: {sessions} can be read, and nothing in them needs a cure."
    else:
        yield f"Logs: {sessions}."
    for session_id, why in found.closed.items():
        yield f"Cannot be opened: {session_id}, because {why}. Nothing of it was changed; the others are not touched."
    for session_id, cures in found.cured.items():
        yield f"Cured whenever it is opened, and never rewritten: {session_id}: {_list(cures)}."
    if found.unseen:
        yield f"There was no time to look at {found.unseen} more."


def _list(cures: Mapping[str, int]) -> str:
    return ", ".join(f"{kind} ({times})" for kind, times in sorted(cures.items()))
