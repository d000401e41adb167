"""What an undo may touch, over every mixture of what was there, what the agent left and what is there now."""

from hypothesis import given
from hypothesis import strategies as st

from hd.protocol import events as ev
from hd.protocol.events import Event
from hd.protocol.projections.changes import CHANGES, Change, Changes, Node, rows, touched
from hd.undo.plan import LET_GO, TOO_LARGE, Operation, Step, ends, ordered, plan
from hd.undo.recover import found

FILE, OTHER = Node("file", 0o644, "aa", 1), Node("file", 0o644, "bb", 2)
RUN, LARGE = Node("file", 0o755, "aa", 1), Node("file", 0o644, "", 1 << 40)
LINK, FOLDER = Node("link", 0, "aa", 1), Node("directory", 0o755)
NODES = st.sampled_from([None, FILE, OTHER, RUN, LARGE, LINK, FOLDER])
OPERATIONS: st.SearchStrategy[Operation] = st.sampled_from(["undo", "redo"])


def beside(state: Changes, *changes: Change, during: str = "#3") -> Changes:
    body = {"turn": 1, "step": 1, "by": "beside", "during": during, "changes": [change.to_wire() for change in changes]}
    return CHANGES.apply(state, Event(ev.UNDO_CHANGED, 0, 0, body))


def folded(*changes: Change, turn: int = 1, state: Changes = CHANGES.initial) -> Changes:
    body = {"turn": turn, "step": 1, "callId": "c", "changes": [change.to_wire() for change in changes]}
    return CHANGES.apply(state, Event(ev.UNDO_CHANGED, 0, 0, body))


def marked(state: Changes, operation: str, *files: str, turn: int = 1) -> Changes:
    body = {"turn": turn, "operation": operation, "undoId": "u", "files": list(files), "refused": []}
    return CHANGES.apply(state, Event(ev.UNDO_DONE, 0, 0, body))


@given(before=NODES, after=NODES, now=NODES, operation=OPERATIONS, kept=st.booleans())
def test_only_what_stands_as_it_was_left_is_touched(
    before: Node | None, after: Node | None, now: Node | None, operation: Operation, kept: bool
) -> None:
    state = folded(Change("a", before, after))
    if operation == "redo":
        state = marked(state, "undo", "a")
    (turn,) = state.turns
    made = plan(state, turn, operation, (), {"a": now}, lambda blob: kept)
    if not turn.files:
        assert before == after
        return
    start, goal = ends(turn.files["a"].change, operation)
    assert len(made.steps) + len(made.already) + len(made.refused) == 1
    if made.steps:
        assert now == start != LARGE
        assert made.steps == (Step("a", now, goal),)
        assert kept or goal is None or goal == FOLDER
    elif made.already:
        assert now == goal
    elif now == start and LARGE not in (start, goal):
        assert made.refused[0].reason == LET_GO


def test_the_reason_names_what_happened_since() -> None:
    state = folded(Change("a", FILE, OTHER), Change("b", None, RUN), Change("c", LARGE, LARGE), Change("d", None, FILE))
    state = folded(Change("d", FILE, OTHER), turn=2, state=state)
    now = {"a": None, "b": FILE, "c": LARGE, "d": OTHER}
    made = plan(state, state.turns[0], "undo", (), now, lambda blob: True)
    reasons = {one.path: one.reason for one in made.refused}
    assert "removed since" in reasons["a"]
    assert "mode" in reasons["b"]
    assert "0755 to 0644" in reasons["b"]
    assert reasons["c"] == TOO_LARGE
    assert "turn 2" in reasons["d"]


def test_changes_of_one_path_are_one_and_another_hand_in_between_is_seen() -> None:
    state = folded(Change("a", FILE, OTHER))
    assert folded(Change("a", OTHER, FILE), state=state).turns[0].files == {}
    joined = folded(Change("a", OTHER, RUN), state=state).turns[0].files["a"]
    assert (joined.change.before, joined.change.after, joined.between) == (FILE, RUN, None)
    broken = folded(Change("a", RUN, LINK), state=state).turns[0].files["a"]
    assert broken.between == (OTHER, RUN)
    (turn,) = folded(Change("a", RUN, LINK), state=state).turns
    (refused,) = plan(state, turn, "undo", (), {"a": LINK}, lambda blob: True).refused
    assert (refused.ours, refused.theirs) == (OTHER, RUN)


def test_what_was_moved_goes_back_as_one() -> None:
    state = folded(Change("old", FILE, None), Change("new", None, FILE), Change("more", None, OTHER))
    (turn,) = state.turns
    assert [(row["path"], row["what"], row.get("from")) for row in rows(turn)] == [
        ("new", "moved", "old"),
        ("more", "created", None),
    ]
    made = plan(state, turn, "undo", ["new"], {"new": FILE}, lambda blob: True)
    assert {step.path for step in made.steps} == {"old", "new"}


