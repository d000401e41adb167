"""`/cost`: what the session cost, by model."""

from htui.commands import NO_SESSION, Command, Effect, Facts, Show


def run(args: str, facts: Facts) -> Effect:
    return Show("cost") if facts.session_id is not None else NO_SESSION


COMMAND = Command("cost", "what this session cost", run)
