"""Which tools a session offers its model, as things stand now."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace

from app.backend.client import Backend
from app.host.catalogue import is_embedded
from app.schema import ToolsSettings
from app.tools.mcp_tools import mcp_tools
from app.tools.registry import Asked, Toolbox, offered, toolbox
from app.tools.tool import Tool
from app.tools.wanted import names_in, speaks_of_work
from app.tools.workspace import NoWorkspace, workspace_of
from memory.memory import Memory
from memory.parts import ModelMode


@dataclass(frozen=True, slots=True)
class Offered:
    """The tools of a session: Strata's own, and those of servers that are ready.

    Args:
        memory: The session.
        backend: Who knows the servers.
        settings: What the user wants offered.
        mode: Whether the model chats or only completes.
        own: Tools in the place of Strata's own; None for those.
        on_need: Offer a model on this machine none before they are spoken of.
    """

    memory: Memory
    backend: Backend
    settings: ToolsSettings
    mode: ModelMode = "chat"
    own: Sequence[Tool] | None = None
    on_need: bool = False

    async def box(self, model: str) -> Toolbox:
        """What the model is offered."""
        asked = replace(self._asked(model), needs_tools=await self._needed(model))
        foreign = await mcp_tools(self.backend)
        # In a thread, since the first time loads them and makes their schemas: 0.1 s.
        return await asyncio.to_thread(toolbox, self.settings, asked, foreign, self.own)

    def is_known(self, model: str) -> bool:
        """Whether no server is on its way whose tools this model would be offered."""
        return not (self.has_servers(model) and self.backend.mcp.connecting)

    def has_servers(self, model: str) -> bool:
        """Whether this model is offered the tools of servers."""
        return offered(self.settings, self._asked(model)) == "all"

    def _asked(self, model: str) -> Asked:
        chosen = self.memory.state.model
        return Asked(model, chosen.window if chosen else None, self.mode)

    async def _needed(self, model: str) -> bool:
        """Whether the user speaks of what tools are for, or they were used already."""
        memory = self.memory
        if not (self.on_need and is_embedded(model)) or memory.has_used_tools:
            return True
        names = await asyncio.to_thread(_names, self.settings)
        return speaks_of_work(memory.question, names)


def _names(settings: ToolsSettings) -> frozenset[str]:
    try:
        return names_in(workspace_of(settings).root)
    except NoWorkspace:
        return frozenset()
