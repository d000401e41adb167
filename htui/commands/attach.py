"""`/attach N`: the terminal of a command on the screen, to type into it."""

from htui.commands import NO_SESSION, OFFLINE, Command, Effect, Facts, Open, Say, Show


def run(args: str, facts: Facts) -> Effect:
    if facts.session_id is None:
        return NO_SESSION
    if not facts.online:
        return OFFLINE
    number = args.removeprefix("#")
    if not number:
        return Show("jobs")
    if not number.isdecimal():
        return Say("/attach takes the number of a command, as /ps shows it.", "warning")
    return Open("terminal", int(number))


COMMAND = Command("attach", "type into a terminal that runs", run, "[NUMBER]")
