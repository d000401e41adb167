"""`/allow`: allow once what waits for approval."""

from htui.commands import Answer, Command, Effect, Facts, Say


def run(args: str, facts: Facts) -> Effect:
    if facts.ask is None or facts.ask.kind != "approval":
        return Say("Nothing waits for approval here.")
    if not facts.allowed:
        return Say("Read it to its end first: PgDn.", "warning")
    return Answer(facts.ask, {"kind": "result", "value": "allowed-once"})


COMMAND = Command("allow", "allow once what waits", run, exact=True)
