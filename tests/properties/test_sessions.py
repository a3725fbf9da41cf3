"""The invariants of memory over random conversations, failures, interruptions and restarts."""

import asyncio
from typing import Any

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import invariant, precondition, rule, run_state_machine_as_test

from memory.config import MemoryConfig
from memory.content_events import ContentStored
from memory.errors import StrataError
from memory.events import Compacted, LossMeasured, LossReported, Recorded
from memory.files import FoundFile
from memory.fold import fold
from memory.parts import SummarySlot
from memory.pinning import CantPin
from memory.prompt import digest_of
from memory.undoing import NothingToUndo, WouldNotFit
from tests.memory.doubles import chat_model, words
from tests.properties.branched import Branched
from tests.properties.depth import MACHINE, NIGHTLY
from tests.properties.invariants import (
    check_compactions,
    check_coverage,
    check_log,
    check_prompt,
    check_restored,
    check_shown_once,
)
from tests.properties.session import MANNERS
from tests.properties.shown import Receipt, check_prefix
from tests.properties.talking import CONFIGS, SEEN, WINDOWS, Sent

AFTERMATH = (Compacted, ContentStored, LossReported, LossMeasured)
"""What compactions write."""
FILES = st.sampled_from(
    ["", "Use tabs.", "Ask first. " * 60, "制表符。\n" * 300, "</memory_file>\n" * 9]
)
MOST_AT_ONCE = 6
"""Compactions that one look at a session may make, when nothing is said meanwhile."""
EXPECTED = (
    "budget",
    "snip",
    "micro",
    "auto",
    "reactive",
    "chain",
    "undone",
    "broken",
    "kept",
    "files",
    "recalled",
)


