"""The envelope of unary calls (WIRE 3): what is a request, what is an answer, and the mistakes between."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import msgspec

from hd.protocol import codes


@dataclass(frozen=True, slots=True)
class Call:
    """A well-formed request: `rpc_id` is echoed, `args` are still unchecked."""

    rpc_id: str
    method: str
    args: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class WireError(Exception):
    """An error as it crosses the wire."""

    code: str
    message: str
    details: Mapping[str, Any]

    def to_wire(self) -> dict[str, Any]:
        """The message is one line, whatever it quotes of what a client sent; `details` repeat that exactly."""
        return {"code": self.code, "message": _one_line(self.message), "details": self.details}


def _one_line(text: str) -> str:
    if text.isprintable():
        return text
    return " ".join("".join(letter if letter.isprintable() else " " for letter in text).split())


INVALID_RPC_ID = "invalid-request"
"""Echoed where the request carried no usable id."""


def request(rpc_id: str, method: str, args: Mapping[str, Any]) -> bytes:
    body = {"type": "client-request", "rpcId": rpc_id, "method": method, "payload": {"args": args}}
    return msgspec.json.encode(body)


def rpc_id_of(body: object) -> str:
    found = body.get("rpcId") if isinstance(body, Mapping) else None
    return found if isinstance(found, str) else INVALID_RPC_ID


def parse_request(body: object, path_method: str) -> Call:
    """The call in a decoded body; raises `WireError` with the code that the dialect gives each mistake."""
    issues = _issues(body)
    if issues or not isinstance(body, Mapping):
        raise WireError(codes.BAD_REQUEST, "invalid client-request message", {"issues": issues})
    method = body["method"]
    if method != path_method:
        text = f'method "{method}" does not match endpoint "{path_method}"'
        raise WireError(codes.BAD_REQUEST, text, {"issues": []})
    payload = body["payload"]
    return Call(body["rpcId"], method, payload_args(payload))


def payload_args(payload: object) -> Mapping[str, Any]:
    """The `args` of a payload, which must be the only key of it."""
    args = payload.get("args") if isinstance(payload, Mapping) and len(payload) == 1 else None
    if not isinstance(args, Mapping):
        raise WireError(codes.INTERNAL, "the payload must hold exactly one object, `args`", {})
    return args


def _issues(body: object) -> list[dict[str, Any]]:
    if not isinstance(body, Mapping):
        return [{"code": "invalid_type", "expected": "object", "path": [], "message": "expected an object"}]
    issues: list[dict[str, Any]] = []
    if body.get("type") != "client-request":
        issues.append(
            {"code": "invalid_value", "values": ["client-request"], "path": ["type"], "message": "not a client-request"}
        )
    for key in ("rpcId", "method"):
        if not isinstance(body.get(key), str):
            issues.append({"code": "invalid_type", "expected": "string", "path": [key], "message": "expected text"})
    if "payload" not in body:
        issues.append({"code": "invalid_type", "expected": "object", "path": ["payload"], "message": "is missing"})
    return issues


def success(rpc_id: str, value: Any = msgspec.UNSET) -> bytes:
    """The answer of a call that worked; without `value` there is no `value` key (WIRE 3.1)."""
    result: dict[str, Any] = {"ok": True}
    if value is not msgspec.UNSET:
        result["value"] = value
    return msgspec.json.encode({"type": "server-response", "rpcId": rpc_id, "result": result})


def failure(rpc_id: str, error: WireError) -> bytes:
    result = {"ok": False, "error": error.to_wire()}
    return msgspec.json.encode({"type": "server-response", "rpcId": rpc_id, "result": result})


def parse_response(body: object, rpc_id: str) -> Any:
    """The value of an answer (None where it has none); raises `WireError` for an error answer.

    ValueError when the answer is not one to this call.
    """
    if not isinstance(body, Mapping) or body.get("type") != "server-response" or body.get("rpcId") != rpc_id:
        raise ValueError("the answer does not belong to this call")
    result = body.get("result")
    if not isinstance(result, Mapping) or not isinstance(result.get("ok"), bool):
        raise ValueError("the answer has no result")
    if result["ok"]:
        return result.get("value")
    raise wire_error(result.get("error"))


def wire_error(error: object) -> WireError:
    """A `WireError` out of whatever a host sent as one."""
    if not isinstance(error, Mapping):
        return WireError(codes.INTERNAL, "the host sent an error without text", {})
    details = error.get("details")
    return WireError(
        str(error.get("code") or codes.INTERNAL),
        str(error.get("message") or "the host sent an error without text"),
        details if isinstance(details, Mapping) else {},
    )
