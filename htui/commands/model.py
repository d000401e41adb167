"""`/model`: which model answers from the next request on."""

from collections.abc import Iterator, Mapping
from typing import Any

from htui.commands import NO_SESSION, OFFLINE, Call, Command, Effect, Facts, Say, Show


def run(args: str, facts: Facts) -> Effect:
    if facts.session_id is None:
        return NO_SESSION
    if not facts.online:
        return OFFLINE
    words = args.split()
    if not words:
        return Show("model") if facts.catalogue else Say("The host did not tell its models.", "warning")
    found = [(provider, model) for provider, model in _models(facts.catalogue) if words[0] in (provider, model)]
    if words[0] not in (model for _, model in found) and len(words) > 1:
        found = [pair for pair in found if pair[1] == words[1]]
        words = words[1:]
    if len(found) != 1:
        return Say(f"There is no one model {words[0]}. /model lists them.", "warning")
    provider, model = found[0]
    request = {"sessionId": facts.session_id, "provider": provider, "model": model}
    if len(words) > 1:
        request["reasoningEffort"] = words[1]
    return Call("session/selectModel", {"request": request}, f"Next request: {model}")


def _models(catalogue: Mapping[str, Any] | None) -> Iterator[tuple[str, str]]:
    for group in (catalogue or {}).get("groups") or ():
        for model in group.get("models") or ():
            yield str(group.get("id")), str(model.get("id"))


COMMAND = Command("model", "choose the model", run, "[[PROVIDER] MODEL [EFFORT]]")
