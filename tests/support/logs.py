"""Random logs for property tests: plausible ones, and ones that no daemon would write."""

from typing import Any

from hypothesis import strategies as st

from hd.protocol import events as ev
from hd.protocol.events import Event, Replace, Surface

TEXT = st.text(max_size=20)
IDS = st.sampled_from([f"id-{n}" for n in range(5)])
SMALL = st.integers(0, 4)
MODELS = st.sampled_from(["m", "n"])


def _text_block() -> st.SearchStrategy[dict[str, Any]]:
    return st.builds(lambda text: {"type": "text", "text": text}, TEXT)


def _file_block() -> st.SearchStrategy[dict[str, Any]]:
    attachment = {"attachmentId": "sha256:0", "name": "a.txt", "bytes": 1}
    return st.sampled_from(
        [{"type": "file", "attachment": attachment}, {"type": "file", "attachment": {}, "text": "x"}]
    )


def _blocks() -> st.SearchStrategy[list[dict[str, Any]]]:
    call = st.builds(
        lambda call_id, arguments: {"type": "tool-call", "id": call_id, "name": "grep", "arguments": arguments},
        IDS,
        st.sampled_from(["{}", '{"a":1}', "null", "[", ""]),
    )
    reasoning = st.builds(lambda text: {"type": "reasoning", "text": text}, TEXT)
    return st.lists(st.one_of(_text_block(), reasoning, call), max_size=4)


def _message(role: str, kind: str, **told: Any) -> st.SearchStrategy[dict[str, Any]]:
    return st.builds(
        lambda content, item, rpc: {
            "id": item,
            "role": role,
            "content": content,
            "source": {"kind": kind, **told, **({"rpcId": rpc} if kind == "user" else {})},
        },
        st.lists(st.one_of(_text_block(), _file_block()), max_size=2),
        IDS,
        IDS,
    )


def _round() -> st.SearchStrategy[dict[str, Any]]:
    return st.builds(
        lambda goal, number: {
            "id": "m",
            "role": "user",
            "content": [],
            "source": {"kind": "goal", "goalId": goal, "revision": 1, "round": number},
        },
        IDS,
        SMALL,
    )


def _result(call_id: str, text: str, *, flat: bool, is_error: bool) -> dict[str, Any]:
    if flat:
        return {"role": "tool", "toolCallId": call_id, "content": [{"type": "text", "text": text}], "isError": is_error}
    nested = {"type": "tool-result", "toolCallId": call_id, "content": [{"type": "text", "text": text}]}
    return {"role": "user", "source": {"kind": "tool", "callId": call_id}, "content": [nested]}


_USAGE = st.one_of(
    st.none(), st.fixed_dictionaries({"inputTokens": st.integers(0, 99), "outputTokens": st.integers(0, 99)})
)
_STREAM = st.sampled_from([[], [{"type": "text-chunks", "time0": 5, "index": 0, "dt": [], "texts": ["x"]}]])

_NODES = st.sampled_from(
    [
        None,
        {"kind": "file", "mode": 0o644, "blob": "aa", "size": 1},
        {"kind": "file", "mode": 0o755, "blob": "bb", "size": 2},
        {"kind": "file", "mode": 0o644, "size": 99},
        {"kind": "link", "mode": 0, "blob": "aa", "size": 1},
        {"kind": "directory", "mode": 0o755, "size": 0},
    ]
)
_PATHS = st.sampled_from(["a", "b", "d", "d/c"])

