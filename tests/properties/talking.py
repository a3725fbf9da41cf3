"""What is said in a session that a state machine drives, and short ways to look at it."""

import asyncio
import json
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule

from memory.answer import EmptyMessage
from memory.config import MemoryConfig
from memory.errors import StrataError
from memory.events import Compacted, Message, Recorded, RequestEnded, RequestPrepared
from memory.memory import Memory
from memory.pairing import STRAY
from memory.parts import Ledger, MessageRef, Outcome, Role
from memory.pieces import ChatMessage
from memory.policy_names import BUILT_IN
from memory.prompt import Prompt, PromptTooLarge
from memory.state import Folding
from tests.memory.doubles import DenseCounter, WordEmbedder, chat_model, words
from tests.properties.session import Moody, Session
from tests.properties.shown import check_recalled
from tests.properties.texts import LENGTHS, POLITE, RESULTS, SAID, politely

WINDOWS = st.sampled_from([640, 1_024, 2_048, 4_096, 8_192, 32_768])
CONFIGS = st.fixed_dictionaries(
    {
        "immediate_window": st.sampled_from([1, 2, 3, 4, 6, 8, 16, 64]),
        "recent_window": st.sampled_from([1, 2, 3, 4, 6, 8, 16, 64]),
        "keep_recent_messages": st.integers(1, 10),
        "policy": st.sampled_from(["cascade", "cascade", *BUILT_IN]),
        "paste_chars": st.sampled_from([200, 2_000]),
        "code_lines": st.sampled_from([5, 40]),
        "summary_details_tokens": st.sampled_from([0, 20, 100]),
        "summary_max_tokens": st.sampled_from([24, 60, 160]),
        "show_results": st.sampled_from(["once", "once", "turn", "always"]),
        "tool_result_budget": st.sampled_from([200, 2_000, 10_000]),
        "recall": st.sampled_from(
            [{}, {"passages": 2, "budget_tokens": 150}, {"wait_s": 0}, {"enabled": False}]
        ),
        "system_prompt": st.sampled_from(["", "Be brief.", "Follow the rules. " * 8]),
    }
)
SEEN: Counter[str] = Counter()
"""What happened in all the sessions of a search, so that it can be told to have happened."""


@dataclass
class Sent:
    """A request that was prepared."""

    prompt: Prompt
    ledger: Ledger
    n: int
    """The event it was recorded as."""

    @property
    def messages(self) -> tuple[ChatMessage, ...]:
        """What the model was sent."""
        return self.prompt.messages


@dataclass
class Known:
    """What is known of a branch: its log as it was last seen, and its requests by id."""

    log: list[Recorded] = field(default_factory=list)
    checked: int = 0
    requests: dict[str, Sent] = field(default_factory=dict)
    newest: Sent | None = None
    undone_from: Folding | None = None
    """The folding before everything that can be redone was undone."""
    undone_at: int = 0
    """The last event before that."""


