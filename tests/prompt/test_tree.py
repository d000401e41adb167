"""What the model is told of the tree, and that it is told once."""

from collections.abc import Mapping

from hypothesis import given, settings
from hypothesis import strategies as st

from hd.files.tree import Folder, Seen
from hd.prompt.tree import MOST_NAMES, MOST_TEXT, TREE, TREE_KIND, News, Told, news
from hd.protocol import events as ev
from hd.protocol.events import Event, Replace
from hd.protocol.messages import user_message
from tests.support.logs import random_logs


def seen(folders: Mapping[str, str], marks: Mapping[str, int] | None = None, *, stopped: bool = False) -> Seen:
    found = {path: Folder(tuple(names.split())) for path, names in folders.items()}
    return Seen(found, {path: (mark, 0, 0) for path, mark in (marks or {}).items()}, stopped=stopped)


def tell(told: Told, message: News, seq: int = 0) -> Told:
    return TREE.apply(told, Event(ev.USER_MESSAGE, seq, 1, user_message([], message.source), "append"))


def told_of(first: Seen) -> Told:
    message = news(Told(), first)
    assert message is not None
    return tell(Told(), message)


def lines(told: Told, now: Seen) -> list[str]:
    """What is told now, without the first line."""
    message = news(told, now)
    return [] if message is None else message.text.splitlines()[1:]


BEFORE = {"": "src/ README.md", "src": "a.py b.py"}


def test_the_first_time_the_whole_of_it() -> None:
    assert lines(Told(), seen(BEFORE)) == ["./: src/, README.md", "src/: a.py, b.py"]
    assert lines(Told(), seen({"": ""})) == []
    assert lines(Told(), seen({"": "d/", "d": ""})) == ["./: d/", "d/: (empty)"]


def test_g05_then_only_what_changed() -> None:
    told = told_of(seen(BEFORE))
    assert lines(told, seen(BEFORE)) == []
    now = seen({"": "new/ src/", "src": "a.py c.py", "new": "deep/ x", "new/deep": "y"})
    assert lines(told, now) == ["added: new/, src/c.py, new/deep/, new/x, new/deep/y", "removed: README.md, src/b.py"]
    message = news(told, now)
    assert message is not None
    assert news(tell(told, message, 1), now) is None
    assert lines(told, seen({"": "README.md"})) == ["removed: src/"]
    assert lines(told, seen({"": "README.md"}, stopped=True)) == [], "what was not reached is not gone"


def test_a_file_that_keeps_its_marks_was_moved() -> None:
    told = told_of(seen(BEFORE))
    marks = {"src/b.py": 7, "src/c.py": 7, "README.md": 8, "new.md": 9}
    assert lines(told, seen({"": "src/ new.md", "src": "a.py c.py"}, marks)) == [
        "moved: src/b.py -> src/c.py",
        "added: new.md",
        "removed: README.md",
    ]


def test_with_many_changes_it_is_told_anew() -> None:
    told = told_of(seen(BEFORE))
    now = seen({"": " ".join(f"f{number}" for number in range(101))})
    message = news(told, now)
    assert message is not None
    assert message.source["form"] == "snapshot"
    later = tell(told, message, 5)
    assert (later.seq, set(later.folders)) == (5, {""})
    assert lines(later, now) == []


def test_it_is_bounded_and_says_what_is_left_out() -> None:
    wide = " ".join(f"f{number:03}" for number in range(MOST_NAMES + 7))
    (line,) = lines(Told(), seen({"": wide}))
    assert line.endswith("f049, … 7 more")
    told = told_of(seen({"": wide}))
    assert lines(told, seen({"": wide + " zzz"})) == [], "what was told in part is not followed"
    assert lines(told, seen({"": wide.replace("f001 ", "")})) == ["removed: f001"]
    many = {"": " ".join(f"d{number}/" for number in range(40)), **{f"d{n}": wide for n in range(40)}}
    message = news(Told(), seen(many))
    assert message is not None
    assert MOST_TEXT - 300 < len(message.text) <= MOST_TEXT
    assert lines(told_of(seen(many)), seen(many)) == []


def test_a_name_cannot_pass_for_another_line() -> None:
    odd = Seen({"": Folder(("a\nb/: c", 'x", "y', "plain name"))})
    assert lines(Told(), odd) == [r'./: "a\nb/: c", "x\", \"y", plain name']


def test_a_compaction_that_takes_the_snapshot_away_has_it_told_again() -> None:
    told = tell(Told(), News("", {"kind": "workspace-tree", "form": "snapshot", "folders": []}), 3)
    for span, seq in ((Replace(0, 3), None), (Replace(4, 9), 3)):
        summary = Event(ev.USER_MESSAGE, 10, 1, user_message([], {"kind": "compact-checkpoint"}), span)
        assert TREE.apply(told, summary).seq == seq


NAMES = st.sets(st.sampled_from(["a", "b", "c/", "d/", "e,", *(f"f{n}" for n in range(60))]), max_size=65)


@st.composite
def trees(draw: st.DrawFn) -> Seen:
    """A look: folders that the names of their parents lead to."""
    folders: dict[str, Folder] = {}
    waiting = [""]
    for path in waiting:
        names = draw(NAMES) if path.count("/") < 2 else set()
        folders[path] = Folder(tuple(sorted(names)), whole=draw(st.integers(0, 9)) > 0)
        waiting += [f"{path}/{name[:-1]}".lstrip("/") for name in sorted(names) if name.endswith("/")]
    return Seen(folders)


@settings(max_examples=60)
@given(trees(), st.lists(trees(), max_size=3))
def test_what_was_told_is_not_told_again(first: Seen, later: list[Seen]) -> None:
    told = Told()
    for seq, now in enumerate([first, *later]):
        if (message := news(told, now)) is not None:
            told = tell(told, message, seq)
        assert news(told, now) is None
        assert len(message.text if message else "") <= MOST_TEXT + 2_000


@settings(max_examples=50)
@given(random_logs())
def test_law_4_what_is_not_its_own_gives_the_same_object_back(events: list[Event]) -> None:
    state = Told()
    for event in events:
        before, state = state, TREE.apply(state, event)
        own = (event.data.get("source") or {}).get("kind") == TREE_KIND
        assert state is before or own or state != before


def test_a_damaged_message_told_nothing() -> None:
    for source in ({"form": 7}, {"form": "snapshot", "folders": [{"path": 1}]}, {"form": "changes", "added": [3]}):
        assert tell(Told(), News("", {"kind": "workspace-tree", **source})) == Told()
