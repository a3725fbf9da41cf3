"""Memory files beside the conversation, as they are on the disk (VIEW-1, PROMPT-2)."""

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from rich.cells import cell_len

from app.chat.file_finding import EVERYBODYS, NAMES, OWN
from app.screens import files_watched
from app.screens.prompt import PromptScreen
from memory.snapshot import FileView
from tests.support.snapshots import snapshot_of, talk
from tests.support.works import AT, FILES
from tests.tui.conftest import OpenChat
from widgets.core.core import Core
from widgets.panes.files import NO_FILES, file_rows
from widgets.panes.view import PaneView

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
EMPTY = snapshot_of(talk(1, [40, 60]))
SECTIONS = replace(EMPTY.context, sections={**EMPTY.context.sections, "files": 2_516})
FULL = replace(EMPTY, files=FILES, context=SECTIONS)
ON_DISK = pytest.mark.asyncio(loop_scope="session")


def texts(view: PaneView) -> list[str]:
    return [row.text.rstrip() for row in view.rows]


def test_each_file_stands_there_with_what_it_costs() -> None:
    """VIEW-1: by sign as well as by hue: whole, cut, or not in the prompt, and why."""
    view = file_rows(FULL, 60, NOW)
    rows = texts(view)
    assert rows[0].split() == ["●", "AGENT.md", "/home/ada/flats", "312", "20", "min"]
    assert rows[1].split() == ["◐", "MEMORY.md", "/home/ada/flats", "2.2k", "20", "Nov"]
    assert rows[2] == "  is cut to the first 8,950 characters of 31 kB"
    assert rows[3] == "  (memory_file_chars); 2 secrets replaced"
    assert rows[4] == "○ .agent-context.md /home/ada/flats"
    assert rows[5] == "  is a folder, and is not read"
    assert view.figures == "2 files · 2.5k tok"
    assert view.keys[0] == FILES[0].path
    assert view.keys[2] == view.keys[1] == FILES[1].path


def test_the_empty_pane_says_what_is_looked_for_where() -> None:
    """VIEW-1: every name and every folder."""
    assert " ".join(texts(file_rows(EMPTY, 34, NOW))) == NO_FILES
    assert [one for one in (*NAMES, OWN, EVERYBODYS) if one not in NO_FILES] == []


@pytest.mark.parametrize("width", [8, 21, 34, 90])
def test_nothing_steers_and_nothing_is_too_wide(width: int) -> None:
    """ALL-8: names of files are never markup and never control."""
    odd = "/work/[b]x[/b]\x1b[31m\u202e漢字漢字/AGENT.md"
    files = tuple(FileView(odd, tokens, 9, tokens == 2, AT, odd * 9, 1) for tokens in range(3))
    view = file_rows(replace(FULL, files=files), width, NOW)
    told = "".join(texts(view))
    assert max(cell_len(row.text) for row in view.rows) <= width
    assert "\x1b" not in told
    assert "\u202e" not in told


@ON_DISK
async def test_the_pane_follows_the_disk_and_opens_the_prompt(
    open_chat: OpenChat, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """PROMPT-2, VIEW-2: without a key being typed; the layer opens the pane, a row the piece."""
    monkeypatch.setattr(files_watched, "LOOK_SECONDS", 0.05)
    path = tmp_path / "AGENT.md"
    path.write_text("Use tabs.\n")
    async with open_chat(size=(200, 50), tools__workspace=str(tmp_path)) as chat:
        await chat.ready()
        await chat.until(lambda: "AGENT.md" in drawn(chat.panes.pane("files")))
        chat.core.post_message(Core.Opened("files", None))
        await chat.until(lambda: chat.panes.pane("files").has_focus)
        before = chat.panes.pane("files").figures
        path.write_text("Use tabs. " * 400)
        await chat.until(lambda: chat.panes.pane("files").figures not in ("", before))
        await chat.press("enter")
        screen = await chat.over(PromptScreen)
        await chat.until(lambda: screen.view is not None)
        assert screen._entry is not None
        assert screen._entry.piece is not None
        assert screen._entry.piece.path == str(path)
        await chat.press("escape")
        path.unlink()
        path.mkdir()
        await chat.until(lambda: "AGENT.md is a folder" in chat.notices)
        assert chat.notices.count("is a folder") == 1


def drawn(pane: object) -> str:
    return "\n".join(texts(pane._view))  # type: ignore[attr-defined]
