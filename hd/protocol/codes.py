"""Error codes of the wire (WIRE 3.3 and 11)."""

from typing import Final

BAD_REQUEST: Final = "gateway/bad-request"
INTERNAL: Final = "gateway/internal"
ARGUMENTS_INVALID: Final = "gateway/arguments-invalid"
INPUT_INVALID: Final = "gateway/input-invalid"
SIGNATURE_INVALID: Final = "gateway/signature-invalid"
INVOCATION_UNAVAILABLE: Final = "gateway/invocation-unavailable"
CANCELLED: Final = "gateway/cancelled"

SESSION_NOT_FOUND: Final = "session/not-found"
SESSION_CONFLICT: Final = "session/conflict"
SESSION_AGENT_BUSY: Final = "session/agent-busy"
SESSION_MODEL_UNAVAILABLE: Final = "session/model-unavailable"
SESSION_QUEUE_ITEM_NOT_FOUND: Final = "session/queue-item-not-found"
SESSION_STEER_UNAVAILABLE: Final = "session/steer-unavailable"
SESSION_TITLE_INVALID: Final = "session/title-invalid"
SESSION_INVALID_TIME_ZONE: Final = "session/invalid-time-zone"
SESSION_ATTACHMENT_INVALID: Final = "session/attachment-invalid"
WORKSPACE_NOT_FOUND: Final = "workspace/not-found"
WORKSPACE_INVALID_PATH: Final = "workspace/invalid-path"

# Ours.
FOLLOWER_LAGGING: Final = "session/follower-lagging"
STORE_FULL: Final = "store/full"
STORE_DAMAGED: Final = "store/damaged"
