"""The differences that are allowed, each with its reason. What is not needed any more fails a test.

Three kinds: lines that a comparison may give (`NN: ` in front where they are allowed in that scenario only), rows of a
recording that hd rightly does not repeat, and things that the client does otherwise because hd waits for another
answer there.
"""

from collections.abc import Mapping
from typing import Any, Final

from tests.conformance.recorded import NEW, OLD

_OLD_CLIENTS = "0.1.5 clients read it there (DESIGN 5)"
_OWN = "hd's own, beside what the dialect has; clients skip what they do not know"
_CHAT = "hd speaks chat completions, whose answers carry no signatures to send back"
_TOKEN = "a login token may stand in the address, so nothing of it is kept or passed on"
_TOLD = "hd tells the model of it in its runtime context, which needs no place in the inbox"
_LAW_2 = "the system prompt and the tools of a session never change in hd (DESIGN 4, law 2)"
_NO_SANDBOX = "the official shell and file tools are in a sandbox that refuses by itself; hd asks the person first"
_FILE = "what the model is told of the file stands in the log (DESIGN 4, law 1)"
_CUT_OFF = "hd tells an answer that broke off from one that never came, for it was paid for"
_COMMAND = "a write that leaves the workspace is a command here"

_WAITED_FOR = "a command of hd ends with its call, so the model sees its end there and is not woken by it later"
_CATALOG = "0.2 has no such call; it tells of children in `subagentCatalog`"
_FAREWELL = "a daemon that stops ends its streams and says so, so that a client need not guess"

_BOTH: Final[dict[str, str]] = {
    "02: raw ['101', '8900', '8900'] instead of ['101', '8900', '8900', 'end']": (
        "a silent peer is given twenty seconds, for a pong queues behind its data on a slow link (hd.server.sockets)"
    ),
    "11: $events: after emit api-session/status true besides emit api-session/status false, "
    "emit api-session/status true": "a compaction is work: who waits for idle must not prompt into it",
    "13: session/search: ok instead of gateway/internal": "search is on in hd; it is off by default there",
    "16: $events: after emit api-session/activity besides waterfall approval/request": _NO_SANDBOX,
    "18: pluginInventory/list: status 404 instead of 200": "hd has no plugins",
    "18: session/canOpenWorkspacePath: status 404 instead of 200": "hd opens nothing on a desktop",
    "18: sessionReferenceResolver/candidates: status 404 instead of 200": "a prompt cannot refer to another session",
}
"""What clients of both versions meet."""

