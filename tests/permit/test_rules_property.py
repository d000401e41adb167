"""Random shell lines against random rules. What is let through is run by a real shell: each program that it starts,
where and with what, must be what a rule names or what only reads."""

import subprocess
from pathlib import Path
from typing import Final

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from hd.files.layer import FileLayer
from hd.permit.rules import Rule
from tests.files.trees import plant, snapshot
from tests.permit.rule_scene import Ruled, program

# Tells on one line each, and with what stands between: where it runs, what feeds it, two variables, and its words.
RECORDER: Final = r"""
feeds=no; if [ -p /dev/stdin ]; then feeds=yes; fi
printf '%s\037' "$PWD" "$feeds" "$PATH" "${X-unset}" "${0##*/}" "$@" end >> "$RECORD"
"""
READING: Final = frozenset({"cat", "ls"})
KNOWN: Final = ("rm", "git", "touch", "tee", "evil", "env", "timeout", "xargs", "sh", "sudo", *sorted(READING))
RULED: Final = (
    "rm -rf build",
    "rm a.txt",
    "rm 'a b'",
    "rm ...",
    "git push --force",
    "git push --force ...",
    "git reset --hard",
    "sudo evil",
    "xargs rm",
    "sh -c 'rm a.txt'",
)
COMMANDS: Final = (
    *(line for line in RULED if not line.endswith("...")),
    *("rm -rf build x", "rm ../a", "git push --force origin main", "rm build/x"),
    *(
        "ls",
        "cat a.txt",
        "cat 'a b'",
        "echo x",
        "cd sub",
        "cd .",
        "touch x",
        "evil",
        "env rm a.txt",
        "timeout 1 rm a.txt",
    ),
)
JOINS: Final = (" && ", "; ", " || ", " | ", "\n", " & ", " |& ", " |\n", ";\n")
FRAGMENTS: Final = (
    *(" > x", " >> x", " < a.txt", " 2>&1", " >/dev/null", " <<E\na\nE\n", " <<< x", " >(touch x)"),
    *("X=1 ", "X=1; ", "PATH=sub ", "export PATH=sub; ", "export X=1; ", "alias rm=touch; ", "rm() { touch x; }; "),
    *("function rm { touch x; }; ", "hash -p ./evil rm; ", "exec ", "eval ", "command ", "builtin ", "! ", "time "),
    *("cd sub; ", "cd sub && ", "pushd sub; ", "trap 'touch x' EXIT; ", "set -- a; ", "read X; ", "shopt -s extglob; "),
    *("$(touch x)", "`touch x`", "$X", "${X:=y}", "<(touch x)", "$((1))", "$'a'", '$"a"', "$?", "$"),
    *(
        "'",
        '"',
        "\\",
        "\\\n",
        "#",
        " # ",
        "*",
        "?",
        "[a]",
        "{a,b}",
        "~",
        "!",
        "(",
        ")",
        "{ ",
        "; }",
        " ",
        "\t",
        "\n",
        ";",
    ),
    *(
        "if true; then ",
        "; fi",
        "while true; do ",
        "; done",
        "for X in a; do ",
        "case a in a) ",
        "[[ ",
        " ]]",
        "=",
        "-",
    ),
)


@st.composite
def lines(draw: st.DrawFn) -> str:
    """Commands in a row, with up to three pieces put in anywhere."""
    count = draw(st.integers(1, 3))
    line = draw(st.sampled_from(COMMANDS))
    for _ in range(count - 1):
        line += draw(st.sampled_from(JOINS)) + draw(st.sampled_from(COMMANDS))
    for _ in range(draw(st.sampled_from((0, 0, 1, 1, 2, 3)))):
        place = draw(st.integers(0, len(line)))
        line = line[:place] + draw(st.sampled_from(FRAGMENTS)) + line[place:]
    return line


RULES = st.lists(st.sampled_from(RULED), min_size=4, max_size=8, unique=True)


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> Ruled:
    top = tmp_path_factory.mktemp("rules")
    root = plant(top / "work", {"a.txt": "a\n", "a b": "b\n", "build/x": "x\n", "sub/a.txt": "a\n"})
    for name in KNOWN:
        program(top / "bin" / name, RECORDER)
        program(root / "sub" / name, RECORDER)
    program(root / "evil", RECORDER)
    ruled = Ruled(FileLayer(root), top / "bin")
    ruled.path = str(top / "bin")
    return ruled


def started(here: Ruled, line: str) -> list[list[str]]:
    """What a shell starts when it runs the line."""
    record = here.programs.parent / "record"
    record.write_bytes(b"")
    subprocess.run(
        ["/bin/bash", "-c", line],
        cwd=here.folder,
        env={"PATH": here.path, "RECORD": str(record)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=20,
        check=False,
    )
    return [one.split("\037") for one in record.read_text().split("\037end\037")[:-1]]


def is_named(rules: list[Rule], words: list[str], here: Ruled) -> bool:
    """Whether a rule names these words; further ones stay in the workspace."""
    for rule in rules:
        own = [Path(rule.argv[0]).name, *rule.argv[1:]]
        further = words[len(own) :]
        if words[: len(own)] == own and (not further or rule.more):
            return not any(".." in word.split("/") or word.startswith("/") for word in further)
    return False


def check(here: Ruled, commands: list[str], line: str) -> None:
    rules = [here.rule(command, number=number) for number, command in enumerate(commands, 1)]
    if not here.covers(rules, line):
        return
    before = snapshot(here.folder)
    ran = started(here, line)
    assert snapshot(here.folder) == before, "something was written"
    for folder, feeds, path, variable, *words in ran:
        if words[0] in READING or words == ["env"]:  # By itself it only prints.
            continue
        assert is_named(rules, words, here), words
        assert (folder, feeds, path, variable) == (str(here.folder), "no", here.path, "unset"), words


@settings(max_examples=300, deadline=None)
@given(commands=RULES, line=lines())
@example(commands=["rm a.txt"], line="rm a.txt && ls")
@example(commands=["rm a.txt"], line="cat a.txt |\nrm a.txt")
@example(commands=["rm a.txt"], line="PATH=sub rm a.txt")
@example(commands=["xargs rm"], line="cat a.txt | xargs rm")
@example(commands=["rm ..."], line="rm a.txt $(touch x)")
@example(commands=["rm a.txt"], line="env\n rm a.txt")
def test_nothing_runs_unasked_that_no_rule_names(here: Ruled, commands: list[str], line: str) -> None:
    check(here, commands, line)


@pytest.mark.long
@settings(max_examples=5_000, deadline=None)
@given(commands=RULES, line=lines())
def test_nothing_runs_unasked_that_no_rule_names_in_thousands_of_lines(
    here: Ruled, commands: list[str], line: str
) -> None:
    check(here, commands, line)
