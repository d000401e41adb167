"""`/cache`: what the provider read from its cache, and what stood in the way."""

from htui.commands import NO_SESSION, Command, Effect, Facts, Show


def run(args: str, facts: Facts) -> Effect:
    return Show("cache") if facts.session_id is not None else NO_SESSION


COMMAND = Command("cache", "what was read from the provider's cache", run)
