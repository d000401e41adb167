"""`/export`: says where the log of a session can be fetched; fetching it is the client's part."""

from urllib.parse import quote

from hd.commands.base import Command, Line, Said


async def run(line: Line) -> Said:
    route = f"/api/session.export?sessionId={quote(line.session.id, safe='')}"
    return Said(f"The whole log of this session is a ZIP file, ready at GET {route}.")


COMMAND = Command("export", "Says where the whole log of this session can be fetched as a ZIP file.", run)
