"""Talks for many turns in one process, as the chat does, until it is killed or told to stop.

    python -P -m tests.kill.talker SESSION FIRST TURNS

Says `Question N …` for N from FIRST on, and has memory compacted by hand now and then. What was
accepted, shown and finished is noted in the file KILL_SHOWN, with the time.
"""

import asyncio
import sys

from app.chat.commands import say
from app.chat.conversation import Conversation
from app.chat.happenings import AnswerAdded, AnswerGrew, Failed, UserAdded
from app.settings import load_settings
from memory.wish import Wish
from tests.kill.notes import beat, note

BY_HAND = 5
"""Turns between two compactions by hand."""


async def talk(session: str, first: int, turns: int) -> None:
    wish = Wish(session=session, label="the talker")
    note(started=True)
    beat()
    async with Conversation.open(load_settings(), wish) as conversation:
        for number in range(first, first + turns):
            await _turn(conversation, f"Question {number}: how is the boat of Anna{number}?")
            if number % BY_HAND == 0:
                async for _ in say(conversation, "@compact-memories"):
                    pass
    note(ended=True)


async def _turn(conversation: Conversation, text: str) -> None:
    async for happening in say(conversation, text):
        match happening:
            case UserAdded():
                note(accepted=text)
            case AnswerGrew():
                note(shown=happening.text)
            case AnswerAdded():
                note(answered=happening.message.content)
            case Failed():
                note(failed=happening.text)


if __name__ == "__main__":
    asyncio.run(talk(sys.argv[1], int(sys.argv[2]), int(sys.argv[3])))
