"""The terminal: whether the chat can be shown in it as it was made."""

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TextIO

from app.doctor.check import Check, note, ok, problem
from widgets.plain import one_line

COLUMNS, LINES = 80, 24
TMUX_SECONDS = 0.5
MOST_COLOURS = {"truecolor": "16 million", "256": "256", "standard": "16", "windows": "16"}
_CLIPBOARD_TOOLS = ("wl-copy", "xclip", "xsel", "pbcopy", "clip.exe")


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What is known of the terminal.

    Args:
        terminal: Whether input and output are one.
        size: Its columns and lines; None where there is no terminal.
        encoding: How what is printed is encoded.
        colours: rich's name for the colours that it shows; None for none.
        tmux_clipboard: tmux's option `set-clipboard`; empty where there is no tmux.
        tools: Programs that fill the clipboard.
        environment: The variables.
    """

    terminal: bool
    size: tuple[int, int] | None
    encoding: str
    colours: str | None
    tmux_clipboard: str
    tools: tuple[str, ...]
    environment: Mapping[str, str]


def surroundings(environment: Mapping[str, str] = os.environ) -> Surroundings:
    """Looks at the terminal of this process."""
    from rich.console import Console

    streams: list[TextIO | None] = [sys.stdin, sys.stdout]
    return Surroundings(
        terminal=all(stream is not None and stream.isatty() for stream in streams),
        size=_size(),
        encoding=getattr(sys.stdout, "encoding", None) or "ascii",
        colours=Console(force_terminal=True, _environ=environment).color_system,
        tmux_clipboard=_tmux_clipboard() if environment.get("TMUX") else "",
        tools=tuple(tool for tool in _CLIPBOARD_TOOLS if shutil.which(tool)),
        environment=environment,
    )


def terminal_checks(around: Surroundings) -> list[Check]:
    """What there is to say of a terminal."""
    if not around.terminal:
        return [_terminal(around), _letters(around)]
    return [
        _terminal(around),
        *_size_check(around.size),
        _colours(around),
        _letters(around),
        copying_check(around),
    ]


def _terminal(around: Surroundings) -> Check:
    name = one_line(around.environment.get("TERM", "")) or "nothing"
    far = ", over SSH" if _ssh(around.environment) else ""
    if not around.terminal:
        return note("terminal", "This is not run in a terminal; the chat needs one.")
    if name in ("nothing", "dumb"):
        return problem(
            "terminal",
            f"TERM says {name}: the chat can't be drawn.",
            "`export TERM=xterm-256color`, if the terminal is of that kind.",
        )
    return ok("terminal", f"TERM is {name}{far}.")


def _size_check(size: tuple[int, int] | None) -> list[Check]:
    if size is None:
        return []
    told = f"{size[0]} columns, {size[1]} lines"
    if size[0] < COLUMNS or size[1] < LINES:
        way_out = f"Make it at least {COLUMNS} by {LINES}, or the letters smaller."
        return [note("size", f"{told}: little room.", way_out)]
    return [ok("size", f"{told}.")]


def _colours(around: Surroundings) -> Check:
    if around.environment.get("NO_COLOR"):
        return note("colours", "NO_COLOR is set: the chat shows none.", "`unset NO_COLOR`.")
    number = MOST_COLOURS.get(around.colours or "", "no")
    told = f"It shows {number} colours."
    if number in ("16 million", "256"):
        return ok("colours", told)
    return note(
        "colours", told, "`export COLORTERM=truecolor`, if the terminal shows more than it says."
    )


def _letters(around: Surroundings) -> Check:
    if around.encoding.lower().replace("-", "") == "utf8":
        return ok("letters", "UTF-8.")
    return problem(
        "letters",
        f"The language settings are not UTF-8 but {one_line(around.encoding)}.",
        "`export LANG=C.UTF-8`, or your own language with .UTF-8.",
    )


def copying_check(around: Surroundings) -> Check:
    """Whether what is copied in the chat comes to the clipboard: by a tool, or by OSC 52."""
    environment, tools = around.environment, around.tools
    if tools and not _ssh(environment):
        return ok("copying", f"Copies go to the clipboard by {tools[0]}.")
    instead = "Else select with Shift and the mouse."
    if around.tmux_clipboard and around.tmux_clipboard != "on":
        return note(
            "copying",
            f"tmux keeps copies from the terminal (set-clipboard {around.tmux_clipboard}).",
            f"`tmux set -g set-clipboard on`. {instead}",
        )
    if environment.get("STY"):
        return note("copying", "screen keeps copies from the terminal.", instead)
    if environment.get("TERM_PROGRAM") == "Apple_Terminal":
        return note("copying", "Terminal of macOS takes no copies (OSC 52).", instead)
    if environment.get("VTE_VERSION"):
        return note("copying", "Terminals of GNOME's kind may take no copies (OSC 52).", instead)
    return ok("copying", "Copies go through the terminal (OSC 52).")


def _ssh(environment: Mapping[str, str]) -> bool:
    return bool(environment.get("SSH_CONNECTION") or environment.get("SSH_TTY"))


def _size() -> tuple[int, int] | None:
    for stream in (sys.stdout, sys.stderr, sys.stdin):
        try:
            size = os.get_terminal_size(stream.fileno())
        except (OSError, ValueError, AttributeError):
            continue  # it is no terminal
        return size.columns, size.lines
    return None


def _tmux_clipboard() -> str:
    command = ["tmux", "show-options", "-gsv", "set-clipboard"]
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=TMUX_SECONDS, check=False
        )
    except (OSError, subprocess.SubprocessError):
        return ""
    return one_line(done.stdout) if done.returncode == 0 else ""
