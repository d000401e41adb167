"""`/quit`: leave. A running turn goes on at the host."""

from htui.commands import Command, Effect, Facts, Leave


def run(args: str, facts: Facts) -> Effect:
    return Leave()


COMMAND = Command("quit", "leave; what runs goes on", run, exact=True)
