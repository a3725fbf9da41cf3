"""Snip: what nobody would miss leaves the prompt (COMPACT-2). Pure.

Acknowledgements, tool exchanges that a later one supersedes, and text that stands again word for
word later. A tool exchange goes wholly or not at all (I3). A question never loses its answer:
a user's message goes only together with everything that was answered to it.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from memory.compaction.exchanges import superseded
from memory.compaction.phatic import is_acknowledgement
from memory.compaction.scope import Proposal, Scope, Standing
from memory.content.receipts import run_receipt
from memory.parts import Edit

MESSAGE_COST = 16
"""Characters that a template adds to a message, about four tokens; a receipt may cost them too."""
LONGEST_COMPARED = 100_000
"""Characters above which a text is not looked for again: it stands as a receipt before that."""
QUESTION_MARKS = frozenset("?？؟;⸮")


def snip(scope: Scope) -> list[Proposal]:
    """The messages before the newest ones to leave out, each with the reason.

    Only where a run of them is longer than the receipt that stands for it.
    """
    leaving = _Leaving(scope)
    leaving.take_superseded()
    leaving.take_acknowledgements()
    leaving.take_repeated()
    leaving.spare_answered()
    leaving.spare_what_gains_nothing()
    return [
        Proposal(scope.standing[index].ref.number, "snip", None, leaving.why[index])
        for index in sorted(leaving.why)
    ]


@dataclass(slots=True)
class _Leaving:
    """The messages that are to go, by index, with the reason of each."""

    scope: Scope
    why: dict[int, str] = field(default_factory=dict)
    together: list[tuple[int, ...]] = field(default_factory=list)
    """Indices that go wholly or not at all."""

    def take_superseded(self) -> None:
        """Tool exchanges that a later one tells more than."""
        for exchange, why in superseded(self.scope.standing):
            if all(map(self._may_go, exchange.indices)):
                self.why.update(dict.fromkeys(exchange.indices, why))
                self.together.append(exchange.indices)

    def take_acknowledgements(self) -> None:
        """Short turns that say nothing, unless they answer a question."""
        asked = False
        before: Standing | None = None
        for index, entry in enumerate(self.scope.standing[: self.scope.recent]):
            if not asked and self._may_go(index) and _is_polite(entry, before):
                self.why.setdefault(index, "acknowledgement")
            if entry.ref.role in ("user", "assistant") and entry.text.strip():
                asked = not QUESTION_MARKS.isdisjoint(entry.text)
            before = entry

    def take_repeated(self) -> None:
        """Texts that stand again, word for word and in full, in a later message of the role."""
        newest: dict[tuple[str, str], int] = {}
        for index in range(len(self.scope.standing) - 1, -1, -1):
            entry = self.scope.standing[index]
            if not _is_spoken(entry) or index in self.why:
                continue
            key = (entry.ref.role, " ".join(entry.text.split()))
            if not key[1]:
                continue
            if key not in newest:
                if entry.edit is None:
                    newest[key] = index
            elif self._may_go(index):
                number = self.scope.standing[newest[key]].ref.number
                self.why[index] = f"said again in message {number}"

    def spare_answered(self) -> None:
        """Keeps each user's message of whose answer something stays."""
        standing = self.scope.standing
        for index in [i for i in sorted(self.why) if standing[i].ref.role == "user"]:
            answer = _answer_to(standing, index)
            if all(i in self.why or standing[i].left_out for i in answer):
                self.together.append((index, *(i for i in answer if i in self.why)))
            else:
                del self.why[index]

    def spare_what_gains_nothing(self) -> None:
        """Keeps the runs that are no longer than their receipt, with what goes only with them."""
        while losing := {index for run in self._runs() if not self._gains(run) for index in run}:
            groups = [group for group in self.together if not losing.isdisjoint(group)]
            for index in losing.union(*groups):
                self.why.pop(index, None)
            self.together = [group for group in self.together if losing.isdisjoint(group)]

    def _may_go(self, index: int) -> bool:
        return index < self.scope.recent and self.scope.may_change(index)

    def _runs(self) -> Iterator[list[int]]:
        """Indices left out one after the other, now or before, where at least one is new."""
        standing, run = self.scope.standing, list[int]()
        for index in range(len(standing) + 1):
            if index in self.why or (index < len(standing) and standing[index].left_out):
                run.append(index)
                continue
            if any(place in self.why for place in run):
                yield run
            run = []

    def _gains(self, run: Sequence[int]) -> bool:
        """Whether leaving the new ones of a run out saves characters, its receipt counted."""
        standing = self.scope.standing
        saved = sum(_cost(standing[index]) for index in run if index in self.why)
        receipts_before = sum(
            len(run_receipt(edits)) + MESSAGE_COST
            for edits in _edits_before(standing[index] for index in run)
        )
        receipt = run_receipt([self._edit(index) for index in run])
        return saved + receipts_before > len(receipt) + MESSAGE_COST

    def _edit(self, index: int) -> Edit:
        entry = self.scope.standing[index]
        return entry.edit if entry.left_out and entry.edit else self._new_edit(index)

    def _new_edit(self, index: int) -> Edit:
        return Edit(self.scope.standing[index].ref.number, "snip", None, why=self.why[index])


def _is_spoken(entry: Standing) -> bool:
    return (
        entry.ref.role in ("user", "assistant")
        and not entry.ref.call_ids
        and not entry.left_out
        and len(entry.text) <= LONGEST_COMPARED
    )


def _is_polite(entry: Standing, before: Standing | None) -> bool:
    """Whether a message acknowledges; an answer does so only to what a user said.

    After a tool's result even a short word closes what was asked.
    """
    if not _is_spoken(entry) or not is_acknowledgement(entry.text, entry.ref.role):
        return False
    return entry.ref.role == "user" or (before is not None and before.ref.role == "user")


def _answer_to(standing: Sequence[Standing], index: int) -> list[int]:
    """What follows a user's message up to the next one."""
    answer: list[int] = []
    for place in range(index + 1, len(standing)):
        if standing[place].ref.role == "user":
            break
        answer.append(place)
    return answer


def _edits_before(run: Iterable[Standing]) -> Iterator[list[Edit]]:
    """The runs of edits that were left out before, within a longer run."""
    edits: list[Edit] = []
    for entry in run:
        if entry.left_out and entry.edit is not None:
            edits.append(entry.edit)
        elif edits:
            yield edits
            edits = []
    if edits:
        yield edits


def _cost(entry: Standing) -> int:
    return len(entry.shown) + entry.ref.extra_chars + MESSAGE_COST