def test_the_list_that_a_summary_is_held_against() -> None:
    state = folded(Change("a", FILE, OTHER), Change("b", None, FILE))
    assert touched(CHANGES.initial) == frozenset()
    assert touched(state) == {"a", "b"}
    assert touched(marked(state, "undo", "a")) == {"b"}
    said = {"turn": 1, "changes": [], "uncovered": "It was too large."}
    assert touched(CHANGES.apply(state, Event(ev.UNDO_CHANGED, 0, 0, said))) is None


def test_the_latest_undo_is_the_one_to_be_done_again() -> None:
    state = folded(Change("a", None, FILE))
    state = folded(Change("b", None, FILE), turn=2, state=state)
    state = marked(marked(state, "undo", "b", turn=2), "undo", "a")
    assert state.last_undone == 1
    state = marked(state, "redo", "a")
    assert state.last_undone == 2
    assert marked(state, "redo", "b", turn=2).last_undone is None


def standing(drawn: dict[str, Node | None]) -> dict[str, Node]:
    """A tree that a disk can hold: what has no folder above it is left out."""
    tree: dict[str, Node] = {}
    for path, node in sorted(drawn.items()):
        above = path.rpartition("/")[0]
        if node is not None and (not above or tree.get(above) == FOLDER):
            tree[path] = node
    return tree


TREES = st.dictionaries(st.sampled_from(["d", "d/e", "d/e/f", "d/g", "x"]), NODES).map(standing)


@given(now=TREES, goal=TREES)
def test_steps_are_in_an_order_that_a_disk_can_follow(now: dict[str, Node], goal: dict[str, Node]) -> None:
    names = {path for path in {*now, *goal} if now.get(path) != goal.get(path)}
    disk = dict(now)
    for step in ordered([Step(path, now.get(path), goal.get(path)) for path in names]):
        holds = [path for path in disk if path.startswith(f"{step.path}/")]
        above = step.path.rpartition("/")[0]
        if disk.get(step.path) == FOLDER and step.goal != FOLDER:
            assert holds == []
        if step.goal is None:
            del disk[step.path]
        else:
            assert not above or disk.get(above) == FOLDER
            disk[step.path] = step.goal
    assert disk == goal


@given(before=NODES, after=NODES, now=NODES)
def test_after_a_kill_only_what_is_certain_is_told(before: Node | None, after: Node | None, now: Node | None) -> None:
    seen = found([Change("a", before, after)], {"a": now})
    if seen.made:
        assert seen.made[0] == Change("a", before, now)
        assert now == after
    if not seen.made and not seen.unclear:
        assert now == before
    unknown_mode = found([Change("a", None, Node("file", -1, "aa", 1))], {"a": RUN})
    assert unknown_mode.made == (Change("a", None, RUN),)


def test_what_changed_beside_the_agent_is_only_undone_by_name() -> None:
    state = beside(folded(Change("a", FILE, OTHER)), Change("b", FILE, RUN), Change("d", None, FOLDER))
    now = {"a": OTHER, "b": RUN, "d": FOLDER}
    (turn,) = state.turns
    made = plan(state, turn, "undo", (), now, lambda blob: True)
    assert ([step.path for step in made.steps], made.beside, made.refused) == (["a"], ("b", "d"), ())
    made = plan(state, turn, "undo", ["b", "d"], now, lambda blob: True)
    assert (sorted(step.path for step in made.steps), made.beside) == (["b", "d"], ())
    # A folder that is named does not name what is in it.
    state = beside(CHANGES.initial, Change("d/b", FILE, RUN))
    made = plan(state, state.turns[0], "undo", ["d"], {"d/b": RUN}, lambda blob: True)
    assert (made.steps, made.beside) == ((), ("d/b",))
    state = marked(state, "undo", "d/b")
    assert plan(state, state.turns[0], "redo", (), {"d/b": FILE}, lambda blob: True).steps == (Step("d/b", FILE, RUN),)


@given(first=st.booleans(), now=NODES)
def test_what_both_changed_is_refused_until_it_is_named_and_then_undone_as_one(first: bool, now: Node | None) -> None:
    one, two = Change("a", FILE, OTHER), Change("a", OTHER, LINK)
    state = beside(folded(one), two) if first else folded(two, state=beside(CHANGES.initial, one))
    (turn,) = state.turns
    made = plan(state, turn, "undo", (), {"a": now}, lambda blob: True)
    (refused,) = made.refused
    part = two if first else one
    assert ("#3" in refused.reason, refused.ours, refused.theirs) == (True, part.before, part.after)
    named = plan(state, turn, "undo", ["a"], {"a": now}, lambda blob: True)
    assert [step.goal for step in named.steps] == ([FILE] if now == LINK else [])
    assert named.already == (("a",) if now == FILE else ())


def test_a_person_s_part_between_is_never_undone_whoever_else_changed_the_file() -> None:
    state = beside(folded(Change("a", FILE, OTHER)), Change("a", RUN, LINK))
    (turn,) = state.turns
    assert turn.files["a"].between == (OTHER, RUN)
    made = plan(state, turn, "undo", ["a"], {"a": LINK}, lambda blob: True)
    assert (made.steps, len(made.refused)) == ((), 1)
    assert [row.get("beside") for row in rows(turn)] == ["#3"]
    assert touched(state) == {"a"}
