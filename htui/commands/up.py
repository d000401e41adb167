"""`/up`: a page back, for keyboards without PgUp (case J12)."""

from htui.commands import Command, Effect, Facts, Scroll


def run(args: str, facts: Facts) -> Effect:
    return Scroll(-max(1, int(args))) if args.isdecimal() else Scroll(-1)


COMMAND = Command("up", "a page back", run, "[PAGES]")
