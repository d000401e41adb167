from pathlib import Path

from hd.prompt.context import Sections, changed, render, runtime_context


def surroundings(preset: str = "workspace-write", date: str = "2026-03-01", tools: tuple[str, ...] = ()) -> Sections:
    return runtime_context(
        workspace=Path("/srv/code"),
        preset=preset,
        preset_description="what it allows",
        platform="Linux x86_64",
        shell="/bin/bash",
        date=date,
        tools=tools,
    )


def test_it_says_where_when_and_what_is_allowed() -> None:
    text = render(surroundings(tools=("git", "uv")))
    for part in ("/srv/code", "workspace-write: what it allows", "Linux x86_64", "/bin/bash", "2026-03-01", "git, uv"):
        assert part in text


def test_g05_only_what_changed_is_said_again() -> None:
    before = surroundings()
    assert changed(before, surroundings()) == {}
    assert render({}) == ""
    assert changed(before, surroundings(date="2026-03-02")) == {"Date": "2026-03-02"}
    update = render(changed(before, surroundings("read-only")), update=True)
    assert "read-only" in update
    assert "/srv/code" not in update
    assert "changed" in update


def test_what_is_gone_is_said_too() -> None:
    assert changed(surroundings(tools=("git",)), surroundings()) == {"Programs found": "none"}


def test_what_is_gone_is_told_once() -> None:
    before = {"Workspace": "/w", "Plan mode": "on"}
    news = changed(before, {"Workspace": "/w"})
    assert news == {"Plan mode": "none"}
    assert changed({**before, **news}, {"Workspace": "/w"}) == {}
