"""ALL-5: what the doctor makes of what it sees."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from app.doctor.check import Check, Group
from app.doctor.directory import directory_checks, log_checks
from app.doctor.host import host_checks
from app.doctor.program import packages_check, pinned_packages, pins, python_check
from app.doctor.reading import Read
from app.doctor.report import Look, words
from app.doctor.servers import ollama_check, provider_of
from app.doctor.summaries import gap_in, summary_checks
from app.doctor.terminal import Surroundings, terminal_checks
from memory.breaker import Breaker
from memory.parts import MessageRef, SummaryRef
from memory.state import Folding, State
from memory.storage.inspection import SessionRow
from tests.support.fake_ollama import fake_ollama

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
AROUND = Surroundings(
    terminal=True,
    size=(120, 40),
    encoding="utf-8",
    colours="truecolor",
    tmux_clipboard="",
    tools=(),
    environment={"TERM": "xterm-256color"},
)


def summary(first: int, last: int) -> SummaryRef:
    return SummaryRef("b", first, last, 1, "rule", "2026-01-01T00:00:00.000Z")


def folded(long: tuple[int, int], short: tuple[int, int], verbatim: range, last: int) -> State:
    refs = tuple(MessageRef(number, "user", f"b{number}", 1) for number in verbatim)
    return State(messages=last, folding=Folding(summary(*long), summary(*short), refs))


def read(state: State, **more: object) -> Read:
    session = SessionRow("s", "b", "me:default:now", "a talk's end", "default", 9, 20, held=False)
    return replace(Read(session, state=state, compactions=4), **more)  # type: ignore[arg-type]


def there(versions: Mapping[str, str]) -> Callable[[str], str | None]:
    def version(name: str) -> str | None:
        return versions.get(name)

    return version


def states(checks: list[Check]) -> dict[str, str]:
    return {check.name: check.state for check in checks}


@pytest.mark.parametrize(
    ("state", "gap"),
    [
        (folded((1, 4), (5, 8), range(9, 13), 12), False),
        (folded((1, 4), (6, 8), range(9, 13), 12), True),
        (folded((1, 5), (5, 8), range(9, 13), 12), True),
        (folded((1, 4), (5, 8), range(10, 13), 12), True),
        (folded((1, 4), (5, 8), range(9, 13), 13), True),
        (folded((2, 4), (5, 8), range(9, 13), 12), True),
        (State(), False),
    ],
)
def test_coverage(state: State, gap: bool) -> None:
    """I1: each message stands once, without a gap."""
    assert gap_in(state) is gap


def test_summaries() -> None:
    """ALL-5, COMPACT-7, COMPACT-11: fallbacks, an open breaker and a waiting undo are told."""
    sound = folded((1, 4), (5, 8), range(9, 13), 12)
    checks = summary_checks([read(sound)], NOW)
    assert states(checks) == {"coverage": "ok", "made by": "ok"}
    opened = Breaker(3, "2026-11-21T11:58:00.000Z", "the model could not be reached")
    waiting = replace(sound, breaker=opened, automatic_waits=True)
    checks = summary_checks([read(waiting, fallbacks=["it was empty"])], NOW)
    assert states(checks)["breaker"] == "problem"
    assert states(checks)["waiting"] == states(checks)["made by"] == "note"
    told = " ".join(check.sentence + check.next_step for check in checks)
    assert "1 of 4 compactions" in told
    assert "it was empty" in told
    assert "strata compact --session 'a talk'\"'\"'s end'" in told
    later = NOW.replace(hour=13)
    assert "breaker" not in states(summary_checks([read(waiting)], later))


def test_packages() -> None:
    """ALL-5: what is missing is wrong, what is of another version is told."""
    pinned = {"textual": "8.2.8", "litellm": "1.0"}
    assert packages_check(pinned, there(pinned)).state == "ok"
    assert packages_check(pinned, there({"textual": "8.2.8", "litellm": "2.0"})).state == "note"
    missing = packages_check(pinned, there({"textual": "8.2.8"}))
    assert (missing.state, "litellm" in missing.sentence) == ("problem", True)
    assert packages_check({"keyring": "1"}, there({})).state == "note"
    assert packages_check({}, there({})).state == "note"
    assert pins(["a==1.0", "b>=2", "c == 3 ; extra == 'dev'"]) == {"a": "1.0"}
    assert "textual" in pinned_packages()
    assert python_check((3, 10, 1), (3, 40, 0)).state == "problem"
    assert python_check((3, 11, 1), (3, 31, 0)).state == "problem"
    assert python_check((3, 14, 0), (3, 50, 0)).state == "note"


@pytest.mark.parametrize(
    ("more", "name", "state"),
    [
        ({}, "copying", "ok"),
        ({"size": (79, 40)}, "size", "note"),
        ({"colours": "standard"}, "colours", "note"),
        ({"encoding": "ANSI_X3.4-1968"}, "letters", "problem"),
        ({"environment": {"TERM": "dumb"}}, "terminal", "problem"),
        ({"environment": {"TERM": "xterm", "NO_COLOR": "1"}}, "colours", "note"),
        ({"environment": {"TERM": "screen", "STY": "1.tty"}}, "copying", "note"),
        ({"tmux_clipboard": "external"}, "copying", "note"),
        ({"tmux_clipboard": "on"}, "copying", "ok"),
        ({"terminal": False, "size": None}, "terminal", "note"),
    ],
)
def test_terminal(more: dict[str, object], name: str, state: str) -> None:
    """ALL-5: what keeps the chat from looking as it was made."""
    assert states(terminal_checks(replace(AROUND, **more)))[name] == state  # type: ignore[arg-type]


def test_a_directory_that_is_somebody_elses(tmp_path: Path) -> None:
    """ALL-5: permissions are asked, nothing is tried; the file that can't be written is named."""
    (tmp_path / "strata.db-wal").touch()
    data = directory_checks(tmp_path, lambda path, mode: path.is_dir())
    assert "strata.db-wal" in data[0].sentence
    assert directory_checks(tmp_path, lambda path, mode: False)[0].state == "problem"
    there = directory_checks(tmp_path / "new" / "one", lambda path, mode: False)
    assert "can't be made" in there[0].sentence


