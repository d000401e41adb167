"""`/export-html [FILE]`: the conversation as a page that needs nothing else."""

from htui.commands import Command, Effect, ExportPage, Facts, unreadable


def run(args: str, facts: Facts) -> Effect:
    return unreadable(facts) or ExportPage(args)


COMMAND = Command("export-html", "the session as a page in a file", run, "[FILE]")
