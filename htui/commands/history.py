"""`/history [WORDS]`: one's own prompts of this conversation, the newest first."""

from htui.commands import NO_SESSION, OFFLINE, Command, Effect, Facts, Find


def run(args: str, facts: Facts) -> Effect:
    if facts.session_id is None:
        return NO_SESSION
    return Find(args, prompts=True) if facts.online else OFFLINE


COMMAND = Command("history", "your prompts in this session", run, "[WORDS]")
