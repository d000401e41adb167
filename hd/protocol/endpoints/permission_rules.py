"""`permissionRules/*`: what a person lets run unasked in the workspace of a session. Of our own."""

from typing import Literal, NotRequired

from typing_extensions import TypedDict

from hd.protocol.endpoints.shape import Count, SessionRequest, Text, unary


class AllowRequest(TypedDict):
    """A command word for word, or with `...` as its last word for any further arguments; `use` is `command` unless
    given."""

    sessionId: Text
    command: Text
    use: NotRequired[Literal["command", "terminal", "outside"]]


class ForgetRequest(TypedDict):
    sessionId: Text
    number: Count


ENDPOINTS = (
    unary("permissionRules/allow", request=AllowRequest),
    unary("permissionRules/forget", request=ForgetRequest),
    unary("permissionRules/list", request=SessionRequest),
)
