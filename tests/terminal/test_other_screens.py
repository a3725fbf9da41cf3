"""What a key opens over the chat, and the way back."""

from tests.support.program import Program
from tests.terminal.terminal import (
    CTRL_O,
    CTRL_P,
    CTRL_Q,
    DOWN,
    ENTER,
    ESC,
    F1,
    F3,
    F6,
    F7,
    Terminal,
    terminal,
)

DRAFT = "a draft that stays"


def test_every_screen_and_the_way_back(program: Program) -> None:
    """CHAT-7, VIEW-1: drawer, timeline, sessions, help; Esc goes back and the draft is kept."""
    program.imports("Boats", [{"role": "user", "content": "About boats."}])
    program.imports("Trains", [{"role": "user", "content": "About trains."}])
    with terminal(program) as shown:
        shown.opened()
        shown.echo(DRAFT)
        for key, title in ((F3, "Timeline  Trains"), (CTRL_O, "2 sessions"), (F1, "Keys and ")):
            shown.press(key)
            shown.until(title)
            _back(shown)
        shown.press(F7)
        shown.until("─ short-term ─")
        assert shown.row_of("About trains.")
        _back(shown)
        shown.gone("─ short-term ─")
        shown.press(F6)
        shown.until("⏎ open")
        shown.press("k")
        _back(shown)
        shown.echo(" and grows")
        shown.press(CTRL_Q)
        assert shown.ended() == 0


def test_the_palette_runs_what_is_typed(program: Program) -> None:
    """CHAT-7: Ctrl+P finds a command by its name, and another session by its title."""
    program.imports("Boats", [{"role": "user", "content": "About boats."}])
    program.imports("Trains", [{"role": "user", "content": "About trains."}])
    with terminal(program) as shown:
        shown.opened()
        _choose(shown, "memory-status", "full report")
        shown.until("Next compaction")
        _choose(shown, "boats", "Boats")
        shown.until("About boats.")
        shown.until(lambda: shown.lines[0].startswith(" Boats"))
        shown.press(CTRL_Q)
        assert shown.ended() == 0


def test_a_session_is_chosen_from_the_list(program: Program) -> None:
    """CHAT-4: Ctrl+O, a key down, Enter."""
    program.imports("Boats", [{"role": "user", "content": "About boats."}])
    program.imports("Trains", [{"role": "user", "content": "About trains."}])
    with terminal(program) as shown:
        shown.opened()
        shown.press(CTRL_O)
        shown.until("2 sessions")
        shown.press(DOWN)
        shown.pause(0.3)  # only a colour tells which one is chosen
        shown.press(ENTER)
        shown.until("About boats.")
        shown.press(CTRL_Q)
        assert shown.ended() == 0


def _choose(shown: Terminal, words: str, row: str) -> None:
    shown.press(CTRL_P)
    shown.until("Actions, commands, sessions, themes")
    shown.press(words)
    shown.until(row)
    shown.press(ENTER)
    shown.gone("Actions, commands")


def _back(shown: Terminal) -> None:
    """Esc, until the composer has the keys and its draft again."""
    shown.press(ESC)
    shown.until(lambda: shown.holds(DRAFT))
