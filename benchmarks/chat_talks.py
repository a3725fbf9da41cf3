"""Makes talks in LoCoMo's format from the evidence and questions of `benchmarks/chats`.

Eight users talk with one assistant for 52 sessions each; evidence stands in the midst of requests,
among long answers on the same topics and docstrings of the standard library, and its questions use
other words. Beside them: four languages, code, four people in one flat, and very short turns.
Everything was written before recall's weights for such talks were found; of the eight, those of
`assistant_learned.txt` were learned on, and those of `assistant_held.txt` only measured.

    python benchmarks/chat_talks.py OUT.json [--only assistant_held ...]
    strata bench recall OUT.json

A block of a file is a question (`? kind | text`) and what answers it: who says it, in which
session, on which topic, and the words. Of filler `{a|b}` is one of both.
"""

import argparse
import importlib
import inspect
import json
import random
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent / "chats"
CATEGORIES = {"user": 4, "fact": 4, "assistant": 4, "preference": 3, "temporal": 2}
"""As LoCoMo numbers them; what needs several messages is 1."""
MODULE_NAMES = """
argparse asyncio base64 bisect calendar collections csv datetime decimal difflib email enum
fractions functools gzip hashlib heapq inspect io itertools json locale logging math operator os
pathlib pickle platform pprint queue random re secrets shelve shutil socket sqlite3 statistics
string struct subprocess tempfile textwrap threading time traceback types typing unittest uuid
warnings zipfile
"""
LEADS = ("You asked: {} Here is what I would do. ", "Happy to help. {} Step by step: ", "{} ")
ASKED = ("What does {} do?", "How do I use {} correctly?", "{} raises an error, what do I miss?")


@dataclass(frozen=True)
class Told:
    """A message that answers a question."""

    who: str
    session: int
    topic: str
    text: str


@dataclass
class Asked:
    """A question with what answers it."""

    kind: str
    text: str
    told: list[Told] = field(default_factory=list)


@dataclass(frozen=True)
class Form:
    """How the talks of a file are."""

    sessions: int
    topics: tuple[str, ...] = ()
    """Of what else is talked; all of them where none is named."""
    code: float = 0.2
    """Share of the sessions that are about code."""
    speakers: tuple[str, ...] = ()
    """People who talk among themselves."""
    terse: bool = False


FORMS = {
    "assistant_learned": Form(52),
    "assistant_held": Form(52),
    "languages": Form(24, code=0.05),
    "code": Form(60, ("computers",), 0.85),
    "group": Form(40, ("group",), 0.0, ("Nadia", "Piotr", "Sam", "Yuki")),
    "short": Form(60, ("short",), 0.0, terse=True),
}


def questions_of(path: Path) -> list[tuple[str, str, list[Asked]]]:
    """The talks of a file: name, language, questions."""
    talks: list[tuple[str, str, list[Asked]]] = []
    for line in path.read_text("utf-8").splitlines():
        head, _, text = line.partition(" | ")
        if line.startswith("# "):
            name, *language = line[2:].split()
            talks.append((name, "".join(language), []))
        elif line.startswith("? "):
            talks[-1][2].append(Asked(head[2:], text))
        elif text:
            who, session, *topic = head.split()
            talks[-1][2][-1].told.append(Told(who, int(session), "".join(topic), text))
    return talks


def filler() -> dict[str, dict[str, list[str]]]:
    """What else is said, by topic: requests (u) and sentences of answers (a)."""
    topics: dict[str, dict[str, list[str]]] = {}
    for line in (HERE / "filler.txt").read_text("utf-8").splitlines():
        kind, _, text = line.partition(" ")
        if kind == "#":
            of_topic = topics.setdefault(text, {"u": [], "a": []})
        elif text:
            of_topic[kind].append(text)
    return topics


def docstrings() -> list[tuple[str, str]]:
    """Names and long docstrings of the standard library."""
    found = []
    for name in MODULE_NAMES.split():
        for what, thing in sorted(vars(importlib.import_module(name)).items()):
            text = inspect.getdoc(thing) if callable(thing) and what[0] != "_" else None
            if text and len(text) > 300:
                found.append((f"{name}.{what}", text[:2_500]))
    return found


