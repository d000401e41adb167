"""What counts as a title, and what is recorded of the request for one."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hd.agent.title import LONGEST, outcome, plain_title, title_of_reply
from hd.protocol import events as ev
from hd.protocol.stream import Partial

ROUTE = {"provider": "deepseek-official", "model": "deepseek-flash"}
USAGE = {"inputTokens": 9, "outputTokens": 4}


@pytest.mark.parametrize(
    ("reply", "title"),
    [
        ("Fix the login page", "Fix the login page"),
        ('\n"Fix the login page."\n', "Fix the login page"),
        ("# **Title: Fix the `login` page**", "Fix the `login` page"),
        ("标题:修复登录页", "修复登录页"),
        ("「修复登录页」。", "修复登录页"),
        ("Red \x1b[31mtext\x07 \u202ehere", "Red [31mtext here"),
        ("Long " * 20, "Long " * 11 + "Long…"),
        ("", None),
        ('"…"', "…"),
        ("***", None),
        ("I would start by reading the file. " * 20, None),
    ],
)
def test_a_reply_becomes_a_title_or_none(reply: str, title: str | None) -> None:
    assert title_of_reply(reply) == title


@given(st.text(max_size=300))
def test_no_title_drives_a_terminal_or_has_two_lines(text: str) -> None:
    title = title_of_reply(text)
    assert title is None or (title.isprintable() and 0 < len(title) <= LONGEST)
    assert plain_title(text).isprintable()


def partial_of(text: str, *, whole: bool = True) -> Partial:
    partial = Partial()
    partial.feed({"type": "text-delta", "index": 0, "text": text})
    partial.feed({"type": "usage", "usage": USAGE})
    if whole:
        partial.feed({"type": "finish", "reason": {"kind": "stop"}})
    return partial


@pytest.mark.parametrize(
    ("partial", "pinned", "types"),
    [
        (partial_of("A name"), False, [ev.SESSION_TITLE_LLM_USAGE, ev.SESSION_TITLE]),
        (partial_of("A name"), True, [ev.SESSION_TITLE_LLM_USAGE]),
        (partial_of(" "), False, [ev.SESSION_TITLE_LLM_USAGE]),
        (partial_of("A na", whole=False), False, [ev.SESSION_TITLE_LLM_USAGE]),
        (Partial(), False, [ev.SESSION_TITLE_LLM_USAGE]),
    ],
)
def test_what_was_used_is_recorded_whatever_came_of_it(partial: Partial, pinned: bool, types: list[str]) -> None:
    drafts = outcome(partial, ROUTE, 7, pinned=pinned)
    assert [draft.type for draft in drafts] == types
    assert drafts[0].data.get("usage") == partial.usage
    assert outcome(Partial(), ROUTE, 7, pinned=pinned, refused=True) == []
