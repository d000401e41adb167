"""A tool as the model and the log see it (`request/header`, `tools`)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """`parameters` is a JSON schema of type object."""

    name: str
    description: str
    parameters: Mapping[str, Any]

    def to_wire(self) -> dict[str, Any]:
        return {"name": self.name, "description": self.description, "parameters": self.parameters}
