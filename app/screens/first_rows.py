"""How offers and downloads are put into words and rows. Pure."""

from collections.abc import Sequence
from textwrap import wrap

from rich.cells import cell_len, set_cell_size
from textual.content import Content

from app.offers.download import Arrived
from app.offers.offer import Offer, Offers, Place
from widgets.figures import short_seconds
from widgets.plain import one_line

MEGABYTE = 1_000_000
GIGABYTE = 1_000_000_000
MARK = "▸ "
BLANK = "  "
GAP = 2
DIM = "$stratum-dim"

HEADINGS: dict[Place, tuple[str, str]] = {
    "here": ("on this machine", "$stratum-you"),
    "ollama": ("in Ollama, on this machine", "$stratum-you"),
    "download": ("to download, then on this machine", "$stratum-short-term"),
    "hosted": ("elsewhere: what you write is sent there", "$stratum-recalled"),
}
"""What stands above the offers of a place, and in which hue."""


def size_words(size: int) -> str:
    """Bytes in words: 98 MB, 1.1 GB."""
    if size < GIGABYTE:
        return f"{size / MEGABYTE:,.0f} MB"
    return f"{size / GIGABYTE:.1f} GB"


def facts_of(offer: Offer) -> str:
    """What a choice should know, on one line."""
    size = size_words(offer.size) if offer.size else ""
    if offer.place == "download":
        rest = f", {size_words(offer.fetched)} here" if offer.fetched else ""
        size = f"{size} download{rest}"
    more = one_line(offer.licence or offer.good_for)
    where = one_line(offer.runs) if offer.place == "hosted" else ""
    return " · ".join(part for part in (where, size, more) if part)


def heading(place: Place, offers: Offers, *, above: bool = False) -> Content:
    """The line above the offers of a place.

    Args:
        place: The place.
        offers: All offers.
        above: Whether a blank line stands above it.
    """
    words, hue = HEADINGS[place]
    if place == "ollama" and offers.ollama_left_out:
        words += f" ({offers.ollama_left_out:,} more by @model)"
    return Content.assemble(("\n" if above else "") + words).stylize(hue)


def offer_rows(offer: Offer, beside: Sequence[Offer], width: int, *, marked: bool) -> Content:
    """An offer as it stands in the list: its title, and beside or below it what it is.

    Args:
        offer: The offer.
        beside: The offers of the same place, with whose figures its own are aligned.
        width: Cells of a row.
        marked: Whether it is the one that Enter chooses.
    """
    title, facts = _title(offer, width), facts_of(offer)
    column = max((cell_len(_title(each, width)) for each in beside), default=0)
    ink = "" if marked else DIM
    rows = [
        (MARK if marked else BLANK, "$stratum-short-term bold"),
        (title, "bold" if marked else ""),
    ]
    if len(BLANK) + column + GAP + cell_len(facts) <= width:
        rows.append((" " * (column + GAP - cell_len(title)) + facts, ink))
    else:
        rows.append((_below(facts, width), ink))
    if offer.licence and offer.good_for:
        rows.append((_below(offer.good_for, width), ink))
    if offer.problem:
        rows.append((_below(f"It {offer.problem}.", width), "$stratum-warning"))
    return Content.assemble(*rows)


def _title(offer: Offer, width: int) -> str:
    title, room = one_line(offer.title), width - len(BLANK)
    return title if cell_len(title) <= room else set_cell_size(title, room - 1) + "…"


def _below(text: str, width: int) -> str:
    return "".join(f"\n{BLANK}{line}" for line in wrap(text, max(8, width - len(BLANK))))


def best(offers: Offers, kept: str | None = None) -> int:
    """Which offer stands first under the cursor: what was wanted before, else the safe one."""
    for index, offer in enumerate(offers.all):
        if offer.model == kept or (offer.fetched and not offer.problem):
            return index
    for index, offer in enumerate(offers.all):
        if not offer.problem and offer.place != "hosted":
            return index
    return 0


def bar(arrived: Arrived, width: int) -> Content:
    """How much is here, as a bar with its share: ███████░░░░  63 %."""
    share = min(1.0, arrived.done / arrived.total) if arrived.total else 0.0
    cells = max(4, width - 7)
    filled = round(share * cells)
    return Content.assemble(
        ("█" * filled, "$stratum-short-term"),
        ("░" * (cells - filled), DIM),
        (f"  {share:3.0%}".replace("%", " %"), ""),
    )


def arrived_words(arrived: Arrived) -> str:
    """How far it is: `412 of 1,141 MB · 8.3 MB/s · 88 s left`."""
    if arrived.checking:
        return "All of it is here; it is being checked."
    figures = f"{arrived.done / MEGABYTE:,.0f} of {arrived.total / MEGABYTE:,.0f} MB"
    if arrived.seconds_left is None:
        return figures
    speed = f"{arrived.speed / MEGABYTE:.1f} MB/s"
    return f"{figures} · {speed} · {short_seconds(arrived.seconds_left)} left"