ALLOWED: Final[Mapping[str, str]] = _BOTH | {
    # HTTP
    "01: GET /: header cache-control: 'no-store' instead of ''": _TOKEN,
    "GET /: header referrer-policy: 'no-referrer' instead of ''": _TOKEN,
    "01: GET /index.html: header referrer-policy: 'no-referrer' instead of ''": _TOKEN,
    "01: HEAD /: header referrer-policy: 'no-referrer' instead of ''": _TOKEN,
    "20: GET /connect: header referrer-policy: 'no-referrer' instead of ''": _TOKEN,
    "01: GET /favicon.ico: header content-type: 'text/plain; charset=utf-8' instead of ''": "the text says what it is",
    "01: GET /some/client/route: header content-type: 'text/plain; charset=utf-8' instead of ''": (
        "the text says what it is"
    ),
    "01: session/list: header content-type: 'text/plain; charset=utf-8' instead of ''": "a refusal says what it is",
    "13: GET /api/session.export: header cache-control: 'no-store' instead of ''": "a log stays in no browser's cache",
    "13: HEAD /api/session.export: header cache-control: 'no-store' instead of ''": "a log stays in no browser's cache",
    # Answers to calls
    "03: directoryPicker/list: directory-picker/unreadable instead of gateway/internal": (
        "the code that the dialect has for it; the official server lets a missing folder fall through"
    ),
    "13: result session/modelCatalog.default.reasoningEffort: besides": "the effort that a new session starts with",
    "18: result agentPresets/list.presets[].name: besides": "0.1.5 clients show the name",
    "18: event agent/inbox/spliced<agent/inbox/spliced>.data.inserted[]<user>.content[]<file>.text: besides": _FILE,
    "18: event user/message<user/message>.data<user>.content[]<file>.text: besides": _FILE,
    # Control and projections
    "13: session/control: no frame of agentPreset": "hd has one preset, so selecting it changes nothing",
    "projections.asks: besides": _OWN,
    "projections.changes: besides": _OWN,
    "projections.completion: besides": _OWN,
    "projections.cost: besides": _OWN,
    "projections.budget: besides": _OWN,
    "projections.jobs: besides": _OWN,
    "projections.cache: besides": _OWN,
    "projections.sandbox: besides": _OWN,
    "projections.later: besides": _OWN,
    "projection asks: never seen": _OWN,
    "projection changes: never seen": _OWN,
    "projection completion: never seen": _OWN,
    "projection cost: never seen": _OWN,
    "projection budget: never seen": _OWN,
    "projection cache: never seen": _OWN,
    "projection sandbox: never seen": _OWN,
    "projection later: never seen": _OWN,
    "projection contextBreakdown.messageTokensByKind: besides": _OWN,
    "result session/modelCatalog.groups[].models[].contextWindow: besides": _OWN,
    "11: event compaction/summary<compaction/summary>.data.tokensBefore: besides": _OWN,
    "11: event compaction/summary<compaction/summary>.data.tokensAfter: besides": _OWN,
    "projection jobs: never seen": _OWN,
    "projection permissions.options: besides": _OLD_CLIENTS,
    "item session/control: 'queue' was never seen here": _OLD_CLIENTS,
    "item session/control<baseline>.value.queues: besides": _OLD_CLIENTS,
    "item session/control<baseline>.value.jobs: besides": _OLD_CLIENTS,
    # Notices
    "11: session/follow: after event step/end no event plan/mode": "plan mode ends with the call that ended it",
    "11: session/follow: after event tool/call besides event plan/mode": "plan mode ends with the call that ended it",
    "11: event compaction/start<compaction/start>.data.instruction: besides": (
        "what the model was asked for stands in the log (DESIGN 4, law 1)"
    ),
    # The model's side
    "chunk finish<finish>.replayState: missing": _CHAT,
    "event assistant/message<assistant/message>.data.message<assistant>.source<model>.replayState: missing": _CHAT,
    "chunk usage<usage>.usage.reasoningTokens: besides": "the dialect has it (WIRE 7.4)",
    "event assistant/message<assistant/message>.data.usage.reasoningTokens: besides": "the dialect has it (WIRE 7.4)",
    "11: event compaction/summary<compaction/summary>.data.usage.reasoningTokens: besides": (
        "the dialect has it (WIRE 7.4)"
    ),
    "08: chunk finish<finish>.reason<error>.failure.code: 'CUT_OFF' instead of 'TRANSPORT'": _CUT_OFF,
    "08: event llm/retry<llm/retry>.data.failure.code: 'CUT_OFF' instead of 'TRANSPORT'": _CUT_OFF,
    "08: event turn/end<turn/end>.data.reason<error>.error.code: 'CUT_OFF' instead of 'TRANSPORT'": _CUT_OFF,
    "session/follow: no event session-log-deepseek/delivery-accepted": "hd sends nobody the log",
    "session/follow: no event session/title-llm-request": "a title is the beginning of the first prompt",
    "event request/context<request/context>.data.systemPromptUpdate: missing": _LAW_2,
    "11: session/follow: after event step/start no event system/message": _LAW_2,
    "12: event request/header<request/header>.data.startsSeries: missing": _LAW_2,
    "11: session/follow: after event user/message of user no event request/header": _LAW_2,
    "12: session/follow: after event user/message of goal no event request/header": _LAW_2,
    # Tools
    "event tool/result<tool/result>.data.message<tool>.content[]: 'tool-result' was never seen here": (
        "existing clients join the rows by this block (DESIGN 5)"
    ),
    "event tool/result<tool/result>.data.meta.cmdId: besides": _OWN,
    "event tool/result<tool/result>.data.meta.command: besides": _OWN,
    "event tool/result<tool/result>.data.meta.durationMs: besides": _OWN,
    "event tool/result<tool/result>.data.meta.exitCode: besides": _OWN,
    "06: event todo/write<todo/write>.data.todos[].id: besides": _OWN,
    "06: event tool/result<tool/result>.data.error.code: 'FS_NOT_FOUND' instead of 'SEARCH_FAILED'": (
        "there the search program was missing, here the folder is"
    ),
    "session/follow: no event workspace/changes": "hd tells what each call changed, as undo/changed",
    "event user/message of the host<user/message>.data<user>.source: 'workspace-tree' was never seen here": (
        "clients show what the host tells the model as context, whatever its kind (CLIENT 1.6)"
    ),
    "event undo/changed: never seen": _OWN,
    "session/follow: event undo/changed besides": _OWN,
    "17: session/follow: after event job/registered besides event job/settled": _WAITED_FOR,
    "17: session/follow: after event turn/end completed no event job/settled": _WAITED_FOR,
    # Approvals, questions and plans
    "event approval/asked<approval/asked>.data.detail: besides": _OWN,
    "event approval/asked<approval/asked>.data.displayReason: besides": _OWN,
    "event approval/asked<approval/asked>.data.paths: besides": _OWN,
    "event approval/asked<approval/asked>.data.summary: besides": _OWN,
    "event approval/decided<approval/decided>.data.by: besides": _OWN,
    "waterfall approval/request<waterfall>.request.detail: besides": _OWN,
    "waterfall approval/request<waterfall>.request.paths: besides": _OWN,
    "waterfall approval/request<waterfall>.request.summary: besides": _OWN,
    "16: event tool/result<tool/result>.data.error.code: 'DENIED' instead of 'FS_SANDBOX_DENIED'": _NO_SANDBOX,
    "16: event tool/result<tool/result>.data.error.code: 'FS_OUTSIDE' instead of 'FS_SANDBOX_DENIED'": (
        "hd has no sandbox to name; its file tools stay in the workspace"
    ),
    "16: event tool/result<tool/result>.data.meta.diffs: missing": _COMMAND,
    "16: event tool/result<tool/result>.data.meta.operation: missing": _COMMAND,
    "16: event tool/result<tool/result>.data.meta.path: missing": _COMMAND,
    "16: session/follow: after event approval/decided besides event job/registered, event job/settled": _COMMAND,
    "16: session/follow: after event tool/call besides event approval/asked, event approval/decided": _NO_SANDBOX,
    "event question/asked: never seen": _OWN,
    "event question/decided: never seen": _OWN,
    "session/follow: event question/asked besides": _OWN,
    "session/follow: event question/decided besides": _OWN,
    "11: event agent/inbox/spliced<agent/inbox/spliced>.data.start: 0 instead of 1": _TOLD,
    "11: session/follow: no event agent/inbox/spliced next-step +0 -2": _TOLD,
    "11: session/follow: event agent/inbox/spliced next-step +0 -1 besides": _TOLD,
}

