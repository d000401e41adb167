"""`/feedback <text>`: keeps a person's word about a session in its log. It is sent to nobody."""

from hd.commands.base import Command, Line, Said, refused
from hd.protocol import events as ev
from hd.protocol.events import Draft


async def run(line: Line) -> Said:
    if not line.args:
        return refused("Write what you want to say behind /feedback. Nothing was recorded.")
    (event,) = line.session.record(Draft(ev.FEEDBACK_RECORD, {"text": line.args}))
    return Said("Recorded in the log of this session. It stays on this machine.", source=event.seq)


COMMAND = Command("feedback", "Records what you think of this session in its log.", run, "<text>", private=True)
