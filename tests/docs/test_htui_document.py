"""`docs/htui.md` is made of the code, and says what is missing of what people expect (row T6, T19)."""

from typing import Any, cast

from hd.commands.table import default_commands
from htui.composer.editor import ACTIONS
from htui.screens.command_table import COMMANDS
from tests.support import htui_doc

NOTHING = cast(Any, None)
HOSTED = {row["name"] for row in default_commands(*[NOTHING] * 9).listed()}


def test_the_tables_of_keys_and_commands_are_those_of_the_code() -> None:
    assert htui_doc.TARGET.read_text() == htui_doc.document(), "run `python -m tests.support.htui_doc`"


def test_each_command_that_is_expected_is_there_or_said_to_be_missing() -> None:
    here = {command.name for command in COMMANDS} | HOSTED
    expected = set(htui_doc.EXPECTED.split())
    assert expected - here == set(htui_doc.NOT_YET)


def test_each_key_that_is_expected_edits() -> None:
    keys = [key for _, _, keys in ACTIONS for key in keys]
    assert set(htui_doc.EXPECTED_KEYS.split()) <= set(keys)
    assert len(keys) == len(set(keys))
