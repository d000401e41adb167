"""Whether a session may spend what its next request is expected to cost."""

from hd.ledger.budget import Refusal, refusal
from hd.session.live import LiveSession


def over_budget(session: LiveSession) -> Refusal | None:
    """Why the next request to the model of the last one is not sent; None where it may be."""
    chosen = session.value("modelSelection").last_used or {}
    size = session.value("contextPressure").projected
    route = (str(chosen.get("provider")), str(chosen.get("model")))
    return refusal(session.value("cost"), session.value("budget"), size=size, route=route, now=session.now())
