"""`/search WORDS`: where in this conversation something was said, older pages included."""

from htui.commands import NO_SESSION, OFFLINE, Command, Effect, Facts, Find, Say


def run(args: str, facts: Facts) -> Effect:
    if facts.session_id is None:
        return NO_SESSION
    if not args:
        return Say("/search needs words to look for.", "warning")
    return Find(args) if facts.online else OFFLINE


COMMAND = Command("search", "where in this session it was said", run, "WORDS")
