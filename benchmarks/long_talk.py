"""A long conversation, made by a seed: chat, tool exchanges, pasted text, code, dense scripts.

Lengths are about those of people's and assistants' turns; what is said is made of this
checkout's own prose and code, so that tokens are as many a character as in real text.
"""

import json
import random
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from app.transfer.messages import RecordedMessage

ROOT = Path(__file__).resolve().parents[1]
PROSE = ("README.md", "ARCHITECTURE.md", "CHANGELOG.md")
SENTENCE = re.compile(r"[A-Z][^.!?\n|`]{30,200}[.!?](?=\s)")
WITH_TOOLS, WITH_PASTE, WITH_CODE, DENSE = 0.25, 0.03, 0.06, 0.04
"""Parts of the turns that call tools, paste a long text, show code, or speak Japanese."""
DENSE_SENTENCES = (
    "明日の午前九時半に大阪の事務所で会議があります。",
    "請求書の金額は十二万三千四百円で、支払期限は来月の末日です。",
    "このファイルは決して変更しないでください。",
    "田中さんが新しい設計書を確認してから、もう一度連絡します。",
)


@dataclass
class LongTalk:
    """Makes turns: what the user says, and what the assistant and its tools say then."""

    seed: int = 7
    turns: int = 0
    dice: random.Random = field(init=False)

    def __post_init__(self) -> None:
        self.dice = random.Random(self.seed)

    def question(self) -> str:
        """What the user says next."""
        self.turns += 1
        words = self._prose(max(1, round(self.dice.lognormvariate(1.0, 0.7))))
        text = f"Turn {self.turns}: {words}"
        draw = self.dice.random()
        if draw < WITH_PASTE:
            return f"{text}\n\n{self._file(3_000, 12_000)}\n\nWhat follows from it?"
        if draw < WITH_PASTE + DENSE:
            return text + "".join(self.dice.choices(DENSE_SENTENCES, k=4))
        return text

    def tool_exchange(self) -> list[RecordedMessage]:
        """Calls of tools with their results, in a quarter of the turns; else nothing."""
        if self.dice.random() >= WITH_TOOLS:
            return []
        calls, results = [], []
        for place in range(self.dice.choice((1, 1, 1, 2, 3))):
            id = f"call_{self.turns}_{place}"
            path = self.dice.choice(list(self._files))
            function = {"name": "read_file", "arguments": json.dumps({"path": path})}
            calls.append({"id": id, "type": "function", "function": function})
            results.append(RecordedMessage("tool", self._file(200, 8_000), tool_call_id=id))
        return [RecordedMessage("assistant", "", tuple(calls)), *results]

    def answer(self) -> str:
        """What the assistant answers."""
        text = self._prose(max(1, round(self.dice.lognormvariate(1.6, 0.7))))
        if self.dice.random() < WITH_CODE:
            return f"{text}\n\n```python\n{self._file(500, 3_000)}\n```"
        return text

    def turn(self) -> list[RecordedMessage]:
        """A whole turn."""
        asked = RecordedMessage("user", self.question())
        return [asked, *self.tool_exchange(), RecordedMessage("assistant", self.answer())]

    def _prose(self, sentences: int) -> str:
        return " ".join(self.dice.choices(self._sentences, k=min(30, sentences)))

    def _file(self, least: int, most: int) -> str:
        text = self.dice.choice(list(self._files.values()))
        length = self.dice.randint(least, most)
        start = self.dice.randrange(max(1, len(text) - length))
        return text[start : start + length]

    @cached_property
    def _sentences(self) -> Sequence[str]:
        texts = ((ROOT / name).read_text(encoding="utf-8") for name in PROSE)
        return [found for text in texts for found in SENTENCE.findall(text)]

    @cached_property
    def _files(self) -> Mapping[str, str]:
        paths = sorted((ROOT / "memory").rglob("*.py"))
        return {
            path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8") for path in paths
        }
