"""`/cancel`: stop the running turn; what waits in the queue stays there."""

from htui.commands import NO_SESSION, OFFLINE, Call, Command, Effect, Facts, Say


def run(args: str, facts: Facts) -> Effect:
    if facts.session_id is None:
        return NO_SESSION
    if not facts.online:
        return OFFLINE
    if not facts.running:
        return Say("Nothing runs here.")
    request = {"sessionId": facts.session_id}
    return Call("session/cancel", {"request": request}, "Stopping · waiting for the host")


COMMAND = Command("cancel", "stop the running turn", run)
