"""A conversation with tool calls, made of the files of this checkout: the same each time.

A developer and an assistant work through `memory/`: they list, search and read files, several at
once, read some again, fail and try anew, edit, run tests, paste logs and show code.

    python benchmarks/tool_conversation.py [--messages 300] [--out talk.jsonl]
"""

import argparse
import difflib
import json
import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import cycle
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from app.transfer.messages import RecordedMessage

ROOT = Path(__file__).resolve().parents[1]
MESSAGES = 300
SIGNATURE = re.compile(r"^(?:async )?(?:def|class) (\w+)", re.MULTILINE)
CONSTRAINTS = (
    "Never change the signature of a public function.",
    "Keep every module under 450 lines.",
    "Only touch files below memory/, please.",
    "Always run ruff before you say that you are done.",
    "The deadline is 14 March 2027, 18:00.",
)
THANKS = ("Thanks!", "ok", "Great, thank you.", "Perfect.", "yes")
Call = tuple[str, dict[str, object]]


@dataclass
class Talk:
    """A conversation as it grows, and the files it is about."""

    root: Path
    messages: list[RecordedMessage] = field(default_factory=list)
    calls: int = 0

    def user(self, text: str) -> None:
        """The developer says something."""
        self.messages.append(RecordedMessage("user", text))

    def model(self, text: str) -> None:
        """The assistant says something."""
        self.messages.append(RecordedMessage("assistant", text))

    def tools(self, text: str, *calls: Call) -> None:
        """The assistant calls tools, several at once where there are several, and they answer."""
        made = []
        results = []
        for name, arguments in calls:
            self.calls += 1
            function = {"name": name, "arguments": json.dumps(arguments)}
            made.append({"id": f"call_{self.calls}", "type": "function", "function": function})
            results.append(
                RecordedMessage(
                    "tool", TOOLS[name](self, **arguments), tool_call_id=f"call_{self.calls}"
                )
            )
        self.messages += [RecordedMessage("assistant", text, tuple(made)), *results]

    def text_of(self, path: str) -> str:
        """A file of the checkout."""
        return (self.root / path).read_text(encoding="utf-8")


def tool_conversation(root: Path = ROOT, messages: int = MESSAGES) -> list[RecordedMessage]:
    """The conversation.

    Args:
        root: The checkout whose files it is made of.
        messages: How many it has at most; a tool's results are never parted from their call.
    """
    talk = Talk(root)
    episodes = _episodes(_files(root))
    while len(talk.messages) < messages:
        before = len(talk.messages)
        next(episodes)(talk)
        if len(talk.messages) > messages and before:
            del talk.messages[before:]
            break
    return talk.messages


def _files(root: Path) -> list[str]:
    paths = sorted((root / "memory").rglob("*.py"))
    long = [path for path in paths if path.stat().st_size > 2_000]
    return [path.relative_to(root).as_posix() for path in long]


def _episodes(files: list[str]) -> Iterator[Callable[[Talk], None]]:
    kinds = cycle((_look, _fails_then_works, _mend, _paste, _show_code, _look_again))
    for number, (path, kind) in enumerate(zip(cycle(files), kinds)):
        following = files[(number + 1) % len(files)]
        yield lambda talk, n=number, p=path, f=following, k=kind: k(talk, n, p, f)  # type: ignore[misc]


def _look(talk: Talk, number: int, path: str, other: str) -> None:
    constraint = CONSTRAINTS[number % len(CONSTRAINTS)]
    talk.user(f"What does {path} do, and who uses it? {constraint}")
    folder = path.rpartition("/")[0]
    talk.tools(
        "I'll look at the folder and the file.", ("list_files", {"path": folder}),
        ("read_file", {"path": path}),
    )  # fmt: skip
    names = SIGNATURE.findall(talk.text_of(path))
    talk.tools("", ("search", {"pattern": names[0] if names else "import"}))
    lines = talk.text_of(path).count("\n")
    said = ", ".join(f"`{name}`" for name in names[:4])
    talk.model(f"{path} has {lines} lines and defines {said}. See also {other}.")
    talk.user(THANKS[number % len(THANKS)])
    talk.model("You're welcome!")


def _fails_then_works(talk: Talk, number: int, path: str, other: str) -> None:
    wrong = path.replace("memory/", "memory/core/", 1)
    talk.user(f"Compare {wrong} with {other}. Ticket STR-{200 + number}.")
    talk.tools("", ("read_file", {"path": wrong}))
    talk.tools("", ("read_file", {"path": path}))
    talk.tools("Now the other one.", ("read_file", {"path": other}), ("count", {"path": other}))
    talk.model(f"There is no {wrong}; I compared {path} with {other} instead.")
    talk.user(f"Right, remember that STR-{200 + number} belongs to {path}, owner Ines Okafor.")
    talk.model(f"Noted: STR-{200 + number} is about {path}, owner Ines Okafor.")


