"""Which commands do nothing but look: a wrong yes would leave a change unrecorded."""

import pytest

from hd.permit.looking import only_looks


@pytest.mark.parametrize(
    "command",
    [
        "ls -la",
        "cat a b | head -n 3 | wc -l",
        "cd src && grep -rn 'x > y' . 2>/dev/null",
        "find . -name '*.py' -type f",
        "git log --oneline -5; git show HEAD:a.py",
        "echo $HOME; pwd",
        "grep x a 2>&1 | tail",
    ],
)
def test_plain_looking_is_known(command: str) -> None:
    assert only_looks(command)


@pytest.mark.parametrize(
    "command",
    [
        "ls > list",
        "cat a >> b",
        "sed -i s/a/b/ c",
        "find . -delete",
        "find . -exec rm {} +",
        "echo $(rm a)",
        "echo `rm a`",
        "cat <(rm a)",
        "X=1 ls",
        "sort -o a a",
        "git checkout .",
        "git -c core.pager=evil log",
        "git diff --output=a",
        "$TOOL a",
        "ls() { rm a; }; ls",
        "cat a | tee b",
        "python -c pass",
        "ls; rm a",
        "ls\nrm a",
        "ls & rm a",
        "if true; then rm a; fi",
        "echo 'open",
        "uniq a b",
        "echo ${X:=$(rm a)}",
        "cat <<E\n$(rm a)\nE",
        "xargs rm",
        "/bin/rm a",
        "ls <> a",
    ],
)
def test_any_doubt_is_a_no(command: str) -> None:
    assert not only_looks(command)
