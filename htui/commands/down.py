"""`/down`: a page forward, for keyboards without PgDn (case J12)."""

from htui.commands import Command, Effect, Facts, Scroll


def run(args: str, facts: Facts) -> Effect:
    return Scroll(max(1, int(args))) if args.isdecimal() else Scroll(1)


COMMAND = Command("down", "a page forward", run, "[PAGES]")
