"""The invariants of memory over random conversations, failures, interruptions and restarts."""

import asyncio
import json
from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from memory.branching import NoSuchMessage
from memory.config import MemoryConfig
from memory.errors import StrataError
from memory.events import (
    Compacted,
    ContentStored,
    Forked,
    LossMeasured,
    LossReported,
    Recorded,
    RequestPrepared,
)
from memory.memory import Memory
from memory.policy_names import BUILT_IN
from memory.prompt import build_prompt, digest_of
from memory.state import fold
from memory.undoing import NothingToUndo, WouldNotFit
from tests.memory.doubles import DenseCounter, chat_model, words
from tests.properties.depth import MACHINE
from tests.properties.invariants import (
    check_compactions,
    check_coverage,
    check_log,
    check_prompt,
)
from tests.properties.session import MANNERS, Moody, Session

AFTERMATH = (Compacted, ContentStored, LossReported, LossMeasured)
"""What compactions write."""
LENGTHS = st.sampled_from([1, 2, 30, 120, 120, 400, 400, 1_500, 9_000, 60_000])
WINDOWS = st.sampled_from([640, 1_024, 4_096, 8_192, 32_768])
CONFIGS = st.fixed_dictionaries(
    {
        "immediate_window": st.integers(1, 8),
        "recent_window": st.integers(1, 8),
        "keep_recent_messages": st.integers(1, 10),
        "policy": st.sampled_from(["cascade", "cascade", *BUILT_IN]),
        "paste_chars": st.sampled_from([200, 2_000]),
        "code_lines": st.sampled_from([5, 40]),
        "summary_details_tokens": st.sampled_from([0, 20, 100]),
        "summary_max_tokens": st.sampled_from([24, 60, 160]),
        "tool_result_budget": st.sampled_from([200, 2_000, 10_000]),
        "system_prompt": st.sampled_from(["", "Be brief.", "Follow the rules. " * 8]),
    }
)


