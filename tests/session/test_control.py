"""What a reader of the live state of all sessions is sent, and what it is spared."""

from contextlib import aclosing
from typing import Any

import msgspec

from hd.session.hub import ControlFollower


def values(items: list[bytes]) -> list[tuple[str, str, Any]]:
    decoded = [msgspec.json.decode(item) for item in items]
    return [(item["sessionId"], item["key"], item["value"]) for item in decoded]


async def test_a_value_that_stayed_the_same_is_not_sent_again() -> None:
    follower = ControlFollower()
    async with aclosing(follower.batches()) as batches:
        follower.push("s", "turnOutline", 1, lambda: ["a"])
        assert values(await anext(batches)) == [("s", "turnOutline", ["a"])]
        follower.push("s", "turnOutline", 2, lambda: ["a"])
        follower.push("t", "turnOutline", 3, lambda: ["a"])
        assert values(await anext(batches)) == [("t", "turnOutline", ["a"])]
        follower.push("s", "turnOutline", 4, lambda: ["a", "b"])
        assert values(await anext(batches)) == [("s", "turnOutline", ["a", "b"])]
        follower.push("s", "turnOutline", 5, lambda: ["a"])
        assert values(await anext(batches)) == [("s", "turnOutline", ["a"])]