OLD_ALLOWED: Final[Mapping[str, str]] = _BOTH | {
    "13: session/fork: session/fork-unavailable instead of ok": "0.2 refuses a fork beyond the end of the log",
    "17: subagents/list: status 404 instead of 200": _CATALOG,
    "18: subagents/list: status 404 instead of 200": _CATALOG,
    "18: settings/update: settings/rejected instead of ok": "unknown settings are refused from 0.2 on",
    "19: $events: no emit api-session/added": (
        "the turn that the kill left open is closed before anybody is let in, so its session is not cold any more"
    ),
    "19: $events: no emit commands/change": "the commands of hd never change",
    "19: session/cancel: ok instead of session/not-found": "nothing runs in a cold session, as was asked for",
    "19: $events: end besides": _FAREWELL,
    "19: session/follow: after event turn/end completed besides end": _FAREWELL,
    "19: closed with (1001, 'the daemon stops') instead of (1006, '')": _FAREWELL,
}
"""What an older client meets, mostly because hd speaks the form of 0.2 (WIRE 14)."""

LISTS: Final = {NEW: ALLOWED, OLD: OLD_ALLOWED}

_TWICE = "the official servers take a repeated request again when it comes between claim and log; hd never does"
_NO_SUBAGENTS = "hd has no sub-agents yet"
_NEXT = "`next` from everybody leaves what is asked waiting in hd, so somebody has to end it (DESIGN 5)"
_NOBODY = {"kind": "rejected", "error": {"name": "UserQuestionError", "message": "nobody", "code": "NO_PROVIDER"}}

