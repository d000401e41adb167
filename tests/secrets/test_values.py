"""Which texts of a secret file are hidden, and which are too ordinary for it."""

import pytest

from hd.secrets.values import environment_values, values_of


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("API_KEY=abc-123-def\n", {"abc-123-def": "API_KEY"}),
        ('export DB_PASSWORD="p w;d#12 3"  # note\n', {"p w;d#12 3": "DB_PASSWORD"}),
        ("SECRET='sin gle99'\r\n", {"sin gle99": "SECRET"}),
        ("DATABASE_URL=postgres://me:hunter2hunter@db/x\n", {"hunter2hunter": "DATABASE_URL"}),
        ("aws_secret_access_key = wJalrXUtnFEMI/K7MDENG\n", {"wJalrXUtnFEMI/K7MDENG": "aws_secret_access_key"}),
        ('{"client": {"client_secret": "xY9-xY9-xY9"}}', {"xY9-xY9-xY9": "client_secret"}),
        ("token: 'ya29.A0ARrdaM'\n", {"ya29.A0ARrdaM": "token"}),
        ("machine h login me password s3cret-word\n", {"s3cret-word": "password"}),
        ("ANYTHING=sk-abcdefghijklmnop1234\n", {"sk-abcdefghijklmnop1234": "ANYTHING"}),
        ("x\n-----BEGIN PRIVATE KEY-----\n" + "A" * 64 + "\nBB==\n", {"A" * 64: "private-key"}),
    ],
)
def test_c04_what_is_a_secret_by_its_name_or_its_form(text: str, values: dict[str, str]) -> None:
    assert values_of(text) == values


@pytest.mark.parametrize(
    "text",
    [
        "NODE_ENV=development\n",
        "LOG_LEVEL=information\n",
        "PASSWORD=postgres\n",
        "AUTH_URL=https://login.example.org/path\n",
        "KEY_FILE=/etc/ssl/private/site.pem\n",
        "TOKEN_TTL=86400000\n",
        "API_KEY=\n",
        "API_KEY=short\n",
        "# API_KEY=commented-out-1\n",
        "PORT: 8080\n",
    ],
)
def test_c05_ordinary_settings_are_not_hidden(text: str) -> None:
    assert values_of(text) == {}


def test_d07_the_environment_of_the_daemon() -> None:
    environment = {"GH_TOKEN": "ghp_" + "a1" * 12, "HOME": "/root", "SSH_AUTH_SOCK": "/tmp/agent.1", "EDITOR": "vim"}
    assert list(environment_values(environment).values()) == ["GH_TOKEN"]
