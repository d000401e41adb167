"""`/prompt [TEXT]`: the list of saved prompts, or one more in it."""

from htui.commands import NO_SESSION, Command, Effect, Facts, Prompts


def run(args: str, facts: Facts) -> Effect:
    return NO_SESSION if facts.session_id is None else Prompts(args)


COMMAND = Command("prompt", "saved prompts, or save TEXT as one", run, "[TEXT]")
