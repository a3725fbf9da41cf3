"""Tools by which the model stores content and finds it again (CONT-4)."""

from collections.abc import Mapping
from typing import Annotated, get_args

from pydantic import BaseModel, Field, WithJsonSchema

from app.tools.tool import Desk, OwnTool, Tool, ToolResult
from memory.content.catalogue import MOST_FOUND
from memory.content.handles import ItemHandle, parse_handle
from memory.content.ranges import line_range
from memory.content.transforms import FIRST_LINES, How
from memory.content.wording import told, told_all
from memory.parts import ItemType

LONGEST_WORD = 500
MOST_WORDS = 20
MOST_ITEMS = 100
MOST_LINES = 1_000_000
LONGEST_STORED = 1_000_000
"""Characters that a model may store at once: more than any answer has."""

TEXT, TEXTS = {"type": "string"}, {"type": "array", "items": {"type": "string"}}
"""What the model is told of an argument; bounds cost tokens in every request."""


def arg(schema: Mapping[str, object], description: str = "") -> WithJsonSchema:
    """What the model is told of an argument, in place of all that pydantic would tell."""
    return WithJsonSchema({**schema, **({"description": description} if description else {})})


Word = Annotated[str, Field(max_length=LONGEST_WORD), arg(TEXT)]
Words = Annotated[list[Word], Field(max_length=MOST_WORDS), arg(TEXTS)]
Lines = Annotated[int, Field(ge=0, le=MOST_LINES), arg({"type": "integer"}, "lines of first, last")]
Limit = Annotated[int, Field(ge=1, le=MOST_ITEMS), arg({"type": "integer"})]
Type = Annotated[ItemType | None, arg({"type": "string", "enum": list(get_args(ItemType))})]


class StoreInMemory(BaseModel):
    """Arguments of `store_in_memory`."""

    content: Annotated[str, Field(min_length=1, max_length=LONGEST_STORED), arg(TEXT)]
    type: Type = None
    tags: Words = []
    related: Annotated[Words, arg(TEXTS, "ids of items that belong with it")] = []


class RetrieveFromMemory(BaseModel):
    """Arguments of `retrieve_from_memory`."""

    id: Annotated[Word, arg(TEXT, "as a receipt cites it: c3, m14 or m14-m16")]
    how: How = "full"
    n: Lines = FIRST_LINES
    words: Annotated[Words, arg(TEXTS, "filtered: lines with any; /…/ is a pattern")] = []
    lines: Annotated[Word, arg(TEXT, "such as 20-40")] = ""


class QueryMemory(BaseModel):
    """Arguments of `query_memory`."""

    type: Type = None
    source: Word = ""
    tags: Words = []
    since: Annotated[Word, arg(TEXT, "2h, 3d, or a date")] = ""
    until: Word = ""
    text: Annotated[Word, arg(TEXT, "words of source, tags or content")] = ""
    limit: Limit = MOST_FOUND


async def _store(arguments: StoreInMemory, desk: Desk) -> ToolResult:
    item = await desk.memory.content.store(
        arguments.content, arguments.type or "custom", "model", arguments.tags, arguments.related
    )
    return ToolResult(f"Stored as {told(item)}.", source=item.id, cites=item.id)


async def _retrieve(arguments: RetrieveFromMemory, desk: Desk) -> ToolResult:
    wanted = line_range(arguments.lines) if arguments.lines else None
    named = parse_handle(arguments.id)
    how: How = "lines" if wanted and arguments.how == "full" else arguments.how
    if arguments.words and how == "full":
        how = "filtered"
    content = desk.memory.content
    text = await content.retrieve(
        arguments.id,
        how,
        n=arguments.n,
        words=arguments.words,
        lines=wanted,
        numbered=how in ("filtered", "lines"),
    )
    if not isinstance(named, ItemHandle):
        return ToolResult(_cut(text, arguments.id, desk), source=arguments.id)
    item = await content.item(named.id)
    shown = _cut(text, item.id, desk) if text else f"Nothing of {item.id} is asked for so."
    return ToolResult(shown, type=item.type, source=item.id, cites=item.id)


async def _query(arguments: QueryMemory, desk: Desk) -> ToolResult:
    items = await desk.memory.content.query(
        arguments.type,
        arguments.source,
        arguments.tags,
        (arguments.since, arguments.until),
        arguments.limit,
        text=arguments.text,
    )
    told = told_all(items) or "No stored item is all that."
    return ToolResult(told, type="search_results", is_content=False)


def _cut(text: str, id: str, desk: Desk) -> str:
    """A text with no more than a result may have, and how to go on."""
    most = desk.settings.read_chars
    if len(text) <= most:
        return text
    end = text.rfind("\n", most // 2, most) + 1 or most
    shown, lines = text[:end], text.count("\n", 0, end)
    return (
        f"{shown.rstrip()}\n(Cut after {lines:,} of {text.count(chr(10)) + 1:,} lines: ask for "
        f"{id} with how=lines or how=filtered.)"
    )


CONTENT_TOOLS: tuple[Tool, ...] = (
    OwnTool(
        "store_in_memory",
        "Keep a text outside the conversation, under an id by which it is retrieved later.",
        StoreInMemory,
        _store,
    ),
    OwnTool(
        "retrieve_from_memory",
        "Show again what a receipt cites, in full or the part that is needed.",
        RetrieveFromMemory,
        _retrieve,
    ),
    OwnTool(
        "query_memory",
        "List stored items, newest first: data about them, not their content.",
        QueryMemory,
        _query,
    ),
)
"""Store, retrieve and query."""
