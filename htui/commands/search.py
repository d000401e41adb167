"""`/search WORDS`: where in this conversation something was said, older pages included."""

from htui.commands import Command, Effect, Facts, Find, Say, unreadable


def run(args: str, facts: Facts) -> Effect:
    if not args:
        return Say("/search needs words to look for.", "warning")
    return unreadable(facts) or Find(args)


COMMAND = Command("search", "where in this session it was said", run, "WORDS")
