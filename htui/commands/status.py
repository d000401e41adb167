"""`/status`: the figures of the session in full."""

from htui.commands import Command, Effect, Facts, Show


def run(args: str, facts: Facts) -> Effect:
    return Show("status")


COMMAND = Command("status", "host, session and figures", run)
