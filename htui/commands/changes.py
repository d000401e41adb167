"""`/changes`: what the agent changed in files, to look at it, accept it or take it back."""

from htui.commands import NO_SESSION, OFFLINE, Command, Effect, Facts, Open, Say


def run(args: str, facts: Facts) -> Effect:
    if facts.session_id is None:
        return NO_SESSION
    if not facts.online:
        return OFFLINE
    if args and not args.isdecimal():
        return Say(f"/changes takes the number of a turn, not “{args}”.", "warning")
    return Open("changes", int(args) if args else None)


COMMAND = Command("changes", "changed files: look, accept, reject", run, "[TURN]")