class Conversation(Branched):
    """One session, whatever happens to it."""

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
        before = self.memory.state
        self.session.interrupt(self.memory.compact(), steps)
        self._unchanged_but_for_compactions(before.n)

    @rule(steps=st.integers(0, 12))
    def interrupt_upkeep(self, steps: int) -> None:
        """What runs in the background is cancelled."""

        async def stop() -> None:
            for _ in range(steps):
                await asyncio.sleep(0)
            await self.memory._upkeep.stop()

        self.run(stop())

    @rule(steps=st.integers(0, 20))
    def interrupt_message(self, steps: int) -> None:
        """Whoever adds a message is cancelled: it is there once, or not at all."""
        before = self.memory.state.messages
        self.session.interrupt(self.memory.add("user", words(self.next)), steps)
        assert self.memory.state.messages - before in (0, 1)
        self.in_flight = []

    @rule(clean=st.booleans(), values=CONFIGS | st.none())
    def restart(self, clean: bool, values: dict[str, Any] | None) -> None:
        """The program ends or is killed, and starts again, perhaps configured otherwise."""
        before = self.memory.state
        if clean:
            self.session.close()
        else:
            self.session.kill()
        if values is not None:
            self.session.config = MemoryConfig.from_values(values)
        self.session.open()
        assert self.memory.state.messages >= before.messages

    @rule(window=WINDOWS)
    def change_model(self, window: int) -> None:
        """Another model answers from here on."""
        session = self.session
        session.chat = chat_model(
            window, counted_by="model" if session.counter else "estimate", name=f"of {window}"
        )
        self.run(self.memory.use_model(session.chat, session.counter, session.model))

    @precondition(lambda self: self.is_open())
    @rule(limit=st.sampled_from([None, 0.5, 0.8]), sent=st.sampled_from([None, 1.0, 1.5]))
    def refuse(self, limit: float | None, sent: float | None) -> None:
        """The provider refuses a request as too large, with figures or without."""
        self.settle()
        request = self.request()
        if request is None:
            return
        counted = self.known.requests[request].ledger.tokens
        told = [None if share is None else round(share * counted) for share in (limit, sent)]
        self.run(self.memory.refused(request, counted, told[0], told[1]))
        again = self.prompt()
        assert again is None or again.budget.fits(again.tokens)

    # -- what the user may do

    @precondition(lambda self: self.is_open())
    @rule()
    def wait(self) -> None:
        """I7: everything in the background ends, and then nothing is left to do."""
        before = self.compactions()
        self.look_again()
        done = self.compactions()
        assert done - before <= MOST_AT_ONCE
        self.look_again()
        assert self.compactions() == done

    @precondition(lambda self: self.is_open())
    @rule()
    def compact(self) -> None:
        """A manual compaction; where there is nothing to gain, nothing changes."""
        self.settle()
        before = self.memory.state
        if self.run(self.memory.compact()) is None:
            assert self.memory.state == before

    # What is drawn must not depend on how far the background has come: places, not names.
    @rule(back=st.integers(0, 4))
    def undo(self, back: int) -> None:
        """I8: undo gives the folding before, edits and all, with the messages since."""
        self.hold_still()
        standing = [r for r in self.run(self.memory.compactions()) if not r.undone]
        before = self.memory.state
        if not standing:
            assert self.refused(NothingToUndo, self.memory.undo())
            return
        chosen = standing[-1 - min(back, len(standing) - 1)]
        if self.refused(WouldNotFit, self.memory.undo(chosen.event.id)):
            assert self.memory.state == before
            return
        SEEN["undone"] += 1
        log = self.session.log()
        check_restored(self.memory.state, fold(log[: chosen.n - 1]).folding, log[chosen.n :])
        if not before.undone:
            self.known.undone_from, self.known.undone_at = before.folding, before.n

    @rule()
    def redo(self) -> None:
        """I8: the compaction undone last holds again; after the last one all is as it was."""
        self.hold_still()
        undone = self.memory.state.undone
        refused = self.refused(NothingToUndo, self.memory.redo())
        assert refused == (not undone)
        if undone:
            assert self.memory.state.undone == undone[:-1]
        if len(undone) == 1 and self.known.undone_from is not None:
            n = self.known.undone_at
            check_restored(self.memory.state, self.known.undone_from, self.session.log()[n:])

    @precondition(lambda self: self.is_open())
    @rule(times=st.integers(1, 4))
    def back_and_forth(self, times: int) -> None:
        """I8: as many redone as were undone, and all is as it was."""
        self.settle()
        self.hold_still()
        before = self.memory.state.folding
        done = 0
        for _ in range(times):
            standing = [r for r in self.run(self.memory.compactions()) if not r.undone]
            if not standing or self.refused(WouldNotFit, self.memory.undo()):
                break
            done += 1
            log, n = self.session.log(), standing[-1].n
            check_restored(self.memory.state, fold(log[: n - 1]).folding, log[n:])
        for _ in range(done):
            self.run(self.memory.redo())
        assert self.memory.state.folding == before
        SEEN["undone"] += done

    @precondition(lambda self: self.is_open())
    @rule(slot=st.sampled_from(["short_term", "long_term"]))
    def rewrite(self, slot: SummarySlot) -> None:
        """COMPACT-11: a summary is written anew, and takes the place of the one in force."""
        self.settle()
        before = self.memory.state

        async def rewrite() -> None:
            await self.memory.rewriting.accept(await self.memory.rewriting.preview(slot))

        if self.refused(StrataError, rewrite()):
            assert self.memory.state == before
            return
        SEEN["rewritten"] += 1
        assert self.memory.state.folding.edits == before.folding.edits
        assert self.memory.state.folding.verbatim == before.folding.verbatim

    @rule(place=st.integers(1, 60))
    def pin_message(self, place: int) -> None:
        """COMPACT-14: a message stays word for word from here on."""
        number = 1 + place % max(1, self.memory.state.messages)
        if not self.refused(CantPin, self.memory.pinning.pin_message(number)):
            assert number in self.memory.state.pinned_numbers

    @rule(text=st.text(max_size=60))
    def pin_text(self, text: str) -> None:
        """COMPACT-14: a sentence stays word for word from here on."""
        self.refused(CantPin, self.memory.pinning.pin_text(text))

    @precondition(lambda self: self.memory.state.pins)
    @rule(place=st.integers(0, 9))
    def unpin(self, place: int) -> None:
        """A pin is let go of."""
        pins = self.memory.pinning.pins()
        self.run(self.memory.pinning.unpin(pins[place % len(pins)].id))

    @rule(texts=st.lists(FILES, max_size=3))
    def read_files(self, texts: list[str]) -> None:
        """PROMPT-2: other memory files, or the same, leave room to talk."""
        found = [FoundFile(f"/work/{n}.md", text) for n, text in enumerate(texts)]
        event = self.run(self.memory.use_files(found))
        files = self.memory.snapshot().files
        assert len(files) == len(texts)
        assert self.run(self.memory.use_files(found)) is None
        tokens = self.memory.snapshot().context.sections["files"]
        assert tokens <= 0.15 * self.memory.budget.window
        SEEN["files"] += bool(event and tokens)

    @rule(place=st.integers(0, 20))
    def look_back(self, place: int) -> None:
        """PROMPT-5: a past request is shown as it was sent."""
        for request in list(self.known.requests)[place : place + 1]:
            shown = self.run(self.memory.request_messages(request))
            assert digest_of(shown) == self.known.requests[request].ledger.digest

    # -- what always holds

    @invariant()
    def holds(self) -> None:
        """I1 to I7, I10, and that the log gives the state."""
        if self.session._memory is None:
            return
        memory, known = self.memory, self.known
        state, journal = memory.state, memory._journal
        texts, tally, budget = dict(journal.texts), journal.tally, memory.budget
        log = self.session.log()[: state.n]
        check_coverage(state)
        check_shown_once(state, self.carried)
        shown = check_prompt(state, texts, tally, budget, self.said(log))
        if shown is not None:
            self._check_receipts(shown[1], texts, self.said(log))
        assert memory.snapshot().context.used >= 0
        check_log(log, known.log, state)
        fresh = [r.event for r in log[known.checked :] if isinstance(r.event, Compacted)]
        if fresh:
            check_compactions(log, known.checked, self._counts())
            self._note(fresh, state.compactions)
        known.log, known.checked = log, len(log)

    def compare(self, before: Sent | None, now: Sent, log: list[Recorded]) -> None:
        """I9: what lies between two requests explains what they don't share."""
        if before is not None:
            between = [entry.event for entry in log[before.ledger.n : now.ledger.n]]
            kept = check_prefix(
                (before.messages, before.ledger), (now.messages, now.ledger), between
            )
            SEEN["kept" if kept else "broken"] += 1

    # -- short ways

    def _check_receipts(
        self, receipts: list[Receipt], texts: dict[str, str], said: list[Any]
    ) -> None:
        """I10: every receipt in the prompt leads back to what it stands for."""
        bodies = {ref.number: ref.body for ref in said}
        for receipt in receipts:
            found = self.run(self.memory.content.retrieve(receipt.handle))
            originals = [texts[bodies[number]] for number in receipt.numbers]
            if receipt.handle.startswith("c"):
                assert found
                assert found in originals[0]
            else:
                assert all(original in found for original in originals)

    def _unchanged_but_for_compactions(self, n: int) -> None:
        new = self.session.log()[n:]
        assert all(isinstance(recorded.event, AFTERMATH) for recorded in new)

    def _note(self, fresh: list[Compacted], compactions: int) -> None:
        SEEN.update(stage.name for event in fresh for stage in event.stages)
        SEEN["chain"] += compactions >= 3 > compactions - len(fresh)

    def _counts(self) -> dict[str, int]:
        """The counts that were in force."""
        state = self.memory.state
        if self.session.counter is None or state.model is None:
            return {}
        rows = self.run(self.memory._journal.database.all("SELECT body, tokens FROM token_count"))
        return dict(rows)


@pytest.mark.timeout(3_600 if NIGHTLY else 300)
def test_every_invariant_holds_whatever_happens() -> None:
    """I1 to I10, STORE-2, PROMPT-5: over random conversations, failures and restarts."""
    SEEN.clear()
    run_state_machine_as_test(Conversation, settings=MACHINE)
    if NIGHTLY:
        assert all(SEEN[name] for name in EXPECTED), SEEN
