"""`/older`: an earlier page of the conversation, for where nothing scrolls."""

from htui.commands import NO_SESSION, OFFLINE, Command, Effect, Facts, Older


def run(args: str, facts: Facts) -> Effect:
    if facts.session_id is None:
        return NO_SESSION
    return Older() if facts.online else OFFLINE


COMMAND = Command("older", "read an earlier page", run)
