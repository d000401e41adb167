"""The secret files of a workspace are found, and followed as they change."""

import os
from pathlib import Path

import pytest

from hd.files.guard import Guard
from hd.secrets.find import WorkspaceSecrets
from hd.secrets.mask import NOTHING, Mask


@pytest.fixture
def secrets(tmp_path: Path) -> WorkspaceSecrets:
    return WorkspaceSecrets(tmp_path, Guard(), lambda: Mask({"the-daemons-own-key": "api-key"}))


def put(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def test_c04_values_are_known_and_forgotten_with_their_files(secrets: WorkspaceSecrets, tmp_path: Path) -> None:
    put(tmp_path / ".env", "API_KEY=first-value-1\n")
    put(tmp_path / "sub" / ".env.local", "API_KEY=second-value-2\n")
    put(tmp_path / "node_modules" / "x" / ".env", "API_KEY=third-value-3\n")
    put(tmp_path / "plain.txt", "API_KEY=fourth-value-4\n")
    everything = "first-value-1 second-value-2 third-value-3 fourth-value-4 fifth-value-5 the-daemons-own-key"
    expected = "<hidden:API_KEY/.env> <hidden:API_KEY/sub/.env.local> third-value-3 fourth-value-4 fifth-value-5"
    assert secrets.look().hide(everything) == f"{expected} <hidden:api-key>"
    put(tmp_path / ".env", "OTHER_TOKEN=fifth-value-5, and more\n")
    (tmp_path / "sub" / ".env.local").unlink()
    put(tmp_path / "sub" / "deep" / "credentials.json", '{"secret": "second-value-2"}')
    hidden = secrets.look().hide(everything)
    assert hidden.startswith("first-value-1 <hidden:secret/sub/deep/credentials.json> third-value-3")
    assert "<hidden:OTHER_TOKEN/.env>" in hidden


def test_what_is_no_file_is_not_opened(secrets: WorkspaceSecrets, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / ".env")
    put(tmp_path / "elsewhere", "API_KEY=linked-value-1\n")
    (tmp_path / "link.pem").symlink_to("elsewhere")
    (tmp_path / ".ssh").symlink_to("/")
    assert secrets.look().hide("linked-value-1") == "linked-value-1"


def test_a_workspace_that_is_gone_has_no_secrets(tmp_path: Path) -> None:
    assert not WorkspaceSecrets(tmp_path / "gone", Guard(), lambda: NOTHING).look()
