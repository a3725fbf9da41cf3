"""The child process that fetches one page and makes Markdown of it (`app.tools.web` starts it).

Standard input brings one line of JSON and stays open: where it closes, the parent has ended, and
so does this. Standard output takes one line of JSON. A page that makes the parser run wild costs
this process only.
"""

import contextlib
import json
import os
import signal
import sys
import threading
import time
from typing import Any

from app.tools.page_errors import PageFailed
from app.tools.page_fetch import MAX_BYTES, Page, Wish, fetch
from app.tools.page_text import readable_json, text_of
from widgets.plain import printable

_MAX_MEMORY = 2 * 1024**3  # bytes of address space
_ERROR_TEXT_CHARS = 2_000
_OK = range(200, 300)


def main() -> None:
    """Answers the one request on standard input."""
    # Ctrl-C in the terminal reaches the whole group; the parent decides what it means.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _bound_memory()
    line = sys.stdin.readline()
    threading.Thread(target=_end_with_parent, daemon=True).start()
    sys.stdout.write(json.dumps(answer(json.loads(line))) + "\n")
    sys.stdout.flush()
    # Whatever still hangs, such as a resolver's thread, is not waited for.
    os._exit(0)


def answer(request: dict[str, Any]) -> dict[str, Any]:
    """Fetches the page that a request asks for.

    Args:
        request: `url`, `allowed_hosts`, `seconds`, `chars` and `agent`.

    Returns:
        `ok`, `text`, and where they are known `error` and the final `url`.
    """
    wish = Wish(
        agent=request["agent"],
        allowed_hosts=request["allowed_hosts"],
        deadline=time.monotonic() + request["seconds"],
    )
    try:
        page = fetch(request["url"], wish)
        return _told(page, request["chars"])
    except PageFailed as error:
        return {"ok": False, "error": error.kind, "text": error.sentence}
    except (MemoryError, RecursionError):
        return {"ok": False, "error": "TooLarge", "text": "The page is too large to be read."}


def _end_with_parent() -> None:
    sys.stdin.read()
    os._exit(0)


def _bound_memory() -> None:
    try:
        import resource
    except ImportError:
        return  # Windows
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_AS, (_MAX_MEMORY, _MAX_MEMORY))


def _told(page: Page, chars: int) -> dict[str, Any]:
    """A page as the model reads it."""
    if page.status in _OK:
        text = _readable(page)
        if page.cut:
            text += f"\n\n[… only the first {MAX_BYTES:,} bytes of the page were read …]"
        head = f"Web page {page.url}"
        return {"ok": True, "url": page.url, "text": f"{head}\n\n{_clipped(text, chars)}"}
    try:
        text = _readable(page)
    except PageFailed:
        text = ""
    reason = page.reason if page.reason.isprintable() else ""
    head = f"The server answered {page.status} {reason}".strip() + f" for {page.url}."
    told = f"{head}\n\n{_clipped(text, min(chars, _ERROR_TEXT_CHARS))}".strip()
    return {"ok": False, "error": "HttpError", "url": page.url, "text": told}


def _readable(page: Page) -> str:
    found = text_of(page.body, page.content_type, page.length)
    if not found.html:
        return printable(readable_json(found.text))
    from app.tools.page_markdown import to_markdown  # slow to load

    return printable(to_markdown(found.text, page.url))


def _clipped(text: str, chars: int) -> str:
    if len(text) <= chars:
        return text
    return f"{text[:chars]}\n\n[… {len(text) - chars:,} more characters left out …]"


if __name__ == "__main__":
    main()
