"""Identifiers. A session id is `session-<uuid>`; every other id is a bare uuid."""

from uuid import uuid4


def new_session_id() -> str:
    return f"session-{uuid4()}"


def new_id() -> str:
    return str(uuid4())
