"""`agentPresets/*` (WIRE 10.4, 14)."""

from hd.protocol.endpoints.shape import Text, unary

ENDPOINTS = (
    unary("agentPresets/list"),
    unary("agentPresets/read", agentPreset=str),
    unary("agentPresets/select", agentId=Text, agentPreset=str),
)
