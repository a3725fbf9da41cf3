"""A turn with calls of tools, as a loop reports it, shown on the real chat."""

import asyncio
import json
from dataclasses import dataclass
from typing import Any

from app.backend.protocol import Usage
from app.chat.happenings import (
    AnswerAdded,
    Asked,
    PermissionWanted,
    ToolCalled,
    ToolEnded,
    ToolShown,
)
from app.chat.tool_calls import Call
from app.screens.turns import TurnView
from app.tools.tool import Permission, Verdict
from memory.answer import StoredMessage
from memory.parts import Role
from tests.tui.conftest import Chat

AT = "2026-11-20T14:02:00.000Z"


def called(id: str, name: str = "run_command", **arguments: Any) -> Call:
    """A call of a tool."""
    return Call(id, name, json.dumps(arguments), arguments)


@dataclass
class Turn:
    """A turn that is shown, step by step."""

    chat: Chat
    view: TurnView
    number: int = 0

    @classmethod
    def begin(cls, chat: Chat, number: int = 0) -> "Turn":
        assert chat.app._chat._sitting is not None
        return cls(chat, TurnView(chat.app._chat._sitting.stage, ""), number)

    def asks(self) -> None:
        """A request goes out."""
        self.view.show(Asked("r", 100, 1_000))

    def says(self, text: str, *calls: Call) -> None:
        """The model has answered, and calls tools."""
        answer = self._message("assistant", text)
        self.view.show(AnswerAdded(answer, Usage(100, 20), 1.9, 0.6, calls=calls))

    def calls(self, call: str, name: str, **arguments: Any) -> None:
        """A tool runs."""
        self.view.show(ToolCalled(call, name, json.dumps(arguments)))

    def shows(self, call: str, text: str) -> None:
        """It shows something."""
        self.view.show(ToolShown(call, text))

    def wants(self, call: str, subject: str) -> "asyncio.Future[Verdict]":
        """It waits for the user."""
        answer: asyncio.Future[Verdict] = asyncio.get_running_loop().create_future()
        permission = Permission("run_command", subject, "Run this command?", "/home/me/flats")
        self.view.show(PermissionWanted(call, permission, answer))
        return answer

    def ends(self, call: str, name: str, text: str, **others: Any) -> None:
        """It has ended."""
        given = {"ok": True, "seconds": 0.02} | others
        self.view.show(ToolEnded(call, name, self._message("tool", text), **given))

    def _message(self, role: Role, text: str) -> StoredMessage:
        self.number += 1
        return StoredMessage(self.number, role, text, AT)
