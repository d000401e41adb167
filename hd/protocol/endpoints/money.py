"""`money/*`: what all sessions cost, and why. Of our own."""

from hd.protocol.endpoints.shape import SessionRequest, unary

ENDPOINTS = (
    unary("money/explain", request=SessionRequest),
    unary("money/summary"),
)
