"""`/allow [always|AMOUNT]`: allow once what waits for approval, make the rule that its card offers, or raise a cap."""

from htui.commands import OFFLINE, Answer, Command, Effect, Execute, Facts, Say


def run(args: str, facts: Facts) -> Effect:
    if args.lstrip("¥ ")[:1].isdecimal():
        return OFFLINE if not facts.online else Execute(f"/allow {args}")
    if facts.ask is None or facts.ask.kind != "approval":
        return Say("Nothing waits for approval here.")
    if not facts.allowed:
        return Say("Read it to its end first: PgDn.", "warning")
    if args not in ("", "always"):
        usage = "/allow allows once, /allow always from now on, /allow 2 lets the session cost 2 CNY more."
        return Say(f"{usage} Nothing was allowed.", "warning")
    if args and not facts.ask.request.get("always"):
        return Say("The host makes no rule for this call. /allow allows it once.", "warning")
    return Answer(facts.ask, {"kind": "result", "value": "allowed-always" if args else "allowed-once"})


COMMAND = Command("allow", "allow once what waits, or let it cost more", run, "[always|AMOUNT]", exact=True)
