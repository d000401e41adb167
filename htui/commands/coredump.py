"""`/coredump [TAG]`: what this program holds, in numbers and without content, for a report about its memory."""

from htui.commands import Command, CoreDump, Effect, Facts


def run(args: str, facts: Facts) -> Effect:
    return CoreDump(args)


COMMAND = Command("coredump", "what this program holds, in numbers, into a file", run, "[TAG]")
