"""Saved prompts in two layers (row T13)."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from htui.prompts.layers import LONGEST, MOST, Own, Saved, edited, merged, pinned, removed, saved, unfit
from htui.prompts.store import PromptStore, PromptsUnwritable

SHIPPED = (Saved("a", "first", True), Saved("b", "second"), Saved("c", "third"))


def texts(own: Own, shipped: tuple[Saved, ...] = SHIPPED) -> list[str]:
    return [one.text for one in merged(own, shipped)]


def test_t13_own_ones_stand_behind_pinned_ones_and_before_shipped_ones() -> None:
    own = saved(saved(Own(), "1", "mine", SHIPPED), "2", "mine too", SHIPPED)
    assert texts(own) == ["first", "mine too", "mine", "second", "third"]
    (shown,) = [one for one in merged(own, SHIPPED) if one.id == "1"]
    assert texts(pinned(own, shown, top=True)) == ["mine", "first", "mine too", "second", "third"]


def test_t13_a_changed_shipped_one_stays_at_its_place_and_an_unpinned_one_goes_back() -> None:
    own = edited(Own(), "b", "my second")
    assert texts(own) == ["first", "my second", "third"]
    assert [one.shipped for one in merged(own, SHIPPED)] == [True, False, True]
    first = merged(own, SHIPPED)[0]
    assert [one.top for one in merged(pinned(own, first, top=False), SHIPPED)] == [False, False, False]


def test_t13_a_removed_shipped_one_stays_away_until_its_text_is_saved_again() -> None:
    own = removed(Own(), "b", SHIPPED)
    newer = (*SHIPPED, Saved("d", "new in this version"))
    assert texts(own, newer) == ["first", "third", "new in this version"]
    assert texts(saved(own, "x", "second", SHIPPED)) == ["first", "second", "third"]


def test_t13_the_text_of_a_shipped_one_that_was_changed_can_be_saved_beside_it() -> None:
    own = saved(edited(Own(), "b", "my second"), "1", "second", SHIPPED)
    assert texts(own) == ["first", "second", "my second", "third"]
    assert saved(own, "2", "second", SHIPPED) == own


def test_t13_the_same_text_is_listed_once() -> None:
    own = saved(Own((Saved("x", "third"),)), "y", "third", ())
    assert texts(own) == ["first", "third", "second"]


changes = st.lists(
    st.one_of(
        st.builds(
            lambda id, text: lambda own: saved(own, id, text, SHIPPED), st.sampled_from("xyz"), st.text(max_size=3)
        ),
        st.builds(lambda id, text: lambda own: edited(own, id, text), st.sampled_from("abcxyz"), st.text(max_size=3)),
        st.builds(lambda id: lambda own: removed(own, id, SHIPPED), st.sampled_from("abcxyz")),
        st.builds(
            lambda place, top: (
                lambda own: (
                    pinned(own, merged(own, SHIPPED)[place], top=top) if place < len(merged(own, SHIPPED)) else own
                )
            ),
            st.integers(0, 5),
            st.booleans(),
        ),
    )
)


@given(changes)
def test_t13_whatever_is_done_ids_are_listed_once_and_the_file_reads_back(steps: list[Callable[[Own], Own]]) -> None:
    own = Own()
    for step in steps:
        own = step(own)
    ids = [one.id for one in merged(own, SHIPPED)]
    assert len([id for id in ids if id in "abc"]) == len({id for id in ids if id in "abc"})
    tops = [one.top for one in merged(own, SHIPPED)]
    assert tops == sorted(tops, reverse=True)
    assert msgspec.json.decode(msgspec.json.encode(own), type=Own) == own


def test_t13_what_cannot_be_saved_is_told() -> None:
    assert "empty" in unfit(Own(), " \n")
    assert "8,192" in unfit(Own(), "中" * (LONGEST // 3 + 1))
    assert "500" in unfit(Own(tuple(Saved(str(n), str(n)) for n in range(MOST))), "x")
    assert unfit(Own(), "x" * LONGEST) == ""


def test_t13_the_file_is_private_and_replaced_whole(tmp_path: Path) -> None:
    store = PromptStore(tmp_path / "conf" / "prompts.json")
    store.change(lambda own: saved(own, "1", "mine"))
    assert store.path.stat().st_mode & 0o777 == 0o600
    assert [path.name for path in store.path.parent.iterdir()] == ["prompts.json"]
    other = PromptStore(store.path)
    other.change(lambda own: saved(own, "2", "of another client"))
    assert {one.text for one in store.change(lambda own: saved(own, "3", "more")).prompts} == {
        "mine",
        "of another client",
        "more",
    }


def test_t13_of_clients_that_save_at_once_none_loses_what_another_saved(tmp_path: Path) -> None:
    def client(name: str) -> None:
        store = PromptStore(tmp_path / "prompts.json")
        for text in (f"{name}{number}" for number in range(20)):
            store.change(partial(saved, id=text, text=text))

    with ThreadPoolExecutor() as pool:
        list(pool.map(client, "abc"))
    assert len(PromptStore(tmp_path / "prompts.json").load().prompts) == 60


def test_t13_a_file_that_cannot_be_read_is_kept_and_told(tmp_path: Path) -> None:
    store = PromptStore(tmp_path / "prompts.json")
    store.path.write_text('{"prompts": [{"id": 1')
    assert store.load() == Own()
    assert "cannot be read" in store.trouble
    store.change(lambda own: saved(own, "1", "mine"))
    (kept,) = tmp_path.glob("*.unreadable")
    assert kept.read_text() == '{"prompts": [{"id": 1'
    assert [one.text for one in store.load().prompts] == ["mine"]


def test_t13_prompts_of_the_client_before_are_taken_over_once(tmp_path: Path) -> None:
    older = tmp_path / "state.json", tmp_path / "local.json", tmp_path / "none.json"
    older[0].write_text('{"version":1,"prompts":[{"id":"1","text":"old one"},{"id":"2","text":"both"}]}')
    older[1].write_text('{"prompts":[{"id":"3","text":"both","top":true}],"hidden":["x"]}')
    store = PromptStore(tmp_path / "mine.json", older)
    assert [one.text for one in store.load().prompts] == ["old one", "both"]
    store.change(lambda own: removed(own, "1"))
    assert [one.text for one in store.load().prompts] == ["both"]


def test_t13_a_folder_that_cannot_be_written_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    store = PromptStore(tmp_path / "file" / "prompts.json")
    with pytest.raises(PromptsUnwritable, match="Nothing was changed"):
        store.change(lambda own: own)
