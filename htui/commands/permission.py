"""`/permission`: what the agent may do without asking. The host changes it, and says so in the log."""

from htui.commands import NO_SESSION, OFFLINE, Command, Effect, Execute, Facts, Show


def run(args: str, facts: Facts) -> Effect:
    if facts.session_id is None:
        return NO_SESSION
    if not facts.online:
        return OFFLINE
    return Execute(f"/permission {args}") if args else Show("permission")


COMMAND = Command("permission", "what may be done without asking", run, "[PRESET]")
