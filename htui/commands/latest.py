"""`/latest`: to the end of the conversation."""

from htui.commands import Command, Effect, Facts, Scroll


def run(args: str, facts: Facts) -> Effect:
    return Scroll(0)


COMMAND = Command("latest", "to the end of the conversation", run)
