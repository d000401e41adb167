"""A person's prompts in a private file, which is replaced whole."""

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

import msgspec

from hd.protocol.ids import new_id
from htui.errors import HtuiError
from htui.folders import config_folder
from htui.prompts.layers import LONGEST, MOST, Own, Saved

_LARGEST = 2 * MOST * LONGEST


class PromptsUnwritable(HtuiError):
    """The file of the prompts cannot be written; what it holds is as it was."""


class PromptStore:
    """`path` is the file; `older` are those of the client before this one, taken over where there is none yet."""

    def __init__(self, path: Path, older: tuple[Path, ...] = ()) -> None:
        self.path = path
        self._older = older
        self.trouble = ""
        """Why the file could not be read; it is kept under another name before the next one is written."""

    def load(self) -> Own:
        """Reads anew, because another client may have written; what cannot be read is empty, and told."""
        self.trouble = ""
        try:
            return _read(self.path)
        except FileNotFoundError:
            return self._taken_over()
        except (OSError, ValueError) as error:
            self.trouble = f"{self.path} cannot be read ({error}); it is kept, and only shipped prompts are listed."
            return Own()

    def change(self, change: Callable[[Own], Own]) -> Own:
        """Reads, changes and writes, while no other client does; `PromptsUnwritable`."""
        try:
            self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            with _alone(self.path.parent):
                return self._write(change(self.load()))
        except OSError as error:
            raise PromptsUnwritable(f"{self.path} cannot be written: {error.strerror}. Nothing was changed.") from None

    def _write(self, own: Own) -> Own:
        part = self.path.with_suffix(f".{new_id()[:8]}.part")
        try:
            if self.trouble:
                self.path.replace(self.path.with_suffix(f".{new_id()[:8]}.unreadable"))
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
            with os.fdopen(os.open(part, flags, 0o600), "wb") as file:
                file.write(msgspec.json.format(msgspec.json.encode(own)) + b"\n")
                file.flush()
                os.fsync(file.fileno())
            part.replace(self.path)
        except OSError:
            with suppress(OSError):
                part.unlink()
            raise
        return own

    def _taken_over(self) -> Own:
        """The prompts of older files, each text once; a file that cannot be read is left out."""
        found: dict[str, Saved] = {}
        for path in self._older:
            try:
                for one in _read(path).prompts:
                    found.setdefault(one.text, one)
            except (OSError, ValueError):
                continue
        return Own(tuple(found.values()))


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """While the block runs nobody else has the lock of this folder; each has it for a few milliseconds. On a disk
    without locks the last one wins."""
    import fcntl

    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        with suppress(OSError):
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def _read(path: Path) -> Own:
    with open(os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK), "rb") as file:
        return msgspec.json.decode(file.read(_LARGEST), type=Own)


def store_of(environ: Mapping[str, str]) -> PromptStore:
    """`prompts.json` in the folder of what a person set up."""
    from platformdirs import user_config_path, user_state_path

    config, state = user_config_path("dsht", appauthor=False), user_state_path("dsht", appauthor=False)
    older = () if environ.get("HTUI_CONFIG_DIR") else (config / "prompt.local.json", state / "prompts.json")
    return PromptStore(config_folder(environ) / "prompts.json", older)
