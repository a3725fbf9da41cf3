"""Compactions opened, made by hand or from a memory, for what is drawn of them."""

from dataclasses import replace

from memory.events import Compacted
from memory.parts import Stage, SummaryRef, Usage
from memory.views import (
    CompactionView,
    EditView,
    ItemState,
    LossItem,
    Represented,
    SummaryChange,
)

MODEL = "embedded/qwen2.5-coder-1.5b"
OLDER = (
    "The user moves to Lisbon in April with a dog, Biscuit; they set €1,100 a month and want "
    "the yellow metro line."
)
OLD = "They asked about Saldanha at €1,050. The agent there wants no pets."
NEW = (
    "They went through six districts and dropped Saldanha, €1,050 (no pets) and Alvalade "
    "(too dear). Campo Grande is to be seen on Thursday at 18:30."
)
CODE = "def left(rent: int, dogs: bool) -> int:\n" + "".join(
    f"    step_{number} = rent - {number}\n" for number in range(60)
)


def item(text: str, state: ItemState, how: str, **changes: object) -> LossItem:
    """An item of a loss report."""
    made = LossItem("name", text, f"The agent of {text} wrote again.", 71, state, how)
    return replace(made, **changes)  # type: ignore[arg-type]


ITEMS = (
    item("Saldanha", "kept", "short-term summary"),
    item("18:30", "kept", "details under the short-term summary", kind="date"),
    item("notes/flats.md", "retrievable", "receipt c3", kind="path", number=88),
    item(
        "no ground floor",
        "lost",
        "no summary, detail or receipt has it",
        kind="constraint",
        sentence="And please: no ground floor, whatever it costs.",
        number=77,
    ),
    item("+351 21 000 0000", "lost", "no summary has it", kind="number", number=None),
)
STAGES = (Stage("budget", 900), Stage("snip", 300), Stage("micro", 1_400), Stage("auto", 1_500))


def opened_compaction(**changes: object) -> CompactionView:
    """A compaction of which there is everything to see."""
    view = CompactionView(
        id="one",
        n=300,
        at="2026-11-21T14:02:00.000Z",
        message=193,
        trigger="tokens",
        policy="cascade",
        stages=STAGES,
        tokens_before=9_100,
        tokens_after=5_000,
        duration_s=3.1,
        usage=Usage(3_420, 96, cost=0.0012),
        undone=False,
        failures=("The summary was not smaller than its source.",),
        folded=(66, 129),
        summaries=(
            SummaryChange("short_term", OLD, NEW, "model", MODEL, 2, 66, 129),
            SummaryChange("long_term", "", OLDER, "carried", None, 1, 1, 65),
        ),
        edits=(
            EditView(131, "micro", CODE, "[code, 62 lines: m131]", "a code block of 62 lines"),
            EditView(133, "snip", "Thanks!", "[message 133 left out: m133]", "only thanks"),
        ),
        items=ITEMS,
        represented=tuple(
            Represented(number, (number * 37 % 90 + 5) / 100) for number in range(66, 130)
        ),
        similarity=0.47,
    )
    return replace(view, **changes)  # type: ignore[arg-type]


def event_of(view: CompactionView) -> Compacted:
    """The event of a view made by hand."""
    return Compacted(
        id=view.id,
        trigger=view.trigger,
        policy=view.policy,
        message=view.message,
        verbatim_from=130,
        long_term=None,
        short_term=SummaryRef("b", 66, 129, 2, "model", view.at, MODEL),
        pinned=(),
        stages=view.stages,
        tokens_before=view.tokens_before,
        tokens_after=view.tokens_after,
        duration_s=view.duration_s,
        by="model",
        folds=view.folded is not None,
    )
