"""Which summaries are taken."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hd.tools.summary import faults, named_path

GOOD = """### Changes Made
- src/app.py: the port is read from the settings
### Verification
- `pytest -q`: 12 passed
### Outcome
- The server starts on the port that was asked for.
"""
CHINESE = """### Changes Made
- src/app.py: 端口改为从配置读取
### Verification
- 运行 pytest，十二个测试全部通过
### Outcome
- 服务器现在使用指定端口启动。
"""
TODO = [{"id": "port-setting", "content": "Read the port", "status": "completed"}]


@pytest.mark.parametrize(
    "summary", [GOOD, CHINESE, GOOD.replace("###", "##"), GOOD.replace("### Outcome", "### outcome:")]
)
def test_h16_a_concrete_summary_is_taken(summary: str) -> None:
    assert faults(summary, (), {"src/app.py", "src/other.py"}) == []


@pytest.mark.parametrize(
    ("summary", "said"),
    [
        ("I did the task.", "no section"),
        (GOOD.replace("### Verification", "Verification"), "`### Verification`"),
        (GOOD.replace("- `pytest -q`: 12 passed\n", ""), "`### Verification` is empty"),
        (GOOD.replace("`pytest -q`: 12 passed", "All done, it works as expected."), "nothing concrete"),
        (
            GOOD.replace("The server starts on the port that was asked for.", "OK, completed the task."),
            "nothing concrete",
        ),
        (GOOD.replace("The server starts on the port that was asked for.", "I did the task."), "nothing concrete"),
    ],
)
def test_h16_a_vague_summary_is_sent_back(summary: str, said: str) -> None:
    (fault,) = faults(summary, (), None)
    assert said in fault


def test_h16_the_todo_list_is_accounted_for() -> None:
    assert "Todo Progress" in faults(GOOD, TODO, None)[0]
    assert "Read the port" in faults(f"{GOOD}### Todo Progress\n- everything else was done as well\n", TODO, None)[0]
    assert faults(f"{GOOD}### Todo Progress\n- read the port: completed\n", TODO, None) == []
    assert faults(f"{GOOD}### Todo Progress\n- port-setting: completed\n", TODO, None) == []


def test_a18_a_file_that_was_not_changed_is_not_claimed() -> None:
    (fault,) = faults(GOOD, (), {"src/other.py"})
    assert "`src/app.py`" in fault
    assert faults(GOOD.replace("src/app.py", "app.py"), (), {"src/app.py"}) == []
    assert faults(GOOD.replace("src/app.py", "src/"), (), {"src/app.py"}) == []
    assert faults(GOOD.replace("- src/app.py:", "- Nothing in files, only settings of git:"), (), set()) == []


@pytest.mark.parametrize(
    ("line", "path"),
    [
        ("- `a/b.py`: x", "a/b.py"),
        ("* **./a.py** – x", "a.py"),
        ("1. [c.py]: x", "c.py"),
        ("- note: x", None),
        ("- two words.py: x", None),
        ("a/b.py: x", None),
        ("- ...: x", None),
    ],
)
def test_the_file_of_a_line(line: str, path: str | None) -> None:
    assert named_path(line) == path


@given(st.text(max_size=300), st.sets(st.text(max_size=8), max_size=3))
def test_any_text_is_judged(summary: str, changed: set[str]) -> None:
    assert faults(summary, TODO, changed)
