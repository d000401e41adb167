"""What may be written and what is hidden, and the two ways to say so to the system."""

import os
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from hd.process.sandbox.bubblewrap import wrapping
from hd.process.sandbox.ground import look
from hd.process.sandbox.landlock import readable, rules
from hd.process.sandbox.plan import Ground, Mode, Plan, plan

HOME = Path("/home/ada")
GROUND = Ground(
    HOME / "work",
    HOME / ".h",
    secrets=(HOME / ".ssh", HOME / ".netrc"),
    caches=(HOME / ".cache",),
    temporary=(Path("/tmp"), Path("/dev/shm")),
    repository=(HOME / "main" / ".git",),
)


def made(mode: Mode, ground: Ground = GROUND, *, network: bool = True) -> Plan:
    made = plan(mode, ground, network=network)
    assert made is not None
    return made


def test_full_access_is_no_sandbox() -> None:
    assert plan("danger-full-access", GROUND) is None


def test_a_read_only_session_writes_in_a_folder_of_its_own_alone() -> None:
    assert made("read-only") == Plan(
        "read-only", (), (HOME / ".h", HOME / ".ssh", HOME / ".netrc"), private=True, own=HOME / ".h"
    )


def test_a_workspace_is_written_with_what_belongs_to_it() -> None:
    wanted = {HOME / "work", HOME / "main" / ".git", Path("/tmp"), Path("/dev/shm"), HOME / ".cache"}
    it = made("workspace-write")
    assert set(it.writable) == wanted
    assert not it.private
    assert it.exposed == ()


def test_a_temporary_folder_that_holds_the_daemons_home_is_closed() -> None:
    it = made("workspace-write", replace(GROUND, own=Path("/tmp/h")))
    assert Path("/tmp") not in it.writable
    assert it.private


def test_a_home_as_workspace_leaves_its_secrets_to_the_session_and_tells_that_the_daemons_are_open() -> None:
    it = made("workspace-write", replace(GROUND, workspace=HOME))
    assert it.hidden == (HOME / ".h",)
    assert it.exposed == (HOME / ".h",)


def test_the_words_for_bubblewrap() -> None:
    it = Plan("workspace-write", (HOME / "work",), (HOME / ".h", HOME / ".netrc"), network=False)
    assert wrapping("/usr/bin/bwrap", it, frozenset({HOME / ".h"})) == [
        "/usr/bin/bwrap",
        *("--unshare-user", "--ro-bind", "/", "/", "--dev", "/dev"),
        *("--bind", "/home/ada/work", "/home/ada/work"),
        *("--tmpfs", "/home/ada/.h"),
        *("--ro-bind", "/dev/null", "/home/ada/.netrc"),
        *("--remount-ro", "/home/ada/.h"),
        *("--unshare-net", "--"),
    ]


def test_bubblewrap_takes_the_inner_place_last() -> None:
    hidden_in_workspace = Plan("workspace-write", (HOME,), (HOME / ".h",))
    words = wrapping("bwrap", hidden_in_workspace, frozenset({HOME / ".h"}))
    assert words.index("--bind") < words.index("--tmpfs")
    workspace_in_hidden = Plan("workspace-write", (HOME / ".h" / "work",), (HOME / ".h",))
    words = wrapping("bwrap", workspace_in_hidden, frozenset({HOME / ".h"}))
    assert words.index("--tmpfs") < words.index("--bind")
    assert "--remount-ro" not in words


_NAMES = st.lists(st.sampled_from("abc"), min_size=1, max_size=4)


@given(files=st.lists(_NAMES, min_size=1, max_size=12), hidden=st.lists(_NAMES, max_size=4))
def test_everything_but_the_hidden_is_readable(files: list[list[str]], hidden: list[list[str]]) -> None:
    paths = {Path("/", *names) for names in files}
    everything = paths | {parent for path in paths for parent in path.parents}
    places = {Path("/", *names) for names in hidden}

    def listing(folder: Path) -> Iterable[Path]:
        return [path for path in everything if path.parent == folder and path != folder]

    allowed = set(readable(places, listing))
    for path in paths:
        within = {path, *path.parents}
        if within & places:
            assert not within & allowed
        elif not any(path in place.parents for place in places):
            assert within & allowed


