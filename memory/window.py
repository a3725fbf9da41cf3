"""The messages as they stand in the prompt: edited ones anew, runs of snipped ones as one.

A run's receipt is treated as a message of its own: a reference whose body is made up, so that
whoever counts, cuts or fits messages need not know of it.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from memory.content.receipts import run_receipt
from memory.parts import Edit, MessageRef
from memory.state import Folding
from memory.tokens import Tally

RECEIPT_BODY = "receipt:"
"""Begins the made-up body of a run's receipt; no stored body has a colon."""


@dataclass(frozen=True, slots=True)
class Run:
    """Consecutive messages that were snipped, and the receipt that stands for them."""

    edits: tuple[Edit, ...]

    @property
    def first(self) -> int:
        """Number of its first message."""
        return self.edits[0].number

    @property
    def last(self) -> int:
        """Number of its last message."""
        return self.edits[-1].number

    @property
    def receipt(self) -> str:
        """What stands in the prompt in its place."""
        return run_receipt(self.edits)

    @property
    def ref(self) -> MessageRef:
        """The receipt as a message."""
        return MessageRef(self.last, "user", f"{RECEIPT_BODY}{self.last}", len(self.receipt))


@dataclass(frozen=True, slots=True)
class Window:
    """The verbatim messages as the prompt shows them, oldest first."""

    refs: tuple[MessageRef, ...] = ()
    edits: Mapping[int, Edit] = field(default_factory=dict)
    """Edits of messages that stand with another text."""
    runs: Mapping[int, Run] = field(default_factory=dict)
    """Runs by the number of their last message."""

    @property
    def snipped(self) -> frozenset[int]:
        """Numbers of the messages that are left out."""
        return frozenset(edit.number for run in self.runs.values() for edit in run.edits)

    @classmethod
    def of(cls, folding: Folding) -> "Window":
        """The window of a folding; a system message at the very beginning is no part of it."""
        if not folding.edits:
            leads = bool(folding.verbatim) and is_leading(folding.verbatim[0])
            return cls(folding.verbatim[1:] if leads else folding.verbatim)
        edits = {edit.number: edit for edit in folding.edits}
        refs: list[MessageRef] = []
        runs: dict[int, Run] = {}
        for group in _groups([ref for ref in folding.verbatim if not is_leading(ref)], edits):
            snipped = [edits[ref.number] for ref in group if _is_snipped(ref, edits)]
            if snipped:
                run = Run(tuple(snipped))
                runs[run.last] = run
                refs.append(run.ref)
            else:
                refs += [_standing(ref, edits) for ref in group]
        standing = {n: edit for n, edit in edits.items() if edit.body is not None}
        return cls(tuple(refs), standing, runs)

    def tokens(self, ref: MessageRef, tally: Tally) -> int:
        """Tokens of a verbatim message as it stands; the last one of a run stands for the run."""
        run = self.runs.get(ref.number)
        return tally.message(run.ref if run else _standing(ref, self.edits))

    def text(self, ref: MessageRef, texts: Mapping[str, str]) -> str:
        """The text of one of its messages."""
        return self.runs[ref.number].receipt if is_receipt(ref) else texts[ref.body]

    def first_number(self, ref: MessageRef) -> int:
        """Number of the oldest message that one of its messages stands for."""
        return self.runs[ref.number].first if is_receipt(ref) else ref.number


def is_leading(ref: MessageRef) -> bool:
    """Whether a message is the conversation's own system prompt."""
    return ref.role == "system" and ref.number == 1


def is_receipt(ref: MessageRef) -> bool:
    """Whether a message of a window is a run's receipt."""
    return ref.body.startswith(RECEIPT_BODY)


def _is_snipped(ref: MessageRef, edits: Mapping[int, Edit]) -> bool:
    edit = edits.get(ref.number)
    return edit is not None and edit.body is None


def _standing(ref: MessageRef, edits: Mapping[int, Edit]) -> MessageRef:
    edit = edits.get(ref.number)
    if edit is None or edit.body is None:
        return ref
    return replace(ref, body=edit.body, chars=edit.chars)


def _groups(refs: Sequence[MessageRef], edits: Mapping[int, Edit]) -> Iterator[list[MessageRef]]:
    """The messages in runs of snipped ones and of others."""
    group: list[MessageRef] = []
    for ref in refs:
        if group and _is_snipped(group[-1], edits) != _is_snipped(ref, edits):
            yield group
            group = []
        group.append(ref)
    if group:
        yield group
