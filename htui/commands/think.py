"""`/think`: unfold the model's reasoning, or fold it."""

from htui.commands import Command, Effect, Facts, Thoughts


def run(args: str, facts: Facts) -> Effect:
    return Thoughts(not facts.thoughts)


COMMAND = Command("think", "show or fold the thoughts", run)
