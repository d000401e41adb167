"""`commands/*`: the host's slash commands (WIRE 10.2)."""

from typing import Any

from hd.protocol.endpoints.shape import Text, unary

ENDPOINTS = (
    unary("commands/execute", agentId=Text, line=str, submittedAttachments=list[dict[str, Any]]),
    unary("commands/list", agentId=Text),
)
