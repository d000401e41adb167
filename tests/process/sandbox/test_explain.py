"""What is made of a program's complaint."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hd.process.sandbox.explain import explain
from hd.process.sandbox.plan import Ground, Plan, plan

WORK, HOME = Path("/ws"), Path("/home/ada")
GROUND = Ground(WORK, HOME / ".h", secrets=(HOME / ".ssh",), temporary=(Path("/tmp"),))


def made(mode: str = "workspace-write", *, network: bool = True) -> Plan:
    made = plan("read-only" if mode == "read-only" else "workspace-write", GROUND, network=network)
    assert made is not None
    return made


def told(output: str, mode: str = "workspace-write", *, network: bool = True, allowed: bool = True) -> str | None:
    return explain(output, made(mode, network=network), WORK, HOME, lambda path: allowed)


@pytest.mark.parametrize(
    ("output", "path"),
    [
        ("/bin/bash: line 1: /etc/x: Permission denied", "/etc/x"),
        ("sh: 1: cannot create /etc/x: Permission denied", "/etc/x"),
        ("touch: cannot touch '../x': Permission denied", "/x"),
        ("mkdir: cannot create directory ‘/opt/a b’: Read-only file system", "/opt/a b"),
        ("mv: cannot move 'a' to '/srv/a': Permission denied", "/srv/a"),
        ("mv: cannot move '/srv/a' to 'a': Permission denied", "/srv/a"),
        ("PermissionError: [Errno 13] Permission denied: '/home/ada/.local/x'", "/home/ada/.local/x"),
        ("npm ERR! Error: EACCES: permission denied, mkdir '/usr/lib/node_modules/x'", "/usr/lib/node_modules/x"),
        ("error: could not write to ~/.config/x: Operation not permitted", "/home/ada/.config/x"),
        ("fine\nfatal: Unable to create '/repo/.git/index.lock': Permission denied\nmore", "/repo/.git/index.lock"),
    ],
)
def test_a_path_that_may_not_be_written_is_named(output: str, path: str) -> None:
    sentence = told(output)
    assert sentence is not None
    assert sentence.startswith("writing outside the workspace is blocked")
    assert sentence.endswith(f"refused: {path}")


@pytest.mark.parametrize(
    "output",
    [
        "",
        "all went well in /etc/x",
        "/bin/bash: line 1: ./script.sh: Permission denied",
        "/bin/bash: line 1: /ws/script.sh: Permission denied",
        "touch: cannot touch '/tmp/of-another-user': Permission denied",
        "git@host: Permission denied (publickey).",
        "curl: (6) Could not resolve host: example.org",
    ],
)
def test_what_is_not_the_sandboxs_doing_is_not_put_down_to_it(output: str) -> None:
    assert told(output) is None


def test_where_the_person_may_not_write_either_the_sandbox_is_not_to_blame() -> None:
    assert told("cat: /etc/shadow: Permission denied", allowed=False) is None


def test_a_secret_that_was_to_be_read() -> None:
    sentence = told("cat: /home/ada/.ssh/id_rsa: Permission denied", allowed=False)
    assert sentence == "reading /home/ada/.ssh/id_rsa is blocked"


def test_in_a_read_only_session_the_workspace_is_closed_too() -> None:
    sentence = told("/bin/bash: line 1: a: Permission denied", "read-only")
    assert sentence is not None
    assert "read-only" in sentence
    assert sentence.endswith("/ws/a")


@pytest.mark.parametrize(
    "output",
    [
        "curl: (6) Could not resolve host: example.org",
        "OSError: [Errno 101] Network is unreachable",
        "curl: (7) Failed to connect to 127.0.0.1 port 80: Permission denied",
        "Error: connect EACCES 10.0.0.1:443",
    ],
)
def test_without_network(output: str) -> None:
    assert told(output, network=False) == "the network is cut for this session's permissions"
    assert told(output, network=True) is None


def test_ending_other_processes() -> None:
    sentence = told("/bin/bash: line 1: kill: (17) - Operation not permitted")
    assert sentence == "ending processes that the command did not start is blocked"


@given(st.text(max_size=300))
def test_any_output_can_be_looked_at(output: str) -> None:
    told(f"{output}: Permission denied\n{output}")
