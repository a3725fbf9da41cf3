"""Putting text on the clipboard: by the system's own tool where there is one, and by the terminal.

The terminal is asked by an escape sequence (OSC 52), which works over SSH too; whether it obeys is
never known, so success is claimed only where a tool has reported it.
"""

import asyncio
import os
import shutil
import sys
from contextlib import suppress

TOOLS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("WAYLAND_DISPLAY", ("wl-copy",)),
    ("DISPLAY", ("xclip", "-selection", "clipboard")),
    ("DISPLAY", ("xsel", "--clipboard", "--input")),
)
"""What takes text on a Unix desktop, and the variable without which it can't."""
LONGEST_S = 2.0


def tool() -> tuple[str, ...] | None:
    """The command of this system that puts its input on the clipboard; None where there is none."""
    if "SSH_CONNECTION" in os.environ:
        return None  # its clipboard is not the one the user sees
    if sys.platform == "darwin":
        return ("pbcopy",)
    if sys.platform == "win32":
        return ("clip",)
    for variable, command in TOOLS:
        if os.environ.get(variable) and shutil.which(command[0]):
            return command
    return None


async def copy_by_tool(text: str) -> bool:
    """Hands a text to the system's tool; returns whether it reported success."""
    command = tool()
    if command is None:
        return False
    encoding = "utf-16-le" if sys.platform == "win32" else "utf-8"
    try:
        process = await asyncio.create_subprocess_exec(
            *command,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.DEVNULL,
        )
    except OSError:
        return False
    try:
        data = text.encode(encoding, "replace")
        await asyncio.wait_for(process.communicate(data), LONGEST_S)
    except (OSError, TimeoutError):
        with suppress(ProcessLookupError):
            process.kill()
        await process.wait()
        return False
    return process.returncode == 0
