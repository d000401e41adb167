"""`/ssearch WORDS`: the sessions of this workspace in which something was said."""

from htui.commands import OFFLINE, Command, Effect, Facts, FindSessions, Say


def run(args: str, facts: Facts) -> Effect:
    if not args:
        return Say("/ssearch needs words to look for.", "warning")
    return FindSessions(args) if facts.online else OFFLINE


COMMAND = Command("ssearch", "sessions of this workspace that say it", run, "WORDS")
