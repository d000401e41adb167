"""Records of the wire to events, and events to a transcript: pure, for snapshots and for pages alike."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, takewhile
from typing import Any

from msgspec.structs import replace

from hd.protocol import events as ev
from hd.protocol.chunked import CHUNK, ChunkedList
from hd.protocol.events import Event
from hd.protocol.forms import read
from hd.protocol.projections.transcript import TRANSCRIPT, Row, Transcript
from htui.errors import ProtocolBroken
from htui.mirror.vocabulary import KNOWN

_LONGEST_NAME = 80


def event_of(record: object) -> Event:
    """The event in `{"type": "event", "event": …}`; `ProtocolBroken` for anything else."""
    wire = record.get("event") if isinstance(record, Mapping) and record.get("type") == "event" else None
    if not isinstance(wire, Mapping):
        raise ProtocolBroken("The host sent a record that is no event.")
    try:
        return read(wire)
    except (ValueError, TypeError) as error:
        raise ProtocolBroken(f"The host sent an event that cannot be read: {error}.") from error


def events_of(records: object) -> list[Event]:
    """The events of a list of records, which must be dense."""
    if not isinstance(records, list):
        raise ProtocolBroken("The host sent a history without a list of records.")
    events = [event_of(record) for record in records]
    if events and events[-1].seq - events[0].seq != len(events) - 1:
        raise ProtocolBroken("The host sent a history with gaps.")
    due = events[0].seq if events else 0
    for event in events:
        if event.seq != due:
            raise ProtocolBroken(f"The host sent a history with a gap: event {event.seq} where {due} was due.")
        due += 1
    return events


def transcript_of(events: Sequence[Event], turn: int = 0, *, running: bool = False) -> Transcript:
    """The transcript of a window of a log.

    A window may begin in the middle of a turn, whose start it does not hold: then the turn counts as begun. One that
    names no turn at all lies in `turn`, which is `running` or not.
    """
    transcript = _seed(events) or Transcript(turn=turn, running=running)
    for event in events:
        transcript = apply(transcript, event)
    return transcript


def apply(transcript: Transcript, event: Event) -> Transcript:
    """The shared fold, and for an event that matters and means nothing to it a row that says so (law 8).

    So does one for an event of which a part could not be read, behind what could. These rows are this client's own:
    what it does not know another version does.
    """
    if is_unknown(event):
        return _told(transcript, event, "of an unknown kind")
    shown = TRANSCRIPT.apply(transcript, event)
    return _told(shown, event, "that cannot be read whole") if event.damaged else shown


def is_unknown(event: Event) -> bool:
    """Whether an event may mean something and this client does not know what."""
    return event.type not in KNOWN and not event.ignorable


def _told(transcript: Transcript, event: Event, what: str) -> Transcript:
    text = f"An event {what}: {event.type[:_LONGEST_NAME]}"
    row = Row(key=f"{event.seq}.told", kind="notice", seq=event.seq, turn=transcript.turn, time=event.time, text=text)
    return replace(transcript, rows=transcript.rows.append(row))


def first_turn(transcript: Transcript) -> int:
    """The turn that a window begins in, as far as its rows tell."""
    return transcript.rows[0].turn if len(transcript.rows) else transcript.turn


def turn_of(event: Event) -> int | None:
    """The turn that an event names; None for an event of an unknown kind, whatever it means by the word."""
    turn = event.data.get("turn") if event.type in KNOWN else None
    return turn if isinstance(turn, int) and not isinstance(turn, bool) else None


def in_turn(transcript: Transcript, turn: int, *, running: bool) -> Transcript:
    """A transcript of events that name no turn, once it is known in which they lie."""
    rows = ChunkedList.of([replace(row, turn=turn) for row in transcript.rows])
    return replace(transcript, rows=rows, turn=turn, running=running)


def _seed(events: Iterable[Event]) -> Transcript | None:
    for event in events:
        turn = turn_of(event)
        if turn is not None:
            return Transcript() if event.type == ev.TURN_START else Transcript(turn=turn, running=True)
    return None


def below(transcript: Transcript, seq: int) -> Transcript:
    """The part of a transcript that comes from events before `seq`."""
    rows = ChunkedList.of(takewhile(lambda row: row.seq < seq, transcript.rows))
    calls, commands = (
        {known: index for known, index in places.items() if index < len(rows)}
        for places in (transcript.open_calls, transcript.open_commands)
    )
    return Transcript(rows, transcript.turn, transcript.running, calls, commands)


def newest(transcript: Transcript, first: int) -> tuple[Transcript, int] | None:
    """The part of a transcript from the first prompt at or behind row `first` on, and the seq that it begins with.

    None where there is none such, or where a call in front of it has no result yet, which would find no row.
    """
    rows = transcript.rows
    begin = next((index for index in range(first, len(rows)) if rows[index].kind == "user"), len(rows))
    waiting = (*transcript.open_calls.values(), *transcript.open_commands.values())
    if begin == len(rows) or min(waiting, default=begin) < begin:
        return None
    calls, commands = (
        {known: index - begin for known, index in places.items()}
        for places in (transcript.open_calls, transcript.open_commands)
    )
    kept = ChunkedList.of([rows[index] for index in range(begin, len(rows))])
    return Transcript(kept, transcript.turn, transcript.running, calls, commands), rows[begin].seq


def joined(front: Transcript, back: Transcript) -> tuple[Transcript, int]:
    """Two neighbouring pieces of a log as one transcript, and how many rows it has more than `back`.

    A result whose call or command stands in the front piece goes to the row of that; the row that it had alone goes.
    """
    rows = list(front.rows)
    places = {(row.kind, row.call_id): index for index, row in enumerate(rows) if row.kind in _ANSWERED}
    open_front = {"tool": dict(front.open_calls), "command": dict(front.open_commands)}
    kept: list[Row] = []
    moved: dict[int, int] = {}
    for index, row in enumerate(back.rows):
        place = places.get((row.kind, row.call_id)) if _is_orphan(row) else None
        if place is None:
            moved[index] = len(rows) + len(kept)
            kept.append(row)
        else:
            open_front[row.kind].pop(row.call_id, None)
            rows[place] = replace(rows[place], text=row.text, status=row.status, meta=row.meta, finished=row.finished)
    calls, commands = (
        opened | {known: moved[index] for known, index in later.items()}
        for opened, later in zip(open_front.values(), (back.open_calls, back.open_commands), strict=True)
    )
    whole = Transcript(ChunkedList.of([*rows, *kept]), back.turn, back.running, calls, commands)
    return whole, len(whole.rows) - len(back.rows)


_ANSWERED = ("tool", "command")


def _is_orphan(row: Row) -> bool:
    """A result without its call: the transcript keys it by its own event and has no name for it."""
    return row.kind in _ANSWERED and row.finished is not None and row.key == str(row.seq) and row.name in ("", "tool")


def first_difference(old: ChunkedList[Any], new: ChunkedList[Any]) -> int | None:
    """The index of the first item that is another object now; None when none is and no item was added."""
    if old is new:
        return None
    same = 0
    for mine, theirs in zip(old.chunks, new.chunks, strict=False):
        if mine is not theirs:
            break
        same += 1
    index = same * CHUNK
    for mine, theirs in zip(_from(old, same), _from(new, same), strict=False):
        if mine is not theirs:
            return index
        index += 1
    return None if len(old) == len(new) else index


def _from(rows: ChunkedList[Any], chunk: int) -> Iterator[Any]:
    return chain(*rows.chunks[chunk:], rows.tail)
