"""How many errors an output tells of."""

import pytest

from hd.projects.verdict import verdict

RUST = (
    "error[E0308]: mismatched types\n --> src/main.rs:2:5\nerror: could not compile `x` (bin) due to 1 previous error\n"
)
TSC = "a.ts(1,7): error TS2322: Type 'string' is not assignable.\nb.ts(2,1): error TS1005: ';' expected.\n"
GCC = "a.c:3:5: error: expected ';'\na.c:9:1: warning: unused\n"
GO = "# example.org/x\nvet: ./a.go:3:2: undefined: y\n./b.go:4:7: missing return\n"
MAVEN = "[INFO] x\n[ERROR] /src/A.java:[3,5] ';' expected\n[ERROR] Failed to execute goal\n"


@pytest.mark.parametrize(
    ("output", "errors"),
    [
        (RUST, 1),
        (TSC, 2),
        (GCC, 1),
        (GO, 2),
        (MAVEN, 1),
        ("a.py:1:5: SyntaxError: invalid syntax\n", 1),
        ("PHP Parse error:  syntax error in a.php on line 3\n", 1),
        ("a.rb:1: syntax error, unexpected end\n", 1),
        ("run.sh: line 3: syntax error near unexpected token `fi'\n", 1),
        ("make: *** [Makefile:2: all] Error 2\n", 1),
        ("", 1),
    ],
)
def test_a_failed_check_has_at_least_one_error(output: str, errors: int) -> None:
    assert verdict(1, output).errors == errors


def test_words_of_errors_in_a_check_that_succeeds_are_none() -> None:
    assert verdict(0, "error: ignored\n").errors == 0


@pytest.mark.parametrize(
    ("code", "output"),
    [(127, "bash: cargo: command not found"), (None, ""), (1, "npm error npx canceled due to missing packages")],
)
def test_a_check_that_could_not_be_done_knows_nothing(code: int | None, output: str) -> None:
    found = verdict(code, output)
    assert found.errors is None
    assert found.reason
