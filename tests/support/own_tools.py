"""Tools that a test hands in: they do what it says, and remember what they were asked."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from pydantic import BaseModel, ConfigDict

from app.tools.tool import Desk, OwnTool, ToolResult


class Word(BaseModel):
    """Arguments of the tools here."""

    model_config = ConfigDict(extra="forbid")

    word: str
    times: int = 1


Does = Callable[[Word, Desk], Awaitable[ToolResult]]


async def echo(asked: Word, desk: Desk) -> ToolResult:
    """Gives the word back."""
    return ToolResult(" ".join([asked.word] * asked.times))


def tool(name: str, does: Does = echo, *, alone: bool = False) -> OwnTool[Word]:
    """A tool that takes a word."""
    return OwnTool(name, f"Does {name}. It takes a word.", Word, does, alone)


@dataclass
class Slow:
    """Waits until it is let go, shows what it is told to, and notices its end."""

    shows: str = ""
    begun: asyncio.Event = field(default_factory=asyncio.Event)
    go_on: asyncio.Event = field(default_factory=asyncio.Event)
    cancelled: int = 0
    running: int = 0
    most: int = 0

    async def __call__(self, asked: Word, desk: Desk) -> ToolResult:
        """Runs."""
        self.running += 1
        self.most = max(self.most, self.running)
        desk.show(self.shows)
        self.begun.set()
        try:
            await self.go_on.wait()
        except asyncio.CancelledError:
            self.cancelled += 1
            raise
        finally:
            self.running -= 1
        return ToolResult(asked.word)


@dataclass(frozen=True)
class Foreign:
    """A tool that is none of Strata's: its schema is checked by nobody here."""

    name: str = "server__tool"
    description: str = "Does something elsewhere."
    parameters: dict[str, Any] = field(default_factory=lambda: {"type": "object"})
    alone: bool = False

    async def run(self, arguments: Mapping[str, Any], desk: Desk) -> ToolResult:  # noqa: ARG002 (as tools take it)
        """Tells what it was given."""
        return ToolResult(str(dict(arguments)))
