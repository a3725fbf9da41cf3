"""CHAT-4: how sessions are put in lists: name, size, age."""

from datetime import UTC, datetime

import pytest

from app.chat.names import ago, listed, session_name, short_model, short_size
from memory.parts import Usage
from memory.storage.sessions import SessionInfo

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
ID = "me:default:2026-11-21T08:07:00.000Z"


def info(title: str | None = None, session_id: str = ID, **changes: object) -> SessionInfo:
    values: dict[str, object] = {
        "id": session_id,
        "title": title,
        "agent": "default",
        "branch": "b",
        "messages": 2,
        "model": "embedded/smollm2-135m",
        "started_at": session_id[-24:],
        "last_used": "2026-11-21T11:57:00.000Z",
        "usage": Usage(),
        "bytes": 3_900,
    }
    return SessionInfo(**{**values, **changes})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("title", "session_id", "name"),
    [
        ("flat", ID, "flat"),
        ("two\nlines \x1b[31mred", ID, "two lines red"),
        (None, ID, "session of 08:07"),
        (None, f"{ID}-0a1b2c", "session of 08:07"),
        (None, "me:default:2026-11-20T08:07:00.000Z", "session of 20 Nov 08:07"),
        (None, "imported", "imported"),
    ],
)
def test_a_session_without_a_title_is_called_by_its_start(
    title: str | None, session_id: str, name: str
) -> None:
    """CHAT-4: the same name in the status line and in every list."""
    assert session_name(title, session_id, NOW, UTC) == name


@pytest.mark.parametrize(
    ("at", "said"),
    [
        ("2026-11-21T12:00:30.000Z", "just now"),
        ("2026-11-21T11:59:10.000Z", "just now"),
        ("2026-11-21T11:57:00.000Z", "3 min ago"),
        ("2026-11-21T09:59:00.000Z", "2 h ago"),
        ("2026-11-20T23:30:00.000Z", "yesterday"),
        ("2026-11-20T08:00:00.000Z", "yesterday"),
        ("2026-11-12T08:00:00.000Z", "12 Nov"),
        ("2025-11-21T08:00:00.000Z", "21 Nov 2025"),
    ],
)
def test_times_are_relative_where_recent(at: str, said: str) -> None:
    """VIEW-5: as people say them."""
    assert ago(at, NOW, UTC) == said


@pytest.mark.parametrize(
    ("size", "shown"),
    [
        (0, "0 B"),
        (999, "999 B"),
        (1_000, "1.0 kB"),
        (3_949, "3.9 kB"),
        (9_960, "10 kB"),
        (128_400, "128 kB"),
        (999_600, "1.0 MB"),
        (2 * 10**15, "2000 TB"),
    ],
)
def test_sizes_are_short(size: int, shown: str) -> None:
    """VIEW-5: at most three figures and a unit."""
    assert short_size(size) == shown


@pytest.mark.parametrize(
    ("model", "shown"),
    [
        ("embedded/smollm2-135m", "smollm2-135m"),
        ("embedded//home/me/x.gguf", "x.gguf"),
        ("openrouter/meta/llama", "llama"),
        ("gpt-4o", "gpt-4o"),
        (None, ""),
    ],
)
def test_models_are_named_without_their_home(model: str | None, shown: str) -> None:
    """CHAT-4: the last part of a name tells it."""
    assert short_model(model) == shown


def test_a_list_stands_in_columns() -> None:
    """CHAT-4: wide characters too; what has no title shows the id that names it."""
    sessions = [info("東京の旅"), info("Lisbon", messages=128), info(None)]
    lines = listed(sessions, NOW, here=ID)
    assert [line[0] for line in lines] == ["›", "›", "›"]
    assert lines[0].index("2 messages") + len("東京の旅") == lines[1].index("128 messages") + 2
    assert lines[2].endswith(ID)
    assert not lines[1].endswith(ID)
    assert listed([], NOW) == []
