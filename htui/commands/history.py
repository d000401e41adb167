"""`/history [WORDS]`: one's own prompts of this conversation, the newest first."""

from htui.commands import Command, Effect, Facts, Find, unreadable


def run(args: str, facts: Facts) -> Effect:
    return unreadable(facts) or Find(args, prompts=True)


COMMAND = Command("history", "your prompts in this session", run, "[WORDS]")
