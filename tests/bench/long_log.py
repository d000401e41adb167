"""A home with a session of many messages, recorded by the session room itself and not by hand."""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from hd.agent.history import HISTORY
from hd.agent.repeats import REPEATS
from hd.billing.cost import cost_projection
from hd.compose import now_ms
from hd.config.home import Home
from hd.ledger.cache import cache_projection
from hd.ledger.caps import BUDGET
from hd.permit.presets import DEFAULT_PRESET, facts, preset
from hd.prompt.guidance import GUIDANCE
from hd.prompt.tree import TREE
from hd.protocol import events as ev
from hd.protocol.events import Draft
from hd.protocol.messages import assistant_message, system_message, user_message
from hd.protocol.projections import DAEMON
from hd.session.hub import Hub
from hd.session.registry import Registry
from hd.session.store.sqlite import SqliteStore
from tests.bench.stage import Stage

MESSAGES: Final = 10_000
HOME: Final = "long"
"""The name of the home and of the workspace on a stage."""
TITLE: Final = "A long walk"
PROJECTIONS: Final = (
    *(*DAEMON, cost_projection(), BUDGET, cache_projection()),
    *(HISTORY, REPEATS, GUIDANCE, TREE),
)
"""Those of a daemon: with others kept, it would have to load the whole log before it shows anything."""
_ANSWER: Final = """The next step is number **{number}**. It changes two things:

- the list of *open* places, which is read by `walk()`
- the order in which they are visited

```python
for place in places[{number}:]:
    visit(place)
```
"""


def last_words(messages: int = MESSAGES) -> str:
    """A text of the last answer that stands in no other one."""
    return f"The next step is number {messages // 2}."


def drafts(turn: int) -> Iterator[Draft]:
    """One turn: a question and an answer."""
    where = {"turn": turn, "step": 1}
    question = user_message(
        [{"type": "text", "text": f"What is step {turn}?"}], {"kind": "user", "rpcId": f"bench-{turn}"}
    )
    answer = assistant_message(
        [{"type": "text", "text": _ANSWER.format(number=turn)}], "deepseek-official", "deepseek-v4-pro"
    )
    usage = {"inputTokens": 900, "outputTokens": 80, "cacheReadTokens": 800, "totalTokens": 1780}
    yield Draft(ev.TURN_START, {"turn": turn})
    yield Draft(ev.STEP_START, where)
    if turn == 1:
        yield Draft(ev.SYSTEM_MESSAGE, {**where, "message": system_message("You walk.")}, "append")
    yield Draft(ev.USER_MESSAGE, question, "append")
    yield Draft(ev.ASSISTANT_MESSAGE, {**where, "message": answer, "usage": usage}, "append")
    yield Draft(ev.STEP_END, where)
    yield Draft(ev.TURN_END, {"turn": turn, "reason": {"kind": "completed"}})


def recorded(stage: Stage, home: str = HOME, messages: int = MESSAGES) -> str:
    """The id of the session on this stage, recorded at the first call; no daemon may run on its home then."""
    known = stage.folder / f"{home}-session"
    if not known.exists():
        known.write_text(asyncio.run(make(stage.folder / home, stage.workspace(home), messages)))
    return known.read_text()


async def make(home: Path, workspace: Path, messages: int = MESSAGES) -> str:
    """Records the session into a home without a daemon; gives its id."""
    place = Home(home)
    place.prepare()
    store = await SqliteStore.open(place.database, clock=now_ms)
    try:
        row, _ = await store.create_workspace(str(workspace), workspace.name)
        registry = Registry(
            store, Hub(), projections=PROJECTIONS, clock=now_ms, announce=lambda _event, _arguments: None
        )
        made = await registry.create(cwd=str(workspace), opening=facts(preset(DEFAULT_PRESET)), workspace_id=row.id)
        async with registry.hold(made.id) as session:
            session.record(Draft(ev.SESSION_TITLE, {"title": TITLE, "source": {"kind": "user"}}))
            for turn in range(1, messages // 2 + 1):
                session.record(*drafts(turn))
                if turn % 100 == 0:
                    await session.written()
            session.save_projections()
        return made.id
    finally:
        await store.close()
