"""What becomes of a brought file in a prompt (pure): the block that is logged, with what the model will read of it."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from hd.files.content import file_text
from hd.files.errors import FileError
from hd.protocol.messages import Block

TEXT_LIMIT: Final = 60_000
"""Characters of a file that stand in a prompt; the rest is named and left out."""

NAME_LIMIT: Final = 200
_NAMELESS: Final = "file"
_NOT_IN_A_NAME: Final = re.compile(r'[<>"\\]')


@dataclass(frozen=True, slots=True)
class Upload:
    """A kept file. `attachment_id` is `sha256:` and the hash of its bytes, `size` their number."""

    attachment_id: str
    name: str
    size: int

    def to_wire(self) -> dict[str, Any]:
        return {"attachmentId": self.attachment_id, "name": self.name, "bytes": self.size}


def plain_name(name: str | None) -> str:
    """The last part of a name, on one line and without what could be taken for markup; never empty."""
    last = re.split(r"[/\\]", name or "")[-1]
    visible = "".join(letter for letter in last if letter.isprintable())
    return _NOT_IN_A_NAME.sub("_", visible).strip()[:NAME_LIMIT] or _NAMELESS


def file_block(upload: Upload, raw: bytes) -> Block:
    """The block of a prompt. `text` is there where the bytes are text, cut at `TEXT_LIMIT`; then `cut` is true."""
    block: Block = {"type": "file", "attachment": upload.to_wire()}
    try:
        view = file_text(Path(upload.name), raw).view
    except FileError:
        return block
    block["text"] = view[:TEXT_LIMIT]
    if len(view) > TEXT_LIMIT:
        block["cut"] = True
    return block


def refers(content: Sequence[Mapping[str, Any]], attachment_id: str) -> Mapping[str, Any] | None:
    """The attachment of this id in the blocks of a message."""
    for block in content:
        attachment = block.get("attachment")
        if isinstance(attachment, Mapping) and attachment.get("attachmentId") == attachment_id:
            return attachment
    return None
