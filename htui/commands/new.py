"""`/new`: a new session in the same workspace."""

from htui.commands import OFFLINE, Command, Effect, Facts, Go


def run(args: str, facts: Facts) -> Effect:
    return Go("new") if facts.online else OFFLINE


COMMAND = Command("new", "a new session in this workspace", run)
