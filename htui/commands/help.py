"""`/help`: keys and commands."""

from htui.commands import Command, Effect, Facts, Show


def run(args: str, facts: Facts) -> Effect:
    return Show("help")


COMMAND = Command("help", "keys and commands", run)
