"""`/context`: what fills the window of the model."""

from htui.commands import NO_SESSION, Command, Effect, Facts, Show


def run(args: str, facts: Facts) -> Effect:
    return Show("context") if facts.session_id is not None else NO_SESSION


COMMAND = Command("context", "what fills the model's window", run)
