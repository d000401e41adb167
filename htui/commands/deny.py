"""`/deny`: deny what waits for approval."""

from htui.commands import Answer, Command, Effect, Facts, Say


def run(args: str, facts: Facts) -> Effect:
    if facts.ask is None or facts.ask.kind != "approval":
        return Say("Nothing waits for approval here.")
    return Answer(facts.ask, {"kind": "result", "value": "rejected"})


COMMAND = Command("deny", "deny what waits", run, exact=True)
