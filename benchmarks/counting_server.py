"""A server on loopback that counts tokens its own way and refuses what is over its limit."""

import json
from collections.abc import Callable
from typing import Any

from app.transfer.messages import RecordedMessage
from tests.support.misbehaving_server import MisbehavingServer
from tests.support.misbehaviour import Script
from tests.support.replies import Reply

DENSER = 1.3
"""Its tokens for one of our estimate, in Latin script."""


class CountingServer(MisbehavingServer):
    """Answers every model with what `answers` gives, and tells its count in the usage.

    Args:
        limit: Tokens above which it refuses a request.
        window: Tokens that its refusal names.
        answers: The next answer; a text, or a message with tool calls.
    """

    def __init__(self, limit: int, window: int, answers: Callable[[], RecordedMessage]) -> None:
        super().__init__()
        self.limit = limit
        self.window = window
        self.answers = answers
        self.counts: list[int] = []
        """Its count of each request, refused ones included."""
        self.refused = 0

    def _script(self, model: str) -> Script:  # noqa: ARG002 (every model answers alike)
        return self._reply

    async def _reply(self, reply: Reply) -> None:
        tokens = server_tokens(reply.seen.body["messages"])
        self.counts.append(tokens)
        reply.seen.body.clear()
        if tokens > self.limit:
            self.refused += 1
            await reply.error("400 Bad Request", _refusal(self.window, tokens), code="too_long")
            return
        await reply.open_stream()
        answer = self.answers()
        await reply.delta(content=answer.content)
        for index, call in enumerate(answer.tool_calls):
            await reply.delta(tool_calls=[{"index": index, **call}])
        await reply.delta(finish="tool_calls" if answer.tool_calls else "stop")
        await reply.usage(tokens, 50, 0)
        await reply.end()


def server_tokens(messages: list[dict[str, Any]]) -> int:
    """Its count: 1.3 of our estimate for ASCII, a token for every other character."""
    text = "".join(json.dumps(message, ensure_ascii=False) for message in messages)
    plain = sum(map(str.isascii, text)) if not text.isascii() else len(text)
    return round(DENSER * plain / 4) + len(text) - plain + 4 * len(messages)


def _refusal(window: int, tokens: int) -> str:
    return (
        f"This model's maximum context length is {window} tokens. However, your messages "
        f"resulted in {tokens} tokens. Please reduce the length of the messages."
    )
