"""`/queue`: what waits for the next turn or step, with removal."""

from htui.commands import Command, Effect, Facts, Say, Show


def run(args: str, facts: Facts) -> Effect:
    return Show("queue") if facts.queue else Say("Nothing waits.")


COMMAND = Command("queue", "what waits, and remove it", run)
