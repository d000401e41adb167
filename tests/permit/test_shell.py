"""Words, redirections and substitutions as a shell reads them."""

import shlex

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hd.permit.expand import Scope
from hd.permit.shell import Piece, read, written


def words(command: str) -> list[list[str]]:
    return [[written(word) for word in simple.words] for simple in read(command) if simple.words]


@pytest.mark.parametrize(
    "command, expected",
    [
        ("a b;c&&d|e", [["a", "b"], ["c"], ["d"], ["e"]]),
        ("a 'b c'\"d e\"\\ f", [["a", "b cd e f"]]),
        ("a # it's\nb#c", [["a"], ["b#c"]]),
        ("a \\\nb", [["a", "b"]]),
        ("a \\; ';' b", [["a", ";", ";", "b"]]),
        ("a $(b \")\" 'c)' $(d)) e", [["a", "$(b \")\" 'c)' $(d))", "e"]]),
        ('a "$(b "c d")" e', [["a", '$(b "c d")', "e"]]),
        ("a \"$(cat <<'E'\nit's)\nE\n)\" b", [["a", "$(cat <<'E'\nit's)\nE\n)", "b"]]),
        ("cat <<A; b\nit's\nA\nc", [["cat"], ["b"], ["c"]]),
        ("cat <<-A\n\tx\n\tA\nc", [["cat"], ["c"]]),
        ("cat <<A\nb\nno mark", [["cat"], ["b"], ["no", "mark"]]),
        ("(a) | { b; }", [["a"], ["{", "b"], ["}"]]),
        ("a <(b) >(c)", [["a", "<(b)", ">(c)"]]),
    ],
)
def test_commands_are_told_apart(command: str, expected: list[list[str]]) -> None:
    assert words(command) == expected


@pytest.mark.parametrize("command", ["a > b", "a 2>b", "a >>b", "a &>b", "a >|b", "a {fd}>b", "a<b", "a >&b"])
def test_a_redirection_is_no_word(command: str) -> None:
    (simple,) = read(command)
    assert [written(word) for word in simple.words] == ["a"]
    assert written(simple.redirects[0].target) == "b"


@pytest.mark.parametrize("command", ["a 'b", 'a "b', "a $(b", "a `b", "a ${b", 'a "$(b"', "$(" * 50 + ")" * 50])
def test_what_does_not_close_is_not_read(command: str) -> None:
    with pytest.raises(ValueError):
        read(command)


@given(st.text(alphabet="ab -'\"\\", max_size=40))
def test_quotes_are_those_of_shlex(command: str) -> None:
    try:
        expected = shlex.split(command)
    except ValueError:
        return
    assert words(command) == ([expected] if expected else [])


@pytest.mark.parametrize(
    "word, texts, unknown",
    [
        ("~/a", ("/home/me/a",), False),
        ("'~/a'", ("~/a",), False),
        ("a~", ("a~",), False),
        ("$HOME", ("/home/me",), False),
        ("'$HOME'", ("$HOME",), False),
        ("\\$HOME", ("$HOME",), False),
        ("$f.b", ("a.py.b", "c.py.b"), False),
        ('"${f%.py}"', ("a", "c"), False),
        ("${f#a}", ("${f#a}",), True),
        ("$u", ("$u",), True),
        ("x$n", ("x$n",), True),
        ("$s", ("$s",), True),
        ('"$s"', ("a b",), False),
        ("$(date +%F).txt", ("0.txt",), False),
        ("$(x)/y", ("$(x)/y",), True),
        ("{a,b}/c", ("{a,b}/c",), False),
        ("{..,b}/c", ("{..,b}/c",), True),
        ("$((1+(2)))", ("0",), False),
    ],
)
def test_a_word_becomes_what_the_command_line_tells(word: str, texts: tuple[str, ...], unknown: bool) -> None:
    def silent(piece: Piece) -> None:
        return None

    variables = {"HOME": ("/home/me",), "f": ("a.py", "c.py"), "u": None, "s": ("a b",)}
    (simple,) = read(word)
    arg = Scope(variables, "/home/me/site", silent).expand(simple.words[0])
    assert (arg.texts, arg.unknown) == (texts, unknown)
