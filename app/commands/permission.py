"""Asks on the terminal whether a tool may do something, where somebody sits there."""

import asyncio
import sys

from app.tools.tool import Permission, Verdict
from widgets.plain import one_line, to_the_letter

ANSWERS: dict[str, Verdict] = {"y": "once", "yes": "once", "a": "always", "always": "always"}


async def ask_on_terminal(permission: Permission) -> Verdict:
    """The user's answer; `no` where standard input or standard error is no terminal.

    On Windows always `no`: a terminal can't be waited for there without being in its way.
    """
    if sys.platform == "win32" or not (sys.stdin.isatty() and sys.stderr.isatty()):
        return "no"
    import termios

    # What was typed before the question can't be its answer.
    termios.tcflush(sys.stdin.fileno(), termios.TCIFLUSH)
    print(question(permission), end="", file=sys.stderr, flush=True)
    return ANSWERS.get((await _line()).strip().lower(), "no")


def question(permission: Permission) -> str:
    """What is asked: nothing of what would be done is hidden, and nothing of it is obeyed."""
    letters = "".join(part for part, _ in to_the_letter(permission.subject))
    subject = letters.replace("\n", "\n  | ")
    where = f"  in {one_line(permission.where)}\n" if permission.where else ""
    return (
        f"{one_line(permission.question)}\n  | {subject}\n{where}"
        "y: once, a: always this, anything else: no > "
    )


async def _line() -> str:
    """The next line of standard input; who stops the program need not wait for one."""
    loop = asyncio.get_running_loop()
    read: asyncio.Future[None] = loop.create_future()

    def ready() -> None:
        if not read.done():
            read.set_result(None)

    loop.add_reader(sys.stdin.fileno(), ready)
    try:
        await read
    finally:
        loop.remove_reader(sys.stdin.fileno())
    return sys.stdin.readline()
