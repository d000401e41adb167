"""`directoryPicker/*`: looking for a folder on the machine of the daemon (WIRE 10.1)."""

from typing import NotRequired

from hd.protocol.endpoints.shape import unary

ENDPOINTS = (
    unary("directoryPicker/createDirectory", path=str, name=str),
    unary("directoryPicker/list", path=NotRequired[str]),
    unary("directoryPicker/pick"),
)
