"""`/copy`: a screen that stands still for the terminal's own selection, or the source of what was said."""

from htui.commands import Command, Copy, Effect, Facts, Say


def run(args: str, facts: Facts) -> Effect:
    words = args.lower().split()
    if not words:
        return Copy("screen")
    what, *rest = words
    if what.isdecimal() and not rest:
        return Copy("answer", max(1, int(what)))
    if what == "code" and (not rest or (len(rest) == 1 and rest[0].isdecimal())):
        return Copy("code", max(1, int(rest[0])) if rest else 1)
    return Say("/copy holds the screen for selecting; /copy 1 takes the last answer, /copy code the last code block.")


COMMAND = Command("copy", "hold the screen, or copy an answer or code", run, "[N | code [N]]")
"""`N` counts from the end: 1 is the last."""
