"""What the environment may say."""

from pathlib import Path

import pytest

from hd.config.settings import DEFAULT_BASE_URL, Settings
from hd.errors import UsageError


def test_an_empty_environment_has_defaults() -> None:
    settings = Settings.from_environment({})
    assert settings.home.root == Path.home() / ".h"
    assert (settings.key_source, settings.base_url, settings.model) == ("store", DEFAULT_BASE_URL, None)


def test_everything_can_be_set_and_no_key_stands_in_the_settings() -> None:
    settings = Settings.from_environment(
        {
            "HD_HOME": "/srv/h",
            "DEEPSEEK_API_KEY": "sk-0123456789",
            "DEEPSEEK_BASE_URL": " http://127.0.0.1:8080/v1/ ",
            "HD_MODEL": "deepseek-v4-pro",
        }
    )
    assert settings.home.root == Path("/srv/h")
    assert settings.key_source == "environment"
    assert settings.base_url == "http://127.0.0.1:8080/v1"
    assert settings.model == "deepseek-v4-pro"
    assert "0123456789" not in repr(settings)


@pytest.mark.parametrize(
    "text",
    [
        "api.deepseek.com",
        "ftp://api.deepseek.com",
        "https://",
        "https:///v1",
        "http://[::1",
        "http://host:port",
        "http://host:99999",
        "http://host:0",
        "http://ho st",
        "http://host\x00",
        "file:///etc/passwd",
    ],
)
def test_an_unusable_address_is_a_usage_error(text: str) -> None:
    with pytest.raises(UsageError, match="DEEPSEEK_BASE_URL must be an http or https address"):
        Settings.from_environment({"DEEPSEEK_BASE_URL": text})


def test_an_address_with_a_password_is_refused_without_repeating_it() -> None:
    with pytest.raises(UsageError, match="user or a password") as caught:
        Settings.from_environment({"DEEPSEEK_BASE_URL": "https://me:hunter2@host/v1"})
    assert "hunter2" not in caught.value.message
    with pytest.raises(UsageError, match="query"):
        Settings.from_environment({"DEEPSEEK_BASE_URL": "https://host/v1?token=x"})


@pytest.mark.parametrize("text", ["http://localhost", "https://[::1]:8443/x", "HTTPS://Host.Example/"])
def test_usable_addresses(text: str) -> None:
    assert Settings.from_environment({"DEEPSEEK_BASE_URL": text}).base_url == text.rstrip("/")
