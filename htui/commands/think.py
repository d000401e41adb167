"""`/think`: unfold the model's reasoning and what it summed up, or fold both."""

from htui.commands import Command, Effect, Facts, Thoughts


def run(args: str, facts: Facts) -> Effect:
    return Thoughts(not facts.thoughts)


COMMAND = Command("think", "show or fold thoughts and summaries", run)