class Maker:
    """Makes one talk; its name is the seed."""

    def __init__(self, name: str, language: str, form: Form) -> None:
        self._chance = random.Random(name)
        self._form = form
        topics = filler()
        wanted = (language,) if language else form.topics
        plain = [topic for topic in topics if len(topic) > 2 and topic not in ("group", "short")]
        self._topics = {topic: topics[topic] for topic in wanted or plain}
        self._every = {**{topic: topics[topic] for topic in plain}, **self._topics}
        self._docs = docstrings() if form.code else []

    def talk(self, name: str, asked: Sequence[Asked]) -> dict[str, Any]:
        """The talk in LoCoMo's format."""
        speakers = self._form.speakers
        conversation: dict[str, Any] = {
            "speaker_a": speakers[0] if speakers else "user",
            "speaker_b": speakers[1] if speakers else "assistant",
        }
        where: dict[int, str] = {}
        at = datetime(2024, 1, 6, 8, tzinfo=UTC) + timedelta(days=self._chance.randint(0, 300))
        for number in range(1, self._form.sessions + 1):
            at += timedelta(days=self._chance.choice((1, 1, 2, 3, 4, 5, 6, 7, 9)))
            turns = self._session(number, asked, where)
            conversation[f"session_{number}"] = turns
            conversation[f"session_{number}_date_time"] = at.strftime("%I:%M %p on %d %B, %Y")
        return {
            "sample_id": name,
            "conversation": conversation,
            "qa": [
                {
                    "question": each.text,
                    "answer": "",
                    "category": CATEGORIES.get(each.kind, 1),
                    "evidence": [where[id(told)] for told in each.told if id(told) in where],
                }
                for each in asked
            ],
        }

    def _session(
        self, number: int, asked: Sequence[Asked], where: dict[int, str]
    ) -> list[dict[str, str]]:
        """The turns of a session; `where` learns the ids of those that answer."""
        turns: list[dict[str, str]] = []

        def say(who: str, text: str) -> str:
            id = f"D{number}:{len(turns) + 1}"
            turns.append({"speaker": who, "dia_id": id, "text": text})
            return id

        slots = self._slots(number, asked)
        topic = self._topic([told for told, _ in filter(None, slots)])
        for slot in slots:
            said = slot[0].text if slot else self._request(topic)
            if self._form.speakers:
                if slot:
                    where[id(slot[0])] = say(slot[0].who, said)
                for _ in range(self._chance.randint(2, 5)):
                    say(self._chance.choice(self._form.speakers), self._request(topic))
                continue
            here = say("user", said)
            reply = slot[1] if slot else None
            there = say("assistant", reply.text if reply else self._answer(topic, said))
            if slot:
                where[id(reply or slot[0])] = there if reply else here
        return turns

    def _slots(self, number: int, asked: Sequence[Asked]) -> list[tuple[Told, Told | None] | None]:
        """The exchanges of a session: evidence with the answer that is given to it, or filler."""
        slots: list[tuple[Told, Told | None] | None] = [None] * self._chance.randint(2, 5)
        for each in asked:
            here = [told for told in each.told if told.session == number]
            reply = next((told for told in here if told.who == "a"), None)
            for told in here:
                if told.who != "a":
                    slots.insert(self._chance.randint(0, len(slots)), (told, reply))
        return slots

    def _topic(self, told: Sequence[Told]) -> str:
        named = [each.topic for each in told if each.topic]
        if named:
            return named[0]
        is_code = self._chance.random() < self._form.code
        return "code" if is_code else self._chance.choice(list(self._topics))

    def _request(self, topic: str) -> str:
        if topic == "code":
            return self._chance.choice(ASKED).format(self._chance.choice(self._docs)[0])
        return self._filled(self._chance.choice(self._every[topic]["u"]))

    def _answer(self, topic: str, request: str) -> str:
        chance = self._chance
        if topic == "code":
            return chance.choice(self._docs)[1]
        pool = self._every[topic]["a"]
        if self._form.terse:
            return self._filled(chance.choice(pool))
        lines = chance.sample(pool, min(len(pool), chance.randint(5, 10)))
        if chance.random() < 0.3:
            lines += chance.sample(self._every[chance.choice(list(self._topics))]["a"], 3)
        lines = [self._filled(line) for line in lines]
        questions = re.findall(r"[^.!?]+\?", request)
        repeats = questions and chance.random() < 0.5
        lead = chance.choice(LEADS).format(questions[-1].strip()) if repeats else ""
        if chance.random() < 0.5:
            return lead + "".join(f"\n{place}. {line}" for place, line in enumerate(lines, 1))
        return lead + " ".join(lines)

    def _filled(self, text: str) -> str:
        while "{" in text:
            text = re.sub(
                r"\{([^{}]*)\}", lambda m: self._chance.choice(m[1].split("|")), text, count=1
            )
        return text


def made(names: Sequence[str]) -> list[dict[str, Any]]:
    """The talks of some files."""
    return [
        Maker(name, language, FORMS[file]).talk(name, asked)
        for file in names
        for name, language, asked in questions_of(HERE / f"{file}.txt")
    ]


def main() -> None:
    """Writes the file."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("out", type=Path)
    parser.add_argument("--only", nargs="+", choices=FORMS, default=list(FORMS))
    options = parser.parse_args()
    options.out.write_text(json.dumps(made(options.only), ensure_ascii=False), "utf-8")


if __name__ == "__main__":
    main()