class Talking(RuleBasedStateMachine):
    """A session and what is said in it."""

    def __init__(self) -> None:
        super().__init__()
        self.session = Session()
        self.known = Known()
        self.in_flight: list[str] = []
        self.calls = 0
        self.carried: set[str] = set()
        """Bodies of the tool results that completed requests have carried in full."""
        self.polite: Role = "user"

    @initialize(
        values=CONFIGS,
        window=WINDOWS,
        counted=st.booleans(),
        modelled=st.sampled_from([True, True, False]),
        summariser=st.sampled_from([512, 1_024, 4_096, None]),
        embeds=st.sampled_from([False, False, True]),
        said=st.integers(0, 40),
    )
    def begin(
        self, values: dict[str, Any], window: int, counted: bool, modelled: bool,
        summariser: int | None, embeds: bool, said: int,
    ) -> None:  # fmt: skip
        """Any windows, with or without a model and a counter."""
        session = self.session
        session.config = MemoryConfig.from_values(values)
        session.counter = DenseCounter() if counted else None
        session.chat = chat_model(window, counted_by="model" if counted else "estimate")
        if modelled:
            session.model = Moody(context_window=summariser)
            session.model.gate.set()
        session.embedder = WordEmbedder() if embeds else None
        session.open()
        self.chat(said, 100)

    @rule(length=LENGTHS, role=st.sampled_from(["user", "user", "assistant", "system"]))
    def say_at_length(self, length: int, role: Role) -> None:
        """A message of any length."""
        length = min(length, 200) if role == "system" else length
        self.add(role, words(self.next, length))

    @rule(text=SAID, role=st.sampled_from(["user", "user", "assistant"]))
    def say(self, text: str, role: Role) -> None:
        """Anything: polite, repeated, pasted, code, forged receipts, nothing at all."""
        self.add(role, text)

    @rule(count=st.integers(2, 6))
    def be_polite(self, count: int) -> None:
        """Messages that nobody would miss, one after the other."""
        for _ in range(count):
            self.add(self.polite, politely(self.polite))
            self.polite = "assistant" if self.polite == "user" else "user"

    @rule(text=st.sampled_from(POLITE), length=st.sampled_from([60, 200, 800]))
    def repeat(self, text: str, length: int) -> None:
        """What was said before, word for word, and an answer to it."""
        self.add("user", words(1, length))
        self.add("assistant", text)

    @rule(count=st.integers(3, 12), length=st.sampled_from([60, 200, 800]))
    def talk(self, count: int, length: int) -> None:
        """Some turns, and what they make due."""
        self.chat(count, length)

    @precondition(lambda self: self.is_open())
    @rule(count=st.integers(3, 12))
    def talk_slowly(self, count: int) -> None:
        """Turns with time between them."""
        for _ in range(count):
            self.chat(1, 120)
            self.settle()

    @rule(length=st.sampled_from([5, 300, 3_000]))
    def say_densely(self, length: int) -> None:
        """A message with many tokens for its characters."""
        self.add("user", "漢字😀" * length)

    @rule(
        parallel=st.integers(1, 3),
        answered=st.integers(0, 3),
        result=RESULTS,
        argument=st.sampled_from(["a.txt", "b.txt", "y" * 900]),
    )
    def call_tools(self, parallel: int, answered: int, result: str, argument: str) -> None:
        """A call of several tools, perhaps before others have answered; some answer at once."""
        self.call(parallel, argument)
        for _ in range(min(answered, parallel)):
            self.answer_call(result, len(self.in_flight) - 1)

    @rule(times=st.integers(2, 6), result=RESULTS, parallel=st.integers(1, 2))
    def work(self, times: int, result: str, parallel: int) -> None:
        """The same is looked up again and again, as when a program is mended."""
        self.add("user", words(self.next, 60))
        for _ in range(times):
            self.call(parallel, "a.txt")
            while self.in_flight:
                self.answer_call(result, 0)

    @precondition(lambda self: self.in_flight)
    @rule(result=RESULTS, place=st.integers(0, 4))
    def answer_call(self, result: str, place: int) -> None:
        """A tool answers, in any order."""
        name = self.in_flight.pop(place % len(self.in_flight))
        self.run(self.memory.add("tool", result, tool_call_id=name))

    @rule(length=LENGTHS)
    def answer_nobody(self, length: int) -> None:
        """A result whose call is nowhere."""
        self.run(self.memory.add("tool", "z" * length, tool_call_id=f"lost{self.next}"))

    @rule(text=st.sampled_from(["", "Half an answ"]), interrupted=st.booleans())
    def stream(self, text: str, interrupted: bool) -> None:
        """An answer that streams, and is finished or stopped."""
        request = self.request()
        if request is None:
            return
        answer = self.memory.answer(request)

        async def stream() -> None:
            answer.grow(text)
            await asyncio.sleep(0)
            await answer.close(interrupted=interrupted)

        self.run(stream())

    def teardown(self) -> None:
        """Leaves nothing behind."""
        self.session.discard()

    @rule(count=st.integers(2, 6), length=st.sampled_from([60, 400]), calls=st.booleans())
    def converse(self, count: int, length: int, calls: bool) -> None:
        """Turns as a program makes them: a question, a request, a tool perhaps, and an answer."""
        for _ in range(count):
            self.add("user", words(self.next, length))
            self.ask()
            if calls:
                self.call(1, f"{self.next}.txt")
                self.answer_call(words(self.next, length), len(self.in_flight) - 1)
                self.ask()
            self.add("assistant", words(self.next, length))

    @rule(outcome=st.sampled_from(["ok", "ok", "failed", "stopped"]))
    def ask(self, outcome: Outcome = "ok") -> None:
        """A request that ends somehow; what a completed one carried counts as shown."""
        request = self.request()
        if request is None:
            return
        prompt = self.known.requests[request].prompt
        self.run(self.memory.ended(RequestEnded(request, 1, "m", outcome)))
        if outcome == "ok":
            self.carried |= {
                piece.ref.body
                for piece in prompt.pieces
                if piece.ref is not None
                and (piece.ref.role == "tool" or piece.text.startswith(STRAY))
                and piece.stage is None
                and piece.ref.number not in prompt.ledger.shortened
            }

    @rule(about=st.integers(1, 60), length=st.sampled_from([60, 400]))
    def recollect(self, about: int, length: int) -> None:
        """RECALL-3, I9: what a message calls for is searched once, and stands through its turn."""
        self.add("user", words(about, length))
        self.request()
        found = self.memory.state.recalled
        self.call(1, "a.txt")
        self.answer_call(words(about, length), len(self.in_flight) - 1)
        self.request()
        assert self.memory.state.recalled == found
        if found is not None:
            SEEN["recalled"] += bool(found.texts)
            check_recalled(self.session.log())

    @precondition(lambda self: self.session.embedder)
    @rule(failing=st.booleans())
    def change_embedder(self, failing: bool) -> None:
        """What tells meanings fails, or comes back: turns go on by words alone."""
        embedder = self.session.embedder
        assert embedder is not None
        embedder.failing = failing

    # -- short ways

    @property
    def memory(self) -> Memory:
        """The open session."""
        return self.session.memory

    @property
    def next(self) -> int:
        """The number of the next message."""
        return self.memory.state.messages + 1

    def run(self, work: Any) -> Any:
        """Runs something to its end."""
        return self.session.run(work)

    def call(self, parallel: int, argument: str) -> None:
        """The model calls a tool so many times at once; ids are used again and again."""
        names = [f"call_{(self.calls + i) % 5}" for i in range(parallel)]
        self.calls += parallel
        function = {"name": "read", "arguments": json.dumps({"path": argument})}
        calls = [{"id": name, "type": "function", "function": function} for name in names]
        self.run(self.memory.add("assistant", "", tool_calls=calls))
        self.in_flight = [*(name for name in self.in_flight if name not in names), *names]

    def is_open(self) -> bool:
        """Whether the summariser answers, so that waiting for it ends."""
        model = self.session.model
        return model is None or model.gate.is_set()

    def settle(self) -> None:
        """Waits for everything in the background."""
        self.run(self.memory.settled())

    def hold_still(self) -> None:
        """Ends what compacts in the background."""
        self.run(self.memory._upkeep.stop())
        self.run(self.memory.reports.settled())

    def look_again(self) -> None:
        """Lets memory look whether anything is due, and waits for it."""

        async def look() -> None:
            self.memory.start_upkeep()
            await self.memory.settled()

        self.run(look())

    def add(self, role: Role, text: str) -> None:
        """Says something; nothing at all is refused."""
        if role == "user" and text.strip():
            self.in_flight = []
        if self.refused(EmptyMessage, self.memory.add(role, text)):
            assert not text.strip()

    def chat(self, count: int, length: int) -> None:
        """So many turns."""
        for _ in range(count):
            self.add("user" if self.next % 2 else "assistant", words(self.next, length))

    def prompt(self) -> Prompt | None:
        """The next prompt, with everything counted; None where it is refused."""
        try:
            prompt: Prompt = self.run(self.memory.prompt())
        except PromptTooLarge:
            return None
        return prompt

    def request(self) -> str | None:
        """Prepares the next request and remembers it; its id."""
        prompt = self.prompt()
        if prompt is None:
            return None
        id: str = self.run(self.memory.prepare(prompt))
        log = self.session.log()
        sent = next(
            Sent(prompt, entry.event.ledger, entry.n)
            for entry in reversed(log)
            if isinstance(entry.event, RequestPrepared)
        )
        self.known.requests[id] = sent
        self.compare(self.known.newest, sent, log)
        self.known.newest = sent
        return id

    def compare(self, before: Sent | None, now: Sent, log: list[Recorded]) -> None:
        """Looks at what two requests have in common."""

    def refused(self, kind: type[StrataError], work: Any) -> bool:
        """Whether something is refused in that way."""
        try:
            self.run(work)
        except kind:
            return True
        return False

    def said(self, log: list[Recorded]) -> list[MessageRef]:
        """Every message of a log."""
        return [entry.event.ref for entry in log if isinstance(entry.event, Message)]

    def compactions(self) -> int:
        """How many there were."""
        return sum(isinstance(entry.event, Compacted) for entry in self.session.log())
