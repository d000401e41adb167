"""`/wsearch WORDS`: the sessions of all workspaces in which something was said."""

from htui.commands import OFFLINE, Command, Effect, Facts, FindSessions, Say


def run(args: str, facts: Facts) -> Effect:
    if not args:
        return Say("/wsearch needs words to look for.", "warning")
    return FindSessions(args, everywhere=True) if facts.online else OFFLINE


COMMAND = Command("wsearch", "sessions of all workspaces that say it", run, "WORDS")
