"""Tools that read, list and search files below the workspace, and nothing else (CHAT-10, ALL-8)."""

import asyncio
import threading
from collections.abc import Callable
from typing import Annotated

from pydantic import BaseModel, Field, WithJsonSchema

from app.tools.globs import LONGEST
from app.tools.listing import Asked, list_below
from app.tools.near_names import with_near_names, with_way_back
from app.tools.reading import Part, Wanted, read_part, time_is_up
from app.tools.search_request import MOST_HITS, SearchRequest
from app.tools.searching import search
from app.tools.telling import size_told
from app.tools.tool import Desk, OwnTool, Tool, ToolResult
from app.tools.troubles import FileNotFound, FileTrouble, OutsideWorkspace
from app.tools.walking import DEEPEST
from app.tools.workspace import Place, Workspace, shown
from memory.parts import ItemType

LISTED = 200
MOST_LISTED = 2_000
MOST_CONTEXT = 20
MOST_LINES = 1_000_000_000
LONGEST_PATTERN = 5_000
LONGEST_SOURCE = 200


def _schema(type: str, description: str = "") -> WithJsonSchema:
    """What the model is told of an argument: bounds, and that null is taken too, cost tokens."""
    return WithJsonSchema({"type": type, **({"description": description} if description else {})})


Line = Annotated[int | None, Field(ge=1, le=MOST_LINES), _schema("integer")]
Pattern = Annotated[str | None, Field(max_length=LONGEST), _schema("string", "glob: **/*.py")]


class ReadFile(BaseModel):
    """Arguments of `read_file`."""

    path: str
    first_line: Line = None
    lines: Line = None
    first_char: Annotated[int | None, Field(ge=1), _schema("integer")] = None
    """Where to begin in a line that is too long for one result."""


class ListFiles(BaseModel):
    """Arguments of `list_files`."""

    path: str = "."
    pattern: Pattern = None
    depth: Annotated[int | None, Field(ge=1, le=DEEPEST), _schema("integer")] = None
    limit: Annotated[int | None, Field(ge=1, le=MOST_LISTED), _schema("integer")] = None


class SearchFiles(BaseModel):
    """Arguments of `search_files`."""

    pattern: Annotated[str, Field(min_length=1, max_length=LONGEST_PATTERN), _schema("string")]
    path: str = "."
    files: Pattern = None
    ignore_case: bool = False
    regex: Annotated[bool, Field(description="false for plain text")] = True
    context: Annotated[int, Field(ge=0, le=MOST_CONTEXT), _schema("integer", "lines around")] = 0


async def _read(arguments: ReadFile, desk: Desk) -> ToolResult:
    wanted = Wanted(
        first=arguments.first_line or 1,
        lines=arguments.lines,
        skipped=(arguments.first_char or 1) - 1,
        chars=desk.settings.read_chars,
    )

    def work(place: Place, halted: Callable[[], bool]) -> str:
        return _with_footer(shown(place.inside), read_part(place, wanted, halted))

    return await _on_file(arguments.path, desk, "file", work)


async def _list(arguments: ListFiles, desk: Desk) -> ToolResult:
    def work(place: Place, halted: Callable[[], bool]) -> str:
        asked = Asked(
            place=place,
            pattern=arguments.pattern,
            depth=arguments.depth,
            limit=arguments.limit or LISTED,
            chars=desk.settings.read_chars,
        )
        return list_below(Workspace(desk.workspace), asked, halted)

    return await _on_file(arguments.path, desk, "search_results", work)


async def _search(arguments: SearchFiles, desk: Desk) -> ToolResult:
    workspace = Workspace(desk.workspace)
    try:
        place = await asyncio.to_thread(_place, workspace, arguments.path, "path")
    except FileTrouble as trouble:
        return _failed(trouble, "search_results", shown(arguments.path[:LONGEST_SOURCE]))
    # The process looks the path up again: it trusts nobody's word for what is inside.
    request = SearchRequest(
        root=str(desk.workspace),
        path=arguments.path,
        pattern=arguments.pattern,
        regex=arguments.regex,
        ignore_case=arguments.ignore_case,
        files=arguments.files,
        context=arguments.context,
        seconds=desk.settings.search_s,
    )
    answer = await search(request, desk.settings.read_chars)
    return ToolResult(
        answer.text,
        ok=not answer.error,
        error=answer.error,
        type="search_results",
        source=shown(place.inside),
    )


async def _on_file(
    path: str, desk: Desk, type: ItemType, work: Callable[[Place, Callable[[], bool]], str]
) -> ToolResult:
    """Does something with a path in a thread, which ends when nobody waits for it any more."""
    stopped, late = threading.Event(), time_is_up(desk.settings.search_s)

    def carry_out() -> ToolResult:
        try:
            place = _place(Workspace(desk.workspace), path, "path" if type != "file" else "")
        except FileTrouble as trouble:
            return _failed(trouble, type, shown(path[:LONGEST_SOURCE]))
        source = shown(place.inside)
        try:
            text = work(place, lambda: stopped.is_set() or late())
        except FileNotFound as trouble:
            return _failed(with_near_names(trouble, place), type, source)
        except FileTrouble as trouble:
            return _failed(trouble, type, source)
        return ToolResult(text, type=type, source=source)

    try:
        return await asyncio.to_thread(carry_out)
    finally:
        stopped.set()


def _place(workspace: Workspace, path: str, left_out: str) -> Place:
    """The real path that was meant.

    Raises:
        FileTrouble: It leads out, or can't be one.
    """
    try:
        return workspace.place(path)
    except OutsideWorkspace as trouble:
        raise with_way_back(trouble, workspace, left_out) from trouble


def _failed(trouble: FileTrouble, type: ItemType, source: str) -> ToolResult:
    kind = trouble.__class__.__name__
    return ToolResult(str(trouble), ok=False, error=kind, type=type, source=source)


def _with_footer(name: str, part: Part) -> str:
    """The text to the letter, then what part of the file it is and how to read on."""
    if not part.size and not part.text:
        return f"({name} is empty.)"
    of = "" if part.of is None else f" of {part.of:,}"
    if part.first == 1 and part.next_line is None:
        lines = f"all {part.last:,} lines" if part.last > 1 else "1 line"
    else:
        lines = f"lines {part.first:,} to {part.last:,}{of}"
    told = [f"{name}: {lines}, {size_told(part.size)}"]
    if not part.encoding.startswith("utf-8"):
        told.append(f", read as {part.encoding}")
    told.append(".")
    if part.next_line is not None:
        told.append(f" Read on with first_line={part.next_line}")
        told.append(f", first_char={part.next_skipped + 1}." if part.next_skipped else ".")
    return f"{part.text}\n({''.join(told)})"


FILE_TOOLS: tuple[Tool, ...] = (
    OwnTool(
        "read_file",
        "Read a text file of the workspace, whole or from first_line on.",
        ReadFile,
        _read,
    ),
    OwnTool(
        "list_files",
        "List a folder with sizes, without path the workspace itself; with a pattern, all matching "
        "files below it.",
        ListFiles,
        _list,
    ),
    OwnTool(
        "search_files",
        f"Search the text of files below a path, line by line. Shows at most {MOST_HITS} hits.",
        SearchFiles,
        _search,
    ),
)
"""Read, list and search."""