class Conversation(RuleBasedStateMachine):
    """One session, whatever happens to it."""

    def __init__(self) -> None:
        super().__init__()
        self.session = Session()
        self.seen: list[Recorded] = []
        self.checked = 0
        self.in_flight: list[str] = []
        self.calls = 0
        self.requests: dict[str, str] = {}
        self.left: dict[str, list[Recorded]] = {}
        """The logs of other branches, as they were when they were left."""

    @initialize(
        values=CONFIGS,
        window=WINDOWS,
        counted=st.booleans(),
        modelled=st.sampled_from([True, True, False]),
        summariser=st.sampled_from([512, 1_024, 4_096, None]),
        said=st.integers(0, 40),
    )
    def begin(
        self, values: dict[str, Any], window: int, counted: bool, modelled: bool,
        summariser: int | None, said: int,
    ) -> None:  # fmt: skip
        """Any windows, with or without a model and a counter."""
        session = self.session
        session.config = MemoryConfig.from_values(values)
        session.counter = DenseCounter() if counted else None
        session.chat = chat_model(window, counted_by="model" if counted else "estimate")
        if modelled:
            session.model = Moody(context_window=summariser)
            session.model.gate.set()
        session.open()
        self._chat(said, 100)

    # -- what is said

    @rule(length=LENGTHS, role=st.sampled_from(["user", "user", "assistant", "system"]))
    def say(self, length: int, role: str) -> None:
        """A message of any length."""
        length = min(length, 200) if role == "system" else length
        self._add(role, words(self._next(), length))

    @rule(count=st.integers(3, 12), length=st.sampled_from([60, 200, 800]))
    def chat(self, count: int, length: int) -> None:
        """Some turns, and what they make due."""
        self._chat(count, length)

    @precondition(lambda self: self._open())
    @rule(count=st.integers(3, 12))
    def chat_slowly(self, count: int) -> None:
        """Turns with time between them."""
        for _ in range(count):
            self._chat(1, 120)
            self._settle()

    @rule(length=st.sampled_from([5, 300, 3_000]))
    def say_densely(self, length: int) -> None:
        """A message with many tokens for its characters."""
        self._add("user", "漢字😀" * length)

    @rule(parallel=st.integers(1, 3), answered=st.integers(0, 3), length=LENGTHS)
    def call_tools(self, parallel: int, answered: int, length: int) -> None:
        """A call of several tools, of which some have answered."""
        names = [f"call_{(self.calls + i) % 5}" for i in range(parallel)]
        self.calls += parallel
        calls = [
            {
                "id": name,
                "type": "function",
                "function": {"name": "read", "arguments": json.dumps({"x": "y" * (length % 900)})},
            }
            for name in names
        ]
        self._run(self._memory.add("assistant", "", tool_calls=calls))
        self.in_flight = names
        for _ in range(min(answered, parallel)):
            self.answer_call(length)

    @precondition(lambda self: self.in_flight)
    @rule(length=LENGTHS)
    def answer_call(self, length: int) -> None:
        """A tool answers."""
        name = self.in_flight.pop(0)
        self._run(self._memory.add("tool", "z" * length, tool_call_id=name))

    @rule(length=LENGTHS)
    def answer_nobody(self, length: int) -> None:
        """A result whose call is nowhere."""
        self._run(self._memory.add("tool", "z" * length, tool_call_id=f"lost{self._next()}"))

    @rule(text=st.sampled_from(["", "Half an answ"]), interrupted=st.booleans())
    def stream(self, text: str, interrupted: bool) -> None:
        """An answer that streams, and is finished or stopped."""
        prompt = self._prompt()
        if prompt is None:
            return
        request = self._run(self._memory.prepare(prompt))
        self.requests[request] = prompt.ledger.digest
        answer = self._memory.answer(request)

        async def stream() -> None:
            answer.grow(text)
            await asyncio.sleep(0)
            await answer.close(interrupted=interrupted)

        self._run(stream())

    # -- what goes wrong

    @precondition(lambda self: self.session.model)
    @rule(manner=st.sampled_from(MANNERS), stalled=st.booleans())
    def change_mood(self, manner: str, stalled: bool) -> None:
        """The summariser fails, lies, stalls, or comes back."""
        model = self.session.model
        assert model is not None
        model.manner = manner
        if stalled:
            model.gate.clear()
        else:
            model.gate.set()

    @rule(steps=st.integers(0, 40))
    def interrupt_compaction(self, steps: int) -> None:
        """Compaction is cancelled somewhere on its way: wholly there, or not at all."""
        before = self._memory.state
        self.session.interrupt(self._memory.compact(), steps)
        self._unchanged_but_for_compactions(before.n)

    @rule(steps=st.integers(0, 12))
    def interrupt_upkeep(self, steps: int) -> None:
        """What runs in the background is cancelled."""

        async def stop() -> None:
            for _ in range(steps):
                await asyncio.sleep(0)
            await self._memory._upkeep.stop()

        self._run(stop())

    @rule(steps=st.integers(0, 20))
    def interrupt_message(self, steps: int) -> None:
        """Whoever adds a message is cancelled: it is there once, or not at all."""
        before = self._memory.state.messages
        self.session.interrupt(self._memory.add("user", words(self._next())), steps)
        assert self._memory.state.messages - before in (0, 1)

    @rule(clean=st.booleans(), values=CONFIGS | st.none())
    def restart(self, clean: bool, values: dict[str, Any] | None) -> None:
        """The program ends or is killed, and starts again, perhaps configured otherwise."""
        before = self._memory.state
        if clean:
            self.session.close()
        else:
            self.session.kill()
        if values is not None:
            self.session.config = MemoryConfig.from_values(values)
        self.session.open()
        assert self._memory.state.messages >= before.messages

    @rule(window=WINDOWS)
    def change_model(self, window: int) -> None:
        """Another model answers from here on."""
        session = self.session
        session.chat = chat_model(
            window, counted_by="model" if session.counter else "estimate", name=f"of {window}"
        )
        self._run(self._memory.use_model(session.chat, session.counter, session.model))

    # -- what the user may do

    @precondition(lambda self: self._open())
    @rule()
    def settle(self) -> None:
        """Everything in the background ends."""
        self._settle()

    @precondition(lambda self: self._open())
    @rule()
    def compact(self) -> None:
        """A manual compaction; where there is nothing to gain, nothing changes."""
        self._settle()
        before = self._memory.state
        if self._run(self._memory.compact()) is None:
            assert self._memory.state == before

    # What is drawn must not depend on how far the background has come: places, not names.
    @rule(back=st.integers(0, 4))
    def undo(self, back: int) -> None:
        """I8: undo gives the folding before, with the messages since."""
        self._run(self._memory._upkeep.stop())
        self._run(self._memory.reports.settled())
        standing = [r for r in self._run(self._memory.compactions()) if not r.undone]
        before = self._memory.state
        if not standing:
            assert self._refused(NothingToUndo, self._memory.undo())
            return
        chosen = standing[-1 - min(back, len(standing) - 1)]
        if self._refused(WouldNotFit, self._memory.undo(chosen.event.id)):
            assert self._memory.state == before
            return
        then = fold(self.session.log()[: chosen.n - 1])
        now = self._memory.state.folding
        assert (now.long_term, now.short_term, now.pinned, now.last_cascade) == (
            then.folding.long_term,
            then.folding.short_term,
            then.folding.pinned,
            then.folding.last_cascade,
        )
        assert now.verbatim[: len(then.folding.verbatim)] == then.folding.verbatim
        assert [ref.number for ref in now.verbatim[len(then.folding.verbatim) :]] == list(
            range(then.messages + 1, before.messages + 1)
        )

    @rule()
    def redo(self) -> None:
        """The compaction undone last holds again."""
        self._run(self._memory._upkeep.stop())
        undone = self._memory.state.undone
        refused = self._refused(NothingToUndo, self._memory.redo())
        assert refused == (not undone)
        if undone:
            assert self._memory.state.undone == undone[:-1]

    @rule(back=st.integers(0, 40), goes=st.booleans())
    def fork(self, back: int, goes: bool) -> None:
        """CHAT-4, I6: a branch from any message; what it comes from stays as it was."""
        memory = self._memory
        self._run(memory._upkeep.stop())
        self._run(memory.reports.settled())
        before, log, prompt = memory.state, self.session.log(), self._prompt()
        at = max(0, before.messages - back)
        if not before.messages:
            assert self._refused(NoSuchMessage, memory.branches.fork(0, "fork"))
            return
        # By the session's name the new branch would be opened, once it is there.
        self.session.branch = memory.info.branch
        branch = self._run(memory.branches.fork(at, "fork"))
        after = self._prompt()
        assert (memory.state, self.session.log()) == (before, log)
        assert (after and after.messages) == (prompt and prompt.messages)
        if goes:
            self._go(branch)
            assert self._memory.state.messages == at

    @precondition(lambda self: self.left)
    @rule(place=st.integers(0, 9))
    def go_between_branches(self, place: int) -> None:
        """CHAT-5: another branch is as it was left."""
        branches = sorted(self.left)
        self._go(branches[place % len(branches)])

    @rule(place=st.integers(0, 20))
    def look_back(self, place: int) -> None:
        """PROMPT-5: a past request is shown as it was sent."""
        made = [e.event for e in self.session.log() if isinstance(e.event, RequestPrepared)]
        here = [event.request for event in made if event.request in self.requests]
        for request in here[place : place + 1]:
            shown = self._run(self._memory.request_messages(request))
            assert digest_of(shown) == self.requests[request]

    # -- what always holds

    @invariant()
    def holds(self) -> None:
        """I1 to I7, and that the log gives the state."""
        if self.session._memory is None:
            return
        memory = self._memory
        state, journal = memory.state, memory._journal
        check_coverage(state)
        check_prompt(state, journal.texts, journal.tally, memory.budget)
        assert memory.snapshot().n == state.n
        log = self.session.log()[: state.n]
        check_log(log, self.seen, state)
        fresh = [r.event for r in log[self.checked :] if isinstance(r.event, Compacted)]
        if fresh:
            check_compactions(log, self.checked, self._counts())
        self.seen, self.checked = log, len(log)

    def teardown(self) -> None:
        """Leaves nothing behind."""
        self.session.discard()

    # -- short ways

    @property
    def _memory(self) -> Memory:
        return self.session.memory

    def _run(self, work: Any) -> Any:
        return self.session.run(work)

    def _go(self, branch: str) -> None:
        """Closes the session and opens it at another branch."""
        session = self.session
        session.close()
        self.left[self._memory.info.branch] = self.seen
        session.branch = branch
        session.open()
        log = session.log()
        shared = next((e.n - 1 for e in reversed(log) if isinstance(e.event, Forked)), 0)
        self.seen = self.left.pop(branch, log[:shared])
        self.checked, self.in_flight = len(self.seen), []

    def _next(self) -> int:
        return self._memory.state.messages + 1

    def _open(self) -> bool:
        """Whether the summariser answers, so that waiting for it ends."""
        model = self.session.model
        return model is None or model.gate.is_set()

    def _settle(self) -> None:
        self._run(self._memory.settled())

    def _add(self, role: Any, text: str) -> None:
        if role == "user":
            self.in_flight = []
        self._run(self._memory.add(role, text))

    def _chat(self, count: int, length: int) -> None:
        for _ in range(count):
            self._add("user" if self._next() % 2 else "assistant", words(self._next(), length))

    def _prompt(self) -> Any:
        memory = self._memory
        self._run(memory._upkeep.count())
        journal = memory._journal
        try:
            return build_prompt(memory.state, journal.texts, journal.tally, memory.budget)
        except StrataError:
            return None

    def _refused(self, kind: type[StrataError], work: Any) -> bool:
        try:
            self._run(work)
        except kind:
            return True
        return False

    def _unchanged_but_for_compactions(self, n: int) -> None:
        new = self.session.log()[n:]
        assert all(isinstance(recorded.event, AFTERMATH) for recorded in new)

    def _counts(self) -> dict[str, int]:
        """The counts that were in force."""
        state = self._memory.state
        if self.session.counter is None or state.model is None:
            return {}
        rows = self._run(self._memory._journal.database.all("SELECT body, tokens FROM token_count"))
        return dict(rows)


def test_every_invariant_holds_whatever_happens() -> None:
    """I1 to I8, STORE-2, PROMPT-5, CHAT-4: over random conversations, failures and restarts."""
    run_state_machine_as_test(Conversation, settings=MACHINE)
