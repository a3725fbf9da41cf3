"""Every version of the summaries that a session has had (COMPACT-11)."""

from dataclasses import dataclass

from memory.events import Compacted, Recorded, SummaryRewritten
from memory.journal import Journal
from memory.parts import SummaryRef, SummarySlot
from memory.storage.bodies import ERASED

KINDS = (Compacted.KIND, SummaryRewritten.KIND)


@dataclass(frozen=True, slots=True)
class SummaryVersion:
    """A summary that was in force at some time."""

    n: int
    at: str
    slot: SummarySlot
    ref: SummaryRef
    text: str
    rewritten: bool
    """Whether it took the place of another version of itself."""
    instructions: str | None = None
    """What the user asked for, where it was rewritten so."""


async def summary_versions(journal: Journal) -> list[SummaryVersion]:
    """Every summary ever in force, oldest first, with its text."""
    events = await journal.log.read(kinds=KINDS)
    first: dict[tuple[SummarySlot, str], tuple[Recorded, SummaryRef]] = {}
    for recorded in events:
        for slot, ref in _put_in_force(recorded):
            first.setdefault((slot, ref.body), (recorded, ref))
    asked = {body for recorded in events if (body := _asked(recorded))}
    texts = await journal.bodies.texts({body for _, body in first} | asked)
    return [
        SummaryVersion(
            n=recorded.n,
            at=recorded.at,
            slot=slot,
            ref=ref,
            text=texts.get(ref.body, ERASED),
            rewritten=isinstance(recorded.event, SummaryRewritten),
            instructions=texts.get(_asked(recorded) or ""),
        )
        for (slot, _), (recorded, ref) in first.items()
    ]


def _asked(recorded: Recorded) -> str | None:
    event = recorded.event
    return event.instructions if isinstance(event, SummaryRewritten) else None


def _put_in_force(recorded: Recorded) -> list[tuple[SummarySlot, SummaryRef]]:
    match recorded.event:
        case Compacted(short_term=short, long_term=long):
            refs: list[tuple[SummarySlot, SummaryRef | None]] = [
                ("short_term", short),
                ("long_term", long),
            ]
            return [(slot, ref) for slot, ref in refs if ref is not None]
        case SummaryRewritten(slot=slot, summary=summary):
            return [(slot, summary)]
    return []
