"""`/older`: an earlier page of the conversation, for where nothing scrolls."""

from htui.commands import Command, Effect, Facts, Older, unreadable


def run(args: str, facts: Facts) -> Effect:
    return unreadable(facts) or Older()


COMMAND = Command("older", "read an earlier page", run)
