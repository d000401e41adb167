"""`/ws`: another workspace."""

from htui.commands import Command, Effect, Facts, Go


def run(args: str, facts: Facts) -> Effect:
    return Go("workspaces")


COMMAND = Command("ws", "choose a workspace", run)
