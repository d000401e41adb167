"""`/model`: which model answers from the next request on."""

from collections.abc import Iterator, Mapping
from typing import Any

from htui.commands import NO_SESSION, OFFLINE, Call, Command, Confirm, Effect, Facts, Say, Show
from htui.present.context import too_large, window_of


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
    return select(facts, provider, model, words[1] if len(words) > 1 else "")


def select(facts: Facts, provider: str, model: str, effort: str) -> Effect:
    """The choice of a model; asked for first where the conversation is too large for it (case G07)."""
    request = {"sessionId": facts.session_id, "provider": provider, "model": model}
    if effort:
        request["reasoningEffort"] = effort
    call = Call(
        "session/selectModel", {"request": request}, f"Next request: {' · '.join(filter(None, (model, effort)))}"
    )
    title = too_large(facts.pressure, window_of(facts.catalogue, provider, model))
    return Confirm(title, "Switch and sum up the older part", "Stay with the model in use", call) if title else call


def _models(catalogue: Mapping[str, Any] | None) -> Iterator[tuple[str, str]]:
    for group in (catalogue or {}).get("groups") or ():
        for model in group.get("models") or ():
            yield str(group.get("id")), str(model.get("id"))


COMMAND = Command("model", "choose the model", run, "[[PROVIDER] MODEL [EFFORT]]")
