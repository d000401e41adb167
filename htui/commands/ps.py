"""`/ps`: the commands that run in this session, to look at one or to stop it."""

from htui.commands import NO_SESSION, OFFLINE, Command, Effect, Facts, Show


def run(args: str, facts: Facts) -> Effect:
    if facts.session_id is None:
        return NO_SESSION
    return Show("jobs") if facts.online else OFFLINE


COMMAND = Command("ps", "commands that run: watch or stop one", run)
