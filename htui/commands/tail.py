"""`/tail N`: what a command prints, on a screen of its own."""

from htui.commands import NO_SESSION, OFFLINE, Command, Effect, Facts, Open, Say, Show


def run(args: str, facts: Facts) -> Effect:
    if facts.session_id is None:
        return NO_SESSION
    if not facts.online:
        return OFFLINE
    number = args.removeprefix("#").partition(" ")[0]
    if not number:
        return Show("jobs")
    if not number.isdecimal():
        return Say("/tail takes the number of a command, as /ps shows it.", "warning")
    return Open("output", int(number))


COMMAND = Command("tail", "what a command prints", run, "[NUMBER]")