def _mend(talk: Talk, number: int, path: str, other: str) -> None:
    test = f"tests/memory/test_{Path(path).stem}.py"
    talk.user(f"{test} fails since commit {number * 7919:07x}. Find out why and mend it.")
    talk.tools("", ("run", {"command": f"pytest {test}", "attempt": 1}))
    talk.tools("", ("read_file", {"path": path}))
    talk.tools("I'll change one line.", ("edit_file", {"path": path, "number": number}))
    talk.tools("", ("run", {"command": f"pytest {test}", "attempt": 2}))
    talk.model(f"Done: {test} passes now, {10 + number} tests in {1.5 + number / 10:.1f} s.")


def _paste(talk: Talk, number: int, path: str, other: str) -> None:
    text = talk.text_of("ARCHITECTURE.md")
    start = number * 400 % max(1, len(text) - 3_000)
    talk.user(
        f"Here is what the design says:\n\n{text[start : start + 3_000]}\n\n"
        f"Does {path} keep to it? My budget is at most {20 + number} minutes."
    )
    talk.tools("", ("read_file", {"path": path}))
    talk.model(f"Mostly. {path} keeps to it; {other} is the one to look at next.")


def _show_code(talk: Talk, number: int, path: str, other: str) -> None:
    talk.user(f"Show me the first half of {path} with comments, see https://docs.python.org/3/.")
    code = "\n".join(talk.text_of(path).splitlines()[:60])
    talk.model(f"Here it is, from {path}:\n\n```python\n{code}\n```\n\nThe rest is alike.")
    talk.user("ok")
    talk.model("Anything else?")


def _look_again(talk: Talk, number: int, path: str, other: str) -> None:
    talk.user(f"Read {path} again, I changed it at {8 + number % 12}:{number % 60:02}.")
    talk.tools("", ("read_file", {"path": path}), ("search", {"pattern": Path(path).stem}))
    talk.tools("", ("read_file", {"path": path}))
    talk.model(f"{path} is as it was before, {len(talk.text_of(path)):,} characters.")


def _list_files(talk: Talk, path: str) -> str:
    found = sorted((talk.root / path).glob("*.py"))
    return "\n".join(f"{file.stat().st_size:>7} {file.name}" for file in found)


def _read_file(talk: Talk, path: str) -> str:
    try:
        return talk.text_of(path)
    except OSError:
        return f"Error: {path}: No such file or directory"


def _search(talk: Talk, pattern: str) -> str:
    hits = []
    for path in _files(talk.root):
        for number, line in enumerate(talk.text_of(path).splitlines(), start=1):
            if pattern in line:
                hits.append(f"{path}:{number}: {line.strip()}")
    return "\n".join(hits[:80]) or "no matches"


def _count(talk: Talk, path: str) -> str:
    text = talk.text_of(path)
    return json.dumps({"path": path, "lines": text.count("\n"), "characters": len(text)})


def _run(talk: Talk, command: str, attempt: int) -> str:
    if attempt == 1:
        return f"$ {command}\nE   AssertionError: 3 != 4\n1 failed, 12 passed\nexit code 1"
    return f"$ {command}\n13 passed in 1.42s\nexit code 0"


def _edit_file(talk: Talk, path: str, number: int) -> str:
    before = talk.text_of(path).splitlines(keepends=True)
    after = list(before)
    after[number % len(after)] = f"# changed by edit {number}\n"
    return "".join(difflib.unified_diff(before, after, f"a/{path}", f"b/{path}"))


TOOLS: dict[str, Callable[..., str]] = {
    "list_files": _list_files,
    "read_file": _read_file,
    "search": _search,
    "count": _count,
    "run": _run,
    "edit_file": _edit_file,
}


def as_line(message: RecordedMessage) -> str:
    """A message as a line of JSONL, as `strata replay` reads it."""
    entry: dict[str, object] = {"role": message.role, "content": message.content}
    if message.tool_calls:
        entry["tool_calls"] = list(message.tool_calls)
    if message.tool_call_id:
        entry["tool_call_id"] = message.tool_call_id
    return json.dumps(entry, ensure_ascii=False)


def main() -> int:
    """Writes the conversation as JSONL."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--messages", type=int, default=MESSAGES)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    lines = "\n".join(map(as_line, tool_conversation(ROOT, options.messages))) + "\n"
    if options.out:
        options.out.write_text(lines, encoding="utf-8")
    else:
        print(lines, end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
