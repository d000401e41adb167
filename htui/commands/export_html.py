"""`/export-html [FILE]`: the conversation as a page that needs nothing else."""

from htui.commands import NO_SESSION, OFFLINE, Command, Effect, ExportPage, Facts


def run(args: str, facts: Facts) -> Effect:
    if facts.session_id is None:
        return NO_SESSION
    return ExportPage(args) if facts.online else OFFLINE


COMMAND = Command("export-html", "the session as a page in a file", run, "[FILE]")