def test_the_log_file(tmp_path: Path) -> None:
    """ALL-5: errors are counted, the newest is told; what it holds orders no terminal."""
    file = tmp_path / "strata.log"
    head = "2026-11-21 10:00:00,123"
    file.write_text(f"{head} INFO a x\n{head} WARNING b y\n")
    assert log_checks(tmp_path)[0].state == "ok"
    with file.open("a") as log:
        log.write(f"{head} ERROR strata [1] unexpected \x1b[31mfailure\nTraceback\n")
    (check,) = log_checks(tmp_path)
    assert "1 error" in check.sentence
    assert "\x1b" not in check.sentence


async def test_the_hosts_log(tmp_path: Path) -> None:
    """ALL-5: a host that failed to start left its reason."""
    (tmp_path / "log").mkdir()
    (tmp_path / "log" / "host.log").write_text("ready\nthe file x can't be loaded as a model.\n")
    checks, loaded = await host_checks(tmp_path)
    assert not loaded
    assert "can't be loaded" in checks[-1].sentence


async def test_ollama() -> None:
    """ALL-5, ALL-3: one that it lacks is named; one on another machine is not asked."""
    with fake_ollama() as server:
        environment = {"OLLAMA_HOST": server.address}
        assert (await ollama_check("ollama_chat/small", environment)).state == "ok"
        lacking = await ollama_check("ollama_chat/none", environment)
        assert (lacking.state, "ollama pull none" in lacking.next_step) == ("problem", True)
    elsewhere = await ollama_check("ollama_chat/x", {"OLLAMA_HOST": "192.0.2.1"})
    assert "not asked" in elsewhere.sentence


def test_providers() -> None:
    """ALL-5: as far as a model's name tells."""
    assert provider_of("anthropic/claude-sonnet-5") == provider_of("claude-sonnet-5") == "anthropic"
    assert provider_of("gpt-4o-mini") == "openai"
    assert provider_of("mine") == ""


def test_the_report_in_colour() -> None:
    """ALL-5: marks in colour, words without; no text orders the terminal."""
    groups = [Group("Things", (Check("one", "problem", "It is \x1b[31mred.", "Paint it."),))]
    marked = words(groups, Look(colours=True))
    assert "\x1b[31m✗\x1b[0m one" in marked
    assert "It is red." in marked
    plain = words(groups, Look(unicode=False))
    assert "wrong one" in plain
    assert plain.isascii()
    assert plain.endswith("1 problem, 0 notes.")