_DATA: dict[str, st.SearchStrategy[dict[str, Any]]] = {
    ev.AGENT_INBOX_SPLICED: st.builds(
        lambda target, start, removed, inserted: {
            "target": target,
            "start": start,
            "removedCount": removed,
            "inserted": inserted,
        },
        st.sampled_from(["next-turn", "next-step"]),
        st.integers(0, 2),
        st.integers(0, 2),
        st.lists(_message("user", "user"), max_size=2),
    ),
    ev.TURN_START: st.builds(lambda n: {"turn": n}, SMALL),
    ev.TURN_END: st.builds(
        lambda n, kind: {"turn": n, "reason": {"kind": kind}},
        SMALL,
        st.sampled_from(["completed", "aborted", "max-tokens", "error", "interrupted", "new-kind"]),
    ),
    ev.STEP_START: st.builds(lambda t, s: {"turn": t, "step": s}, SMALL, SMALL),
    ev.STEP_END: st.builds(lambda t, s: {"turn": t, "step": s}, SMALL, SMALL),
    ev.SYSTEM_MESSAGE: st.builds(lambda m: {"turn": 1, "step": 1, "message": m}, _message("system", "system-prompt")),
    ev.USER_MESSAGE: st.one_of(
        _message("user", "user"),
        _message("user", "runtime-context"),
        _round(),
        _message("user", "compact-checkpoint"),
        _message("user", "guidance", chunks=["lang_go"]),
        _message("user", "workspace-tree", form="snapshot", folders=[{"path": "", "names": ["a"], "whole": True}]),
        _message("user", "workspace-tree", form="changes", added={"": ["b"]}, removed={"": ["a"]}, folders=[]),
    ),
    ev.ASSISTANT_MESSAGE: st.builds(
        lambda content, usage, stream, cut: {
            "turn": 1,
            "step": 1,
            "message": {"role": "assistant", "content": content, "source": {"kind": "model"}, "id": "m"},
            "stream": stream,
            **({"usage": usage} if usage else {}),
            **({"interrupted": True} if cut else {}),
        },
        _blocks(),
        _USAGE,
        _STREAM,
        st.booleans(),
    ),
    ev.ASSISTANT_ATTEMPT: st.builds(lambda stream: {"turn": 1, "step": 1, "stream": stream}, _STREAM),
    ev.LLM_RETRY: st.just({"retry": 1, "maxRetries": 5, "delayMs": 500, "failure": {"message": "busy"}}),
    ev.LLM_RETRY_STARTED: st.just({"turn": 1, "step": 1, "retry": 1}),
    ev.LLM_WAITING: st.sampled_from(
        [
            {"reason": "limit", "sinceMs": 1, "untilMs": 9},
            {"reason": "queue", "sinceMs": 1},
            {"reason": "peak", "sinceMs": 1, "untilMs": 9},
            {"reason": None, "sinceMs": 1},
        ]
    ),
    ev.SESSION_TITLE_LLM_REQUEST: st.just({"messageSeqs": [1], "maxTokens": 48}),
    ev.SESSION_TITLE_LLM_USAGE: st.builds(
        lambda usage: {"provider": "p", "model": "m", **({"usage": usage} if usage else {})}, _USAGE
    ),
    ev.REQUEST_HEADER: st.builds(
        lambda model: {"header": {"config": {"provider": "p", "model": model}, "tools": []}}, MODELS
    ),
    ev.REQUEST_CONTEXT: st.builds(lambda n: {"provider": "p", "model": "m", "contextWindow": n}, SMALL),
    ev.TOOL_CALL: st.builds(lambda i: {"turn": 1, "step": 1, "callId": i, "name": "grep", "arguments": "{}"}, IDS),
    ev.TOOL_RESULT: st.builds(
        lambda i, text, flat, bad: {"turn": 1, "step": 1, "message": _result(i, text, flat=flat, is_error=bad)},
        IDS,
        TEXT,
        st.booleans(),
        st.booleans(),
    ),
    ev.APPROVAL_ASKED: st.builds(lambda i: {"id": i, "toolName": "x", "callId": i}, IDS),
    ev.APPROVAL_DECIDED: st.one_of(
        st.builds(lambda i: {"id": i, "outcome": "rejected"}, IDS),
        st.builds(lambda i: {"id": i, "outcome": "allowed-once", "rule": {"number": 1, "text": "`rm x`"}}, IDS),
        st.builds(lambda i: {"id": i, "outcome": "allowed-once", "ruleRefused": "full"}, IDS),
    ),
    ev.QUESTION_ASKED: st.builds(lambda i: {"id": i, "callId": i, "questions": []}, IDS),
    ev.QUESTION_DECIDED: st.builds(lambda i: {"id": i, "outcome": "answered"}, IDS),
    ev.APPROVAL_POLICY: st.just({"policy": "ask"}),
    ev.SANDBOX_MODE: st.just({"mode": "workspace-write"}),
    ev.PERMISSION_PRESET: st.builds(lambda p: {"preset": p}, st.sampled_from(["read-only", "workspace-write"])),
    ev.TODO_WRITE: st.builds(lambda text: {"todos": [{"content": text, "status": "pending"}]}, TEXT),
    ev.SUMMARY_WRITE: st.builds(lambda text: {"summary": text}, TEXT),
    ev.PROBLEMS_READ: st.builds(lambda n: {"errors": n, "command": "make"}, SMALL),
    ev.TASK_COMPLETE: st.just({}),
    ev.PROCESS_PAGE: st.builds(lambda i, port: {"jobId": i, "url": f"http://localhost:{port}/"}, IDS, SMALL),
    ev.PERMISSION_RULE: st.builds(
        lambda change, n: {"change": change, "rule": {"number": n, "text": "`rm x`"}, "callId": "id-0"},
        st.sampled_from(["made", "used", "forgotten"]),
        SMALL,
    ),
    ev.SANDBOX_HOLD: st.fixed_dictionaries(
        {},
        optional={
            "mode": st.sampled_from(["off", "read-only", "workspace-write", None, "odd"]),
            "network": st.sampled_from([True, False, None, "odd"]),
        },
    ),
    ev.PROCESS_LEFT: st.builds(lambda i: {"jobId": i, "exitCode": 0, "processes": [{"pid": 1}]}, IDS),
    ev.PROCESS_KEPT: st.builds(lambda i: {"jobId": i}, IDS),
    ev.LATER_HELD: st.builds(
        lambda i, at, more: {"id": i, "at": at, **more},
        IDS,
        SMALL,
        st.sampled_from([{}, {"text": "go on"}, {"text": "x", "pause": True}]),
    ),
    ev.LATER_TAKEN: st.builds(lambda i, how: {"id": i, "how": how}, IDS, st.sampled_from(["sent", "removed"])),
    ev.BUDGET_SET: st.fixed_dictionaries(
        {"amount": st.sampled_from(["0.5", "2", None, "much"])},
        optional={"scope": st.sampled_from(["turn", "odd"]), "turn": st.sampled_from([1, 2, None, "odd"])},
    ),
    ev.UNDO_CHANGED: st.builds(
        lambda turn, changes, said: {"turn": turn, "step": 1, "callId": "c", "changes": changes, **said},
        SMALL,
        st.lists(
            st.one_of(
                st.builds(lambda p, b, a: {"path": p, "before": b, "after": a}, _PATHS, _NODES, _NODES),
                st.builds(
                    lambda p, b, a: {"path": p, "before": b, "after": a, "added": 2, "removed": 1},
                    _PATHS,
                    _NODES,
                    _NODES,
                ),
            ),
            max_size=3,
        ),
        st.sampled_from(
            [
                {},
                {"uncovered": "It was too large."},
                {"by": "tool"},
                {"by": "command"},
                {"by": "beside", "during": "#3"},
            ]
        ),
    ),
    ev.UNDO_DONE: st.builds(
        lambda turn, operation, files, path: {
            "turn": turn,
            "operation": operation,
            "undoId": "u",
            "files": files,
            "refused": [{"path": path, "reason": "it has been changed since"}],
        },
        SMALL,
        st.sampled_from(["undo", "redo"]),
        st.lists(_PATHS, max_size=3),
        _PATHS,
    ),
    ev.UNDO_ACCEPTED: st.builds(
        lambda turn, files: {"turn": turn, "files": files}, SMALL, st.lists(_PATHS, max_size=2)
    ),
    ev.MODEL_SELECTION: st.builds(lambda m: {"provider": "p", "model": m}, MODELS),
    ev.SESSION_TITLE: st.builds(
        lambda t, k: {"title": t, "source": {"kind": k}}, TEXT, st.sampled_from(["user", "fallback"])
    ),
    ev.MESSAGE_FEEDBACK: st.builds(
        lambda i, item: {"messageId": i, "item": item}, IDS, st.sampled_from([None, {"rating": "positive"}])
    ),
    ev.PLAN_MODE: st.builds(lambda on: {"active": on}, st.booleans()),
    ev.AGENT_PRESET_SELECTED: st.just({"agentPreset": "standard"}),
    ev.GOAL_CHANGE: st.one_of(
        st.builds(
            lambda i, phase, rounds: {
                "operation": "edit",
                "goal": {"id": i, "revision": 1, "objective": "o", "phase": phase, "maxGoalRounds": 3},
                "roundsStarted": rounds,
                "createdAt": 1,
                "updatedAt": 2,
            },
            IDS,
            st.sampled_from(["active", "paused", "blocked", "complete"]),
            SMALL,
        ),
        st.builds(lambda i: {"operation": "clear", "cleared": {"id": i, "revision": 2}}, IDS),
    ),
    ev.COMMAND_RUN: st.builds(
        lambda i, args: {"commandId": i, "name": "goal", "args": args, "source": {"kind": "user"}}, IDS, TEXT
    ),
    ev.COMMAND_DONE: st.builds(
        lambda i, kind, text: {"commandId": i, "kind": kind, "text": text},
        IDS,
        st.sampled_from(["success", "error"]),
        TEXT,
    ),
    ev.JOB_REGISTERED: st.builds(lambda i: {"jobId": i, "kind": "bash", "label": "ls", "startedAt": 1}, IDS),
    ev.JOB_SETTLED: st.builds(lambda i: {"jobId": i, "status": "completed", "finishedAt": 2}, IDS),
    ev.COMPACTION_START: st.builds(lambda i: {"compactionId": i, "sourceCommandId": i, "turn": None}, IDS),
    ev.COMPACTION_END: st.builds(
        lambda i, by, error: {"compactionId": i, "turn": None, **by, **error},
        IDS,
        st.sampled_from([{}, {"sourceCommandId": "c"}]),
        st.sampled_from([{}, {"error": {"message": "no", "code": "SUMMARY_UNUSABLE"}, "again": True}]),
    ),
    ev.COMPACTION_PRUNE: st.builds(
        lambda i, seqs, text, gone: {
            "compactionId": i,
            "turn": 1,
            "shadowedTokenCount": gone,
            "results": [{"seq": seq, "text": text} for seq in seqs],
        },
        IDS,
        st.lists(st.integers(0, 40), max_size=3, unique=True),
        TEXT,
        st.integers(0, 99),
    ),
    ev.COMPACTION_SUMMARY: st.builds(lambda n: {"shadowedTokenCount": n}, st.integers(0, 99)),
    ev.SESSION_END_SEED: st.sampled_from([{}, {"inherited": True}]),
    "somebody/elses": st.just({"what": "ever"}),
}

_APPENDED = {ev.SYSTEM_MESSAGE, ev.USER_MESSAGE, ev.ASSISTANT_MESSAGE, ev.TOOL_RESULT}


@st.composite
def random_logs(draw: st.DrawFn, max_size: int = 40) -> list[Event]:
    """Dense logs of arbitrary known events in arbitrary order."""
    kinds = draw(st.lists(st.sampled_from(sorted(_DATA)), max_size=max_size))
    log = []
    for seq, kind in enumerate(kinds):
        surface: Surface | None = "append" if kind in _APPENDED else None
        if kind == ev.USER_MESSAGE and seq and draw(st.integers(0, 9)) == 0:
            start = draw(st.integers(0, seq - 1))
            surface = Replace(start, draw(st.integers(start, seq - 1)))
        log.append(Event(kind, seq, 1000 + seq, draw(_DATA[kind]), surface, (), kind == "somebody/elses"))
    return log
