"""How property tests run, without a time limit for an example, and on an integration machine always alike; and that the
model never has to refuse a request, except where a test says so."""

import gc
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from tests.support.mock_model import REFUSALS

settings.register_profile("house", deadline=None)
settings.register_profile("integration", deadline=None, derandomize=True)
settings.load_profile("integration" if os.environ.get("CI") else "house")


def pytest_collection_finish() -> None:
    """Thousands of collected tests stay to the end: no search for garbage has to go through them again and again."""
    gc.freeze()


@pytest.fixture(scope="session", autouse=True)
def refusals(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Where every model of this run notes what it refused, also one that is a process."""
    path = tmp_path_factory.mktemp("refusals") / "requests"
    path.touch()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(REFUSALS, str(path))
        yield path


@pytest.fixture(scope="session", autouse=True)
def like_a_persons_machine() -> Iterator[None]:
    """Python writes its caches, as it does wherever nobody told it not to: what that does to a workspace must show."""
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("PYTHONDONTWRITEBYTECODE", raising=False)
        yield


@pytest.fixture(autouse=True)
def nothing_is_refused(request: pytest.FixtureRequest, refusals: Path) -> Iterator[None]:
    """A request that the real provider would answer with 400 fails the test that sent it, whatever the test looks at.

    `@pytest.mark.refused` declares that one is meant; then one must come.
    """
    known = refusals.stat().st_size
    yield
    with refusals.open() as file:
        file.seek(known)
        found = file.read()
    if request.node.get_closest_marker("refused") is None:
        assert not found, f"the model had to refuse a request:\n{found}"
    else:
        assert found, "the test declares that the model refuses a request, and it refused none"
