"""The title of a session: first the beginning of its prompt, then what a cheap model calls it.

The request for it stands beside the session: it is no part of its history, holds nothing up, is sent once, after the
first turn has ended well, and never again. What it used is in the log and is billed.
"""

import asyncio
import logging
import re
from collections.abc import Mapping
from contextlib import aclosing
from typing import Any, Final

from hd.agent.gate import Gate
from hd.errors import HdError, ModelUnavailable
from hd.ledger.budget import Sending
from hd.llm.base import Provider, ProviderError, Request
from hd.llm.providers import Providers
from hd.protocol import events as ev
from hd.protocol.events import Draft
from hd.protocol.messages import system_message, text_block, text_of, user_message
from hd.protocol.stream import Partial
from hd.protocol.tokens import tokens_of
from hd.session.live import LiveSession

_log = logging.getLogger(__name__)

MAX_TOKENS: Final = 48
LONGEST: Final = 60
"""Characters of a title."""
LONGEST_REPLY: Final = 200
"""A longer reply is no title but an answer."""
WAIT_S: Final = 30.0
PROMPT_SHOWN: Final = 2_000
ANSWER_SHOWN: Final = 1_000

SYSTEM: Final = (
    "You name conversations. Reply with a title of three to seven words for the one below, in the language of its "
    "request, as plain text: no quotes, no full stop, no Markdown. Do not answer the request."
)
_WRAPPING: Final = re.compile(
    r"^(?:title|标题)\s*[:：]\s*|^[\s#*_`\"'“”‘’«»「『]+|[\s*_`\"'“”‘’«»」』。.]+$", re.IGNORECASE
)


def plain_title(text: str) -> str:
    """`text` on one line, without what cannot be seen or drives a terminal; empty if nothing is left."""
    return " ".join("".join(c for c in text if c.isprintable() or c.isspace()).split())


def shortened(title: str) -> str:
    return title if len(title) <= LONGEST else title[: LONGEST - 1].rstrip() + "…"


def title_of_reply(reply: str) -> str | None:
    """The title in what a model replied; None where that is none."""
    line = plain_title(next((line for line in reply.splitlines() if line.strip()), ""))
    title = _WRAPPING.sub("", _WRAPPING.sub("", line))
    return shortened(title) if title and len(reply) <= LONGEST_REPLY else None


def first_exchange(session: LiveSession) -> tuple[str, str, int] | None:
    """The first prompt, the newest answer, and the seq of the prompt; None where nobody has asked anything."""
    entries = list(session.value("history").entries)
    asked = next((e for e in entries if (e.message.get("source") or {}).get("kind") == "user"), None)
    answers = (e for e in reversed(entries) if e.message.get("role") == "assistant")
    answered = next((text for e in answers if (text := text_of(e.message.get("content") or ()))), "")
    return None if asked is None else (text_of(asked.message.get("content") or ()), answered, asked.seq)


def request_of(model: str, prompt: str, answer: str) -> Request:
    shown = f"<request>\n{prompt[:PROMPT_SHOWN]}\n</request>\n<answer>\n{answer[:ANSWER_SHOWN]}\n</answer>"
    message = user_message([text_block(shown)], {"kind": "title-request"})
    return Request(model, [system_message(SYSTEM), message], effort="off", max_tokens=MAX_TOKENS)


class Titles:
    """Asks for titles, one task for each session."""

    def __init__(self, providers: Providers, gate: Gate, *, wanted: bool) -> None:
        self._wanted = wanted
        self._providers = providers
        self._gate = gate
        self._tasks: set[asyncio.Task[None]] = set()
        self._closed = False

    def want(self, wanted: bool) -> None:
        """Takes over the setting."""
        self._wanted = wanted

    def after_turn(self, session: LiveSession, turn: int, reason: Mapping[str, Any]) -> None:
        """Asks for a title, where one is due after the end of this turn; returns at once."""
        if turn != 1 or reason.get("kind") != "completed" or not self._wanted or self._closed:
            return
        if session.value("title").pinned:
            return
        try:
            provider, _ = self._providers.resolve(session.value("modelSelection").last_used or {})
        except ModelUnavailable:
            return
        exchange = first_exchange(session)
        if provider.title_model is None or exchange is None:
            return
        prompt, answer, seq = exchange
        request = request_of(provider.title_model, prompt, answer)
        session.holds.take()
        task = asyncio.create_task(self._give(session, provider, request, seq), name=f"title of {session.id}")
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        task.add_done_callback(lambda _: session.holds.let_go())

    async def _give(self, session: LiveSession, provider: Provider, request: Request, seq: int) -> None:
        """A name is worth no question: where a cap has no room for it there is none."""
        size = sum(tokens_of(message) for message in request.messages)
        sending = Sending(size, provider.id, request.model, answer=MAX_TOKENS)
        try:
            async with self._gate.passing(session, sending, asking=False):
                await _give(session, provider, request, seq)
        except HdError as error:
            _log.info("no title for %s: %s", session.id, error.message)

    async def close(self) -> None:
        self._closed = True
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)


async def _give(session: LiveSession, provider: Provider, request: Request, seq: int) -> None:
    route = {"provider": provider.id, "model": request.model}
    asked = {
        "titleProvider": "session-title-first-turn",
        "messageSeqs": [seq],
        "route": route,
        "system": SYSTEM,
        "messages": list(request.messages[1:]),
        "maxTokens": request.max_tokens,
    }
    session.record(Draft(ev.SESSION_TITLE_LLM_REQUEST, asked))
    partial, refused = Partial(), False
    try:
        async with asyncio.timeout(WAIT_S), aclosing(provider.stream(request)) as batches:
            async for chunks in batches:
                for chunk in chunks:
                    partial.feed(chunk)
    except (ProviderError, TimeoutError) as error:
        refused = isinstance(error, ProviderError) and not partial.blocks() and partial.usage is None
        _log.info("no title for %s: %s", session.id, error)
    except Exception:
        _log.exception("the title of %s failed", session.id)
    finally:
        if not session.holds.ended:
            pinned = session.value("title").pinned
            session.record(*outcome(partial, route, seq, pinned=pinned, refused=refused))
            session.save_projections()


def outcome(
    partial: Partial, route: Mapping[str, str], seq: int, *, pinned: bool, refused: bool = False
) -> list[Draft]:
    """What is recorded of a request that ended: what it used, and the title, unless a person was faster.

    Of one that was given up it is not known what it used, but it may be billed; one that was `refused` is not.
    """
    is_whole = partial.finish is not None
    used = {} if partial.usage is None else {"usage": partial.usage}
    drafts = [] if refused else [Draft(ev.SESSION_TITLE_LLM_USAGE, {**route, **used})]
    title = title_of_reply(text_of(partial.blocks())) if is_whole and not pinned else None
    if title is not None:
        source = {"kind": "provider", **route}
        drafts.append(Draft(ev.SESSION_TITLE, {"title": title, "messageSeqs": [seq], "source": source}))
    return drafts