_PAID = "an answer that breaks off was paid for, so hd asks again twice and not five times (hd.llm.retry)"

LEFT_OUT: Final[Mapping[tuple[str, str, str], frozenset[int]]] = {
    (NEW, "04_text_turn", _TWICE): frozenset({150, 151, *range(181, 195), *range(196, 211)}),
    (OLD, "04_text_turn", _TWICE): frozenset({149, 150, 151, *range(180, 195), *range(196, 210)}),
    (NEW, "08_llm_errors", _PAID): frozenset(range(92, 125)),
    (OLD, "08_llm_errors", _PAID): frozenset(range(93, 148)),
    (NEW, "11_commands", _TOLD): frozenset({43, 61, 109, 182}),
    (OLD, "11_commands", _TOLD): frozenset({42, 61, 110, 181, 187}),
    (NEW, "13_models_search_fork_export", "a model that is not listed is taken, as 0.1.5 does: it may be new"): (
        frozenset({32, 33, 34, 36})
    ),
    (NEW, "17_jobs_subagents", _WAITED_FOR): frozenset(range(113, 146)),
    (NEW, "17_jobs_subagents", _NO_SUBAGENTS): frozenset({*range(146, 224), *range(225, 250), *range(252, 298)}),
    (OLD, "17_jobs_subagents", _WAITED_FOR): frozenset({79, *range(107, 142)}),
    (OLD, "17_jobs_subagents", _NO_SUBAGENTS): frozenset({*range(142, 221), *range(222, 289), *range(292, 300)}),
}
"""(version, scenario, why) → rows (by their `n`) that are not replayed or not to be shown."""

INSTEAD: Final[Mapping[tuple[str, str, int], tuple[Any, str]]] = {
    (NEW, "07_questions", 225): (_NOBODY, _NEXT),
    (OLD, "07_questions", 217): (_NOBODY, _NEXT),
    (NEW, "16_approval", 518): ({"kind": "result", "value": "nobody"}, _NEXT),
    (OLD, "16_approval", 491): ({"kind": "result", "value": "nobody"}, _NEXT),
}
"""(version, scenario, row of a `$events/result`) → the outcome that is sent in its place, and why."""


def entry(version: str, scenario: str, line: str) -> str | None:
    """The entry of the list that allows this line in this scenario."""
    allowed = LISTS[version]
    return next((known for known in (line, f"{scenario[:2]}: {line}") if known in allowed), None)


def left_out(version: str, scenario: str) -> frozenset[int]:
    """All rows of a scenario that count for nothing."""
    return frozenset().union(*(rows for (*where, _), rows in LEFT_OUT.items() if where == [version, scenario]))


def will_not_come(version: str, scenario: str) -> frozenset[str]:
    """The words that a replay must not wait for, because the list says that they are missing."""
    lines = [line.removeprefix(f"{scenario[:2]}: ") for line in LISTS[version]]
    missing = (line.partition(": no ") for line in lines)
    return frozenset(word for place, _, word in missing if place in ("session/follow", "$events") and word)
