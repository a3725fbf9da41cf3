"""The wording of receipts: what stood here, how large it was, and how to get it back.

A receipt is one line between `[…` and `…]` that ends in `retrieve HANDLE`. What it quotes can
neither end it nor begin another one.
"""

import re
from collections.abc import Sequence
from itertools import groupby

from memory.content.handles import HANDLE, messages_handle
from memory.parts import Edit

LONGEST_NAME = 40
"""Characters of a tool's name in a receipt."""
LONGEST_REASONS = 160
"""Characters of the reasons in a run's receipt; a longer list is counted, not told."""
_REDACTED = re.compile(r"\[redacted: [\w -]{1,40}\]")
"""What was taken out of a receipt, as it was stored; brackets in a receipt are its own else."""
_RECEIPT = re.compile(rf"\[… [^\[\]\n]*\bretrieve ({HANDLE}) …\]")
_UNFIT_FOR_NAME = re.compile(r"[^\w.:/-]+")
_SPACE = re.compile(r"\s+")
NO_ROOM = "the prompt would not fit otherwise"
"""Why messages are left out of one prompt only."""
_BY_NUMBER = re.compile(r" (?:in|by) message \d+")
_BRACKETS = str.maketrans("[]…", "()·")


def budget_receipt(item: str, what: str, chars: int) -> str:
    """Stands between the head and the tail of a text that was cut."""
    return f"[… {item} keeps all {chars:,} characters of this {what}: retrieve {item} …]"


def digest_receipt(item: str, what: str, chars: int, digest: str) -> str:
    """Stands in the place of a text that a digest tells of."""
    told = f"{_quoted(digest)}; " if digest else ""
    return f"[… {_quoted(what)}, {chars:,} characters: {told}retrieve {item} …]"


def shown_receipt(item: str, what: str, chars: int, digest: str) -> str:
    """Stands in the place of a tool result that was shown in full; its digest may have lines."""
    lines = [line for line in map(_quoted, digest.splitlines()) if line]
    if len(lines) <= 1:
        return digest_receipt(item, what, chars, "".join(lines))
    return "\n".join([*lines, digest_receipt(item, what, chars, "")])


def run_receipt(edits: Sequence[Edit]) -> str:
    """Stands for a run of messages that were left out one after the other."""
    return left_out_receipt(edits[0].number, edits[-1].number, _reasons(edits))


def left_out_receipt(first: int, last: int, why: str) -> str:
    """Stands for the messages `first` to `last`, left out for a reason."""
    return f"[… left out: {why}; retrieve {messages_handle(first, last)} …]"


def result_of(tool: str) -> str:
    """How a receipt names the result of a tool."""
    name = _UNFIT_FOR_NAME.sub("", tool)[:LONGEST_NAME]
    return f"result of {name}" if name else "tool result"


def handles_in(text: str) -> list[str]:
    """The handles that the receipts in a text cite, each once, in their order."""
    return list(dict.fromkeys(_RECEIPT.findall(_REDACTED.sub("", text))))


def _reasons(edits: Sequence[Edit]) -> str:
    """Which messages for which reason; in sum where that would be long."""
    runs = [(why, list(group)) for why, group in groupby(edits, key=lambda edit: edit.why)]
    if len(runs) == 1:
        return runs[0][0] or "messages"
    told = ", ".join(
        f"{messages_handle(run[0].number, run[-1].number)} {why}".strip() for why, run in runs
    )
    if len(told) <= LONGEST_REASONS:
        return told
    kinds = dict.fromkeys(_BY_NUMBER.sub(" later", why) for why, _ in runs)
    return f"{len(edits)} messages, {', '.join(filter(None, kinds))}"


def _quoted(text: str) -> str:
    """A foreign text as part of one line that it can't leave."""
    return _SPACE.sub(" ", text.translate(_BRACKETS)).strip()
