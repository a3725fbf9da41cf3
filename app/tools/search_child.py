"""Searches files in a process of its own, so that no pattern can keep the screen waiting.

Started by name (`python -P -m app.tools.search_child`). One request as a JSON line on standard
input; on standard output a line for each file with hits, and a last one that sums up or says what
is wrong. It ends when its time is up, by force and even within one match, and with its parent.
"""

import ctypes
import faulthandler
import json
import os
import re
import signal
import sys
import threading
import warnings
from collections import Counter
from contextlib import suppress
from io import FileIO
from pathlib import Path
from typing import Any

from app.tools.globs import Glob
from app.tools.listing import left_out
from app.tools.near_names import with_near_names
from app.tools.opening import open_file
from app.tools.search_request import LONGEST_LINE, MOST_HITS, SearchRequest, read_request
from app.tools.telling import counted
from app.tools.texts import SAMPLE, encoding_of
from app.tools.troubles import BadPattern, FileNotFound, FileTrouble, IsAFolder, trouble_of
from app.tools.walking import Found, Walk
from app.tools.workspace import Place, Workspace, shown

LARGEST = 20_000_000
"""Bytes of a file that is searched."""
MEMORY = 1_000_000_000
"""Bytes of memory that a search may take: a pattern can ask for any amount."""
GRACE_S = 1.0
"""Seconds after which the process ends itself, should its parent not have ended it."""
NICE = 5
BEFORE_MATCH = 80
"""Characters that stand before the match in what is shown of a long line."""
_DIES_WITH_PARENT = 1  # PR_SET_PDEATHSIG of Linux

Line = tuple[int, bool, str]
"""Number, whether it is a hit, and text."""


def main() -> None:
    """Answers the one request."""
    request = read_request(sys.stdin.buffer.readline())
    _restrict(request.seconds)
    try:
        answer = {"summary": _Search(request).run()}
    except FileTrouble as trouble:
        answer = {"error": type(trouble).__name__, "text": str(trouble)}
    except MemoryError:
        answer = {"error": "BadPattern", "text": "The search needs too much memory. Simplify it."}
    _say(answer)
    os._exit(0)  # the thread that watches the parent is still reading


def compiled(pattern: str, regex: bool, ignore_case: bool) -> re.Pattern[str]:
    """What lines are searched for.

    Raises:
        BadPattern: It is no regular expression.
    """
    flags = re.IGNORECASE if ignore_case else re.NOFLAG
    try:
        return re.compile(pattern if regex else re.escape(pattern), flags)
    except (re.error, OverflowError, RecursionError) as error:
        raise BadPattern(
            f"This is no valid regular expression: {error}.",
            "To search for it as plain text, set regex to false.",
        ) from error


