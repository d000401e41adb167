"""Agent presets: what kind of agent a session has. There is one, the standard one."""

from typing import Any, Final

from hd.errors import HdError
from hd.protocol import events as ev
from hd.protocol.events import Draft
from hd.session.live import LiveSession
from hd.session.registry import Announce

STANDARD: Final = "standard"
SELECTED: Final = "agent-preset/selected"


class AgentPresetNotFound(HdError):
    """No preset has this id; the details name those that there are."""

    code = "agent-preset/not-found"


class AgentPresetLocked(HdError):
    """A session that has begun keeps its preset."""

    code = "agent-preset/locked"


class AgentPresets:
    """The presets by id, each with its text: what an agent of it is told and the tools that it has."""

    def __init__(self, texts: dict[str, str], announce: Announce) -> None:
        self._texts = texts
        self._announce = announce

    def listed(self) -> list[dict[str, Any]]:
        return [
            {"id": name, "order": place, "isDefault": name == STANDARD, "name": name.capitalize()}
            for place, name in enumerate(self._texts, 1)
        ]

    def read(self, name: str) -> str:
        """The text of a preset; `AgentPresetNotFound`."""
        return self._texts[self.checked(name)]

    def checked(self, name: str) -> str:
        if name not in self._texts:
            available = list(self._texts)
            raise AgentPresetNotFound(
                f"There is no agent preset “{name}”; there are: {', '.join(available)}.",
                {"agentPreset": name, "available": available},
            )
        return name

    async def select(self, session: LiveSession, name: str) -> str:
        """Gives a session another preset before its first turn; `AgentPresetLocked` from then on."""
        self.checked(name)
        if not session.value("sessionListMetadata").blank:
            raise AgentPresetLocked(
                "This session has begun, so its preset stays. Start a new session for another one.",
                {"sessionId": session.id, "agentPreset": name},
            )
        session.record(Draft(ev.AGENT_PRESET_SELECTED, {"agentPreset": name}))
        session.save_projections()
        await session.written(durable=True)
        self._announce(SELECTED, [session.id, name])
        return name


def described(system_prompt: str, tools: list[str]) -> str:
    """The text of a preset."""
    return f"Tools: {', '.join(tools)}\n\nSystem prompt:\n\n{system_prompt}"
