"""The whole program on a terminal: it starts, talks, is stopped, folds."""

from collections.abc import Callable
from pathlib import Path

from tests.host.conftest import end_hosts
from tests.support.misbehaving_server import MisbehavingServer
from tests.support.program import Program
from tests.terminal.terminal import CTRL_Q, ESC, F3, Terminal, log_of, terminal

WORDS = 30
TURNS_TO_FOLD = 5
"""With the stress profile, whose first compaction comes at nine messages."""


def test_what_is_typed_at_once_is_not_lost(program: Program) -> None:
    """ALL-7: letters that come before the screen does, and before the model, are in their order."""
    with terminal(program) as shown:
        shown.press("typed before ")
        shown.until(lambda: shown.screen.modes > {1049})
        shown.press("anything ")
        shown.until("Write a message")
        shown.press("is there")
        shown.until("typed before anything is there")
        assert "○ ready" not in shown.screen.text
        shown.press(CTRL_Q)
        assert shown.ended() == 0


def test_an_answer_streams_and_is_stopped(
    program_with: Callable[[str], Program], server: MisbehavingServer
) -> None:
    """CHAT-1, CHAT-3: it grows in sight; Esc keeps what came; then the next one is answered."""
    program = program_with("held")
    with terminal(program, size=(80, 60)) as shown:
        with server.holding():
            shown.say("Count to three hundred.")
            shown.until("w149")
            assert shown.row_of("● answering")
            shown.press(ESC)
            shown.until("stopped")
        shown.ready()
        assert "w149" in shown.screen.text
        assert not shown.row_of("● answering")
        shown.say("Once more.")
        shown.until("w299")
        shown.until(" s · 8 tokens")
        shown.ready()
        assert "openai/held" in shown.lines[0]
        shown.press(CTRL_Q)
        assert shown.ended() == 0
    assert "Traceback" not in log_of(program)


def test_a_compaction_is_seen(program: Program) -> None:
    """VIEW-1, VIEW-5: a mark where the window was cut, the panes say what they cover."""
    program.data.mkdir()
    (program.data / "config.toml").write_text('[memory]\nprofile = "stress"\n')
    with terminal(program, size=(120, 40)) as shown:
        for turn in range(1, TURNS_TO_FOLD + 1):
            _talk(shown, turn)
        shown.until("folded 1–5")
        shown.until("1–5 · v1")
        _talk(shown, TURNS_TO_FOLD + 1)
        shown.say("@compact-memories")
        shown.until("folded 6–")
        shown.until("· v2")
        shown.press(F3)
        shown.until("2 compactions")
        assert "manual" in shown.screen.text
        shown.press(ESC)
        shown.until("Write a message")
        shown.press(CTRL_Q)
        assert shown.ended() == 0
    assert "compaction done" in log_of(program)


def test_a_model_on_this_machine_answers(tmp_path: Path, models_dir: Path) -> None:
    """CHAT-3: no key and no server; the status line says who answers, and where."""
    limits = {"STRATA_MODEL__MAX_OUTPUT_TOKENS": "16", "STRATA_HOST__IDLE_MINUTES": "0.5"}
    program = Program(tmp_path, models_dir, limits)
    try:
        with terminal(program, "--model", "light") as shown:
            shown.say("Say hello.")
            shown.until("on this machine")
            shown.until(" s · ")
            shown.press(CTRL_Q)
            assert shown.ended() == 0
    finally:
        end_hosts(program.data)


def _talk(shown: Terminal, turn: int) -> None:
    """One turn, from its message to its answer's figures."""
    words = " ".join(f"boat{turn}x{word}" for word in range(WORDS))
    shown.say(words)
    shown.until(lambda: " tokens" in _after(shown, f"boat{turn}x{WORDS - 1}"))
    shown.ready()


def _after(shown: Terminal, text: str) -> str:
    """What is in sight below a text."""
    return shown.screen.text.rpartition(text)[2].partition("╭─────")[0]