class _Search:
    """One search, and the record of what it went by."""

    def __init__(self, request: SearchRequest) -> None:
        self._request = request
        self._pattern = compiled(request.pattern, request.regex, request.ignore_case)
        plain = not request.regex and not request.ignore_case
        self._needle = request.pattern if plain else ""
        self._glob = Glob(request.files) if request.files else None
        self._searched = self._hits = self._hit_files = self._ignored = 0
        self._skipped: Counter[str] = Counter()

    def run(self) -> str:
        """Says the hits; returns what was searched, found and skipped.

        Raises:
            FileTrouble: The folder or file is missing, outside, or not to be read.
        """
        place = Workspace(Path(self._request.root)).place(self._request.path)
        walk = None
        try:
            with open_file(place) as file:
                self._file(file, place.parts)
        except IsAFolder:
            walk = Walk(place)
            self._below(walk, len(place.parts))
        except FileNotFound as trouble:
            raise with_near_names(trouble, place) from trouble
        except OSError as error:
            raise trouble_of(error, shown(place.inside)) from error
        return self._summary(place, walk)

    def _below(self, walk: Walk, begin: int) -> None:
        for found in walk:
            if found.kind == "folder" or not self._means(found.parts, begin):
                continue
            if found.ignored:
                self._ignored += 1
            elif found.kind == "file":
                self._found(found)
            else:
                self._skipped["link" if found.kind == "link" else "device or pipe"] += 1
            if self._hits >= MOST_HITS:
                return

    def _means(self, parts: tuple[str, ...], begin: int) -> bool:
        glob = self._glob
        return glob is None or glob.matches(parts[begin:]) or glob.matches(parts)

    def _found(self, found: Found) -> None:
        try:
            with found.folder.open(found.parts[-1]) as file:
                self._file(file, found.parts)
        except (FileTrouble, OSError):
            self._skipped["unreadable file"] += 1

    def _file(self, file: FileIO, parts: tuple[str, ...]) -> None:
        data = file.read(SAMPLE) or b""
        encoding = encoding_of(data)
        if encoding is None:
            self._skipped["binary file"] += 1
            return
        while len(data) <= LARGEST and (more := file.read(LARGEST)):
            data += more
        if len(data) > LARGEST:
            self._skipped["file over 20 MB"] += 1
            return
        self._searched += 1
        text = data.decode(encoding, "replace")
        if self._needle in text:
            self._text(text.split("\n"), shown("/".join(parts)))

    def _text(self, lines: list[str], path: str) -> None:
        hits: dict[int, re.Match[str]] = {}
        for index, line in enumerate(lines):
            if match := self._pattern.search(line.removesuffix("\r")):
                hits[index] = match
                if self._hits + len(hits) >= MOST_HITS:
                    break
        if hits:
            self._hits += len(hits)
            self._hit_files += 1
            _say({"path": path, "lines": _around(lines, hits, self._request.context)})

    def _summary(self, place: Place, walk: Walk | None) -> str:
        where = shown(place.inside) if place.parts else "the workspace"
        among = f" matching {self._request.files}" if self._request.files else ""
        searched = f"{counted(self._searched, 'file')}{among} in {where}"
        if walk is None:
            searched = where
        if self._hits >= MOST_HITS:
            told = [f"Stopped at {MOST_HITS} hits: narrow it by path, files or pattern."]
        elif self._hits:
            files = counted(self._hit_files, "file")
            told = [f"{counted(self._hits, 'hit')} in {files}. Searched {searched}."]
        else:
            told = [f"Nothing found. Searched {searched}."]
            if re.search(r"\n|\\n", self._request.pattern):
                told.append("Lines are searched one by one.")
        if self._skipped:
            counts = [counted(n, why) for why, n in sorted(self._skipped.items())]
            told.append(f"Skipped: {', '.join(counts)}.")
        if walk is not None:
            told.extend(left_out(walk, self._ignored))
        return " ".join(told)


def _around(lines: list[str], hits: dict[int, re.Match[str]], context: int) -> list[Line]:
    """The hits with the lines around them, each line once."""
    wanted = sorted(
        {
            near
            for index in hits
            for near in range(max(0, index - context), min(len(lines), index + context + 1))
        }
    )
    return [(at + 1, at in hits, _shortened(lines[at], hits.get(at))) for at in wanted]


def _shortened(line: str, match: re.Match[str] | None) -> str:
    """A line, or what stands around the match where it is long."""
    line = line.removesuffix("\r").replace("\0", "\ufffd")
    if len(line) <= LONGEST_LINE:
        return line
    begin = max(0, match.start() - BEFORE_MATCH) if match else 0
    end = begin + LONGEST_LINE
    return f"{'…' if begin else ''}{line[begin:end]}{'…' if end < len(line) else ''}"


def _say(message: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


def _restrict(seconds: float) -> None:
    """Bounds time and memory, and ends the process with its parent.

    A match holds Python's lock until it is done. So time is kept by a thread of C's, and on Linux
    the system itself ends the process; elsewhere it lives on after its parent as long as it may.
    """
    warnings.simplefilter("ignore")
    with open(os.devnull, "w") as nowhere:  # noqa: PTH123 - a handle that outlives the block
        silent = os.dup(nowhere.fileno())
    faulthandler.dump_traceback_later(seconds + GRACE_S, exit=True, file=silent)
    threading.Thread(target=_end_with_input, daemon=True).start()
    if sys.platform == "win32":
        return
    import resource

    with suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    with suppress(OSError):
        os.nice(NICE)
    if sys.platform == "linux":
        with suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(_DIES_WITH_PARENT, signal.SIGKILL)


def _end_with_input() -> None:
    """Standard input stays open as long as somebody waits for the answer."""
    while sys.stdin.buffer.read(1):
        pass
    os._exit(1)


if __name__ == "__main__":
    main()
