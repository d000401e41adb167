"""`/compact`: sums up the older part of a session to make room in the context."""

from hd.commands.base import Command, Line, Said


async def run(line: Line) -> Said:
    done = await line.agent.compact(line.command_id)
    if done is None:
        return Said("There is nothing to compact yet; the newest turn always stays as it is.")
    return Said(f"Summed up {done.messages} messages (about {done.tokens} tokens).", source=done.seq)


COMMAND = Command("compact", "Sums up the older part of this session to make room.", run)
