"""`directoryPicker/*`."""

import asyncio
from typing import Any

from hd.files.folders import Folders, PickerUnavailable, row
from hd.server.rpc import Stream, Unary


class DirectoryPickerRoutes:
    def __init__(self, folders: Folders) -> None:
        self._folders = folders

    def unary(self) -> dict[str, Unary]:
        return {
            "directoryPicker/list": self.list,
            "directoryPicker/createDirectory": self.create,
            "directoryPicker/pick": self.pick,
        }

    def streams(self) -> dict[str, Stream]:
        return {}

    async def list(self, path: str | None = None) -> dict[str, Any]:
        found = await asyncio.to_thread(self._folders.list, path)
        return {
            "path": str(found.path),
            "home": str(self._folders.home),
            "crumbs": [row(place) for place in found.crumbs],
            "entries": [row(place) for place in found.folders],
            "truncated": found.truncated,
        }

    async def create(self, path: str, name: str) -> str:
        return str(await asyncio.to_thread(self._folders.create, path, name))

    async def pick(self) -> None:
        raise PickerUnavailable("There is no desktop to pick a folder on; list the folders instead.")
