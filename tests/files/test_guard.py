"""The secret guard by names."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hd.files.guard import _HINT, _RULES, Guard

GUARD = Guard()


@pytest.mark.parametrize(
    "name", [".ENV", ".Env.Local", "Credentials.JSON", "id.PEM", "Server.Key", ".SSH/config", "ID_RSA"]
)
def test_c01_case_does_not_count(name: str) -> None:
    assert GUARD.why(Path(name)) is not None


@pytest.mark.parametrize(
    "name",
    [
        *(".env", ".envrc", ".env.local", ".env.prod", ".env.example.local", ".env-prod", "prod.env", "a/b/.env"),
        *("server.pem", "tls/server.key", "a.p12", "a.pfx", "a.jks", "id_rsa", "id_ed25519", ".netrc", ".npmrc"),
        *(".pypirc", ".git-credentials", "credentials.json", "aws-credentials.csv", "secrets.yaml", "secret.toml"),
        *("config/secrets.yml", "config/secret_settings.py", "config/api-keys.json", "config/master.key"),
        *(".aws/credentials", ".ssh/known_hosts", ".gnupg/x/y", ".docker/config.json", ".kube/config"),
        *("service-account-prod.json", "app/serviceAccountKey.json", ".cargo/credentials.toml", ".env/inner.txt"),
        "proc/self/environ",
    ],
)
def test_secret_names(name: str) -> None:
    assert GUARD.why(Path(name)) is not None


@pytest.mark.parametrize(
    "name",
    [
        *(".env.example", ".env.template", ".env.sample", ".env.dist", ".env.local.example", "example.env"),
        *("src/environment/config.ts", "tokenizer.py", "keyboard.ts", "config/keymap.json", "env.ts", "src/env.py"),
        *("secrets.py", "src/secret/index.ts", "src/credentials/base.ts", "credentials.py", "monkey.txt", "keys.py"),
        *(
            "id_rsa.pub",
            "key.md",
            "config/settings.json",
            "docs/secrets.md",
            ".environment",
            "pem.txt",
            ".github/x.yml",
        ),
    ],
)
def test_c05_names_that_only_look_alike_are_free(name: str) -> None:
    assert GUARD.why(Path(name)) is None


@pytest.mark.parametrize("pattern", [pattern for _, pattern in _RULES], ids=[rule for rule, _ in _RULES])
def test_every_secret_name_has_a_hint(pattern: str) -> None:
    @settings(max_examples=30)
    @given(st.from_regex(pattern, fullmatch=True))
    def holds(name: str) -> None:
        assert _HINT.search(name.casefold())

    holds()


def test_the_rule_is_named() -> None:
    assert GUARD.why(Path("a/.env.local")) == ".env and .env.*"
    assert GUARD.why(Path("a/id.pem")) == "*.pem"


def test_hidden_folders_are_closed_as_a_whole(tmp_path: Path) -> None:
    (tmp_path / "home").mkdir()
    (tmp_path / "link").symlink_to("home")
    guard = Guard(hidden=(tmp_path / "link",))
    assert guard.why(tmp_path / "home" / "log.txt") is not None
    assert guard.why(tmp_path / "home2" / "log.txt") is None
    assert guard.hidden_names(tmp_path) == {"home"}


def test_a_workspace_is_not_closed_by_its_own_name(tmp_path: Path) -> None:
    root = tmp_path / "keys.key"
    assert GUARD.why(root / "a.txt", root) is None
    assert GUARD.why(root / ".env", root) is not None