def test_a_worktree_and_a_submodule_are_found_by_what_their_git_file_names(tmp_path: Path) -> None:
    main, tree = tmp_path / "main", tmp_path / "tree"
    own = main / ".git" / "worktrees" / "tree"
    for folder in (own, main / ".git" / "objects", tree / "below"):
        folder.mkdir(parents=True)
    (tree / ".git").write_text(f"gitdir: {own}\n")
    assert look(tree, tmp_path, tmp_path / "h").repository == (), "a file that no repository knows of opens nothing"
    (own / "gitdir").write_text(f"{tree}/.git\n")
    (own / "commondir").write_text("../..\n")
    assert look(tree, tmp_path, tmp_path / "h").repository == (own, main / ".git")
    assert look(tree / "below", tmp_path, tmp_path / "h").repository == (own, main / ".git")
    assert look(main, tmp_path, tmp_path / "h").repository == ()
    module, inner = main / ".git" / "modules" / "inner", main / "inner"
    module.mkdir(parents=True)
    inner.mkdir()
    (inner / ".git").write_text("gitdir: ../.git/modules/inner\n")
    assert look(inner, tmp_path, tmp_path / "h").repository == (module,)


def test_what_lies_in_the_workspace_opens_no_folder_outside(tmp_path: Path) -> None:
    work, target = tmp_path / "work", tmp_path / "target"
    work.mkdir()
    (target / "objects").mkdir(parents=True)
    (target / "HEAD").write_text("ref: refs/heads/main\n")
    git = work / ".git"
    git.write_text(f"gitdir: {target}\n")
    assert look(work, tmp_path, tmp_path / "h").repository == ()
    git.unlink()
    git.symlink_to(target)
    assert look(work, tmp_path, tmp_path / "h").repository == ()
    git.unlink()
    os.mkfifo(git)
    assert look(work, tmp_path, tmp_path / "h").repository == ()
    (work / ".cache").symlink_to(target)
    assert look(work, work, tmp_path / "h").caches == ()


DENIED = replace(GROUND, denied=(HOME / "work" / "plans", HOME / "work" / "x.sqlite"))


def test_c04_what_a_person_closed_is_covered_within_the_workspace_by_who_can() -> None:
    it = made("workspace-write", DENIED)
    words = wrapping("bwrap", it, frozenset({HOME / "work" / "plans"}))
    covers = [words.index(str(place)) for place in DENIED.denied]
    assert words[covers[0] - 1] == "--tmpfs"
    assert words[covers[1] - 2 : covers[1]] == ["--ro-bind", "/dev/null"]
    assert min(covers) > words.index(str(HOME / "work"))
    assert it.exposed == DENIED.denied
    assert all(it.hides(place / "x", within=True) and not it.hides(place / "x", within=False) for place in it.exposed)


def test_c04_what_cannot_be_left_out_of_what_is_allowed_opens_nothing_else() -> None:
    """Landlock allows what lies beside the hidden one by one, and names beside the exposed would do no good."""
    free = made("workspace-write")
    listed = [path for path, _ in rules(made("workspace-write", DENIED), _listing)]
    assert listed == [path for path, _ in rules(free, _listing)]
    closed = [path for path, _ in rules(made("read-only", DENIED), _listing)]
    assert HOME / "work" / "a" in closed
    assert not {HOME / "work", HOME / "work" / "plans"} & set(closed)


def _listing(folder: Path) -> list[Path]:
    names = {HOME: ["work", ".h"], HOME / "work": ["a", "plans", "x.sqlite"]}
    return [folder / name for name in names.get(folder, [])]
