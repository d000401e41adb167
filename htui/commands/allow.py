"""`/allow [always]`: allow once what waits for approval, or make the rule that its card offers."""

from htui.commands import Answer, Command, Effect, Facts, Say


def run(args: str, facts: Facts) -> Effect:
    if facts.ask is None or facts.ask.kind != "approval":
        return Say("Nothing waits for approval here.")
    if not facts.allowed:
        return Say("Read it to its end first: PgDn.", "warning")
    if args not in ("", "always"):
        return Say("/allow allows once, /allow always from now on. Nothing was allowed.", "warning")
    if args and not facts.ask.request.get("always"):
        return Say("The host makes no rule for this call. /allow allows it once.", "warning")
    return Answer(facts.ask, {"kind": "result", "value": "allowed-always" if args else "allowed-once"})


COMMAND = Command("allow", "allow once what waits", run, "[always]", exact=True)
