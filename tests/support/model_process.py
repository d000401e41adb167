"""The scripted model as a process of its own, for tests whose daemon or command outlives one event loop."""

import subprocess
import sys
from collections.abc import Iterator

import pytest

from tests.support.daemon import ROOT


@pytest.fixture(scope="session")
def model_url() -> Iterator[str]:
    """Its address. It answers by the `[[…]]` commands in the prompts."""
    command = [sys.executable, "-m", "tests.support.mock_model"]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE) as model:
        assert model.stdout is not None
        yield model.stdout.readline().decode().strip()
        model.terminate()
