"""What a mask leaves of a text."""

from hypothesis import given
from hypothesis import strategies as st

from hd.secrets.mask import NOTHING, Mask

MASK = Mask({"hunter2hunter": "DB/.env", "hunter2hunter-and-more": "API/.env", "a.b*c(d1": "odd name\n<x>"})


def test_values_are_replaced_by_their_names() -> None:
    text = "a hunter2hunter b hunter2hunter-and-more c a.b*c(d1 d axbbc(d1"
    hidden = MASK.hide(text)
    assert hidden == "a <hidden:DB/.env> b <hidden:API/.env> c <hidden:odd_name_x_> d axbbc(d1"
    assert MASK.worn_in(hidden) == ["<hidden:API/.env>", "<hidden:DB/.env>", "<hidden:odd_name_x_>"]
    assert MASK.worn_in("<hidden:of somebody else>") == []


def test_texts_in_a_value_are_hidden_wherever_they_are() -> None:
    value = {"a": ["hunter2hunter", 1, None, {"b": "x hunter2hunter"}]}
    assert MASK.hide_in(value) == {"a": ["<hidden:DB/.env>", 1, None, {"b": "x <hidden:DB/.env>"}]}


def test_an_empty_mask_changes_nothing() -> None:
    assert not NOTHING
    assert NOTHING.hide("hunter2hunter") == "hunter2hunter"
    assert (NOTHING | MASK).hide("hunter2hunter") == (MASK | NOTHING).hide("hunter2hunter") == "<hidden:DB/.env>"


@given(st.lists(st.text(min_size=8, max_size=20), min_size=1, max_size=5, unique=True), st.data())
def test_no_value_is_left_in_any_text(values: list[str], data: st.DataObject) -> None:
    parts = data.draw(st.lists(st.one_of(st.sampled_from(values), st.text(max_size=5)), max_size=10))
    hidden = Mask(dict.fromkeys(values, "name")).hide("".join(parts))
    rest = hidden.replace("<hidden:name>", "\0\0")
    assert not [value for value in values if value in rest and "\0" not in value]
