"""`/resume`: another session."""

from htui.commands import Command, Effect, Facts, Go


def run(args: str, facts: Facts) -> Effect:
    return Go("sessions")


COMMAND = Command("resume", "choose a session", run)
