"""The environment of a command: an allow-list, and nothing that looks like a secret."""

import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hd.process.environment import QUIET, child_environment, looks_secret


@pytest.mark.parametrize(
    "name, value",
    [
        ("DEEPSEEK_API_KEY", "sk-0000"),
        ("GH_TOKEN", "x"),
        ("AWS_SESSION_TOKEN", "x"),
        ("DATABASE_URL", "postgres://u:p@h/x"),
        ("HD_TOKEN", "x"),
        ("SSH_AUTH_SOCK", "/tmp/agent"),
        ("npm_config_registry", "https://example.org"),
        ("UNKNOWN", "harmless"),
        ("BASH_ENV", "/tmp/x"),
        ("CI", "true-ish"),
        # Members of families that pass otherwise.
        ("NODE_AUTH_TOKEN", "x"),
        ("PYTHON_KEYRING_BACKEND", "x"),
        ("XDG_SECRET", "x"),
        ("CONDA_PASSWORD", "x"),
        # Names that pass otherwise, with values that must not.
        ("HTTPS_PROXY", "http://me:secret@proxy:8080"),
        ("HTTPS_PROXY", "http://me@proxy:8080"),
        ("NODE_OPTIONS", "--title ghp_abcdefghijklmnopqrstuvwxyz012345"),
        ("GOPROXY", "https://user:pw@proxy.example.org"),
        ("PYTHONPATH", "/x:sk-abcdefghijklmnop1234"),
    ],
)
def test_d07_secrets_and_unknown_variables_do_not_pass(name: str, value: str) -> None:
    environment = child_environment({name: value})
    assert name not in environment
    assert value not in environment.values()


@pytest.mark.parametrize(
    "name, value",
    [
        ("PATH", "/opt/bin:/usr/bin"),
        ("HOME", "/home/me"),
        ("LC_ALL", "de_DE.UTF-8"),
        ("TZ", "Asia/Shanghai"),
        ("XDG_CACHE_HOME", "/home/me/.cache"),
        ("VIRTUAL_ENV", "/home/me/venv"),
        ("PYTHONPATH", "/src"),
        ("NODE_OPTIONS", "--max-old-space-size=4096"),
        ("GOPATH", "/go"),
        ("CARGO_HOME", "/cargo"),
        ("JAVA_HOME", "/jdk"),
        ("HTTPS_PROXY", "http://proxy:8080"),
    ],
)
def test_what_builds_need_passes(name: str, value: str) -> None:
    assert child_environment({name: value})[name] == value


def test_nobody_is_asked_and_nothing_is_paged() -> None:
    environment = child_environment({"TERM": "xterm-256color", "EDITOR": "vim", "PAGER": "less"})
    assert environment["TERM"] == "dumb"
    assert environment["PAGER"] == environment["GIT_PAGER"] == "cat"
    assert environment["GIT_TERMINAL_PROMPT"] == environment["GIT_OPTIONAL_LOCKS"] == "0"
    assert environment["NO_COLOR"] == "1"
    assert environment["PATH"]


def test_d02_the_editor_fails_at_once_and_says_why() -> None:
    editor = child_environment({})["GIT_EDITOR"]
    done = subprocess.run(
        ["sh", "-c", f'{editor} "$@"', "editor", "COMMIT_EDITMSG"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert "no editor here" in done.stderr


@given(st.dictionaries(st.text(min_size=1), st.text()))
def test_only_named_and_harmless_variables_come_through(parent: dict[str, str]) -> None:
    environment = child_environment(parent)
    for name, value in environment.items():
        assert QUIET.get(name) == value or name == "PATH" or not looks_secret(name, value)
