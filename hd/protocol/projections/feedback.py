"""What people think of single answers, by the id of the message. Private: `messageFeedback/*` gives it out."""

from collections.abc import Mapping
from typing import Any

from hd.protocol import events as ev
from hd.protocol.events import Event
from hd.protocol.projections.base import Projection

Feedback = Mapping[str, Mapping[str, Any]]


def _changed(state: Feedback, event: Event) -> Feedback:
    item, message_id = event.data.get("item"), str(event.data.get("messageId"))
    rest = {known: kept for known, kept in state.items() if known != message_id}
    return {**rest, message_id: item} if isinstance(item, Mapping) else rest


MESSAGE_FEEDBACK: Projection[Feedback] = Projection("messageFeedback", {}, {ev.MESSAGE_FEEDBACK: _changed})
