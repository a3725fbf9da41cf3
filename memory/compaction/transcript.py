"""Messages as text for a summariser, in chunks that fit its window."""

from collections.abc import Iterable, Mapping, Sequence

from memory.events import MessageRef

CHARS_PER_TOKEN_AT_WORST = 2
"""Characters a token may stand for in dense text: chunks are cut so that they fit in any case."""


def transcript_lines(
    messages: Iterable[MessageRef], texts: Mapping[str, str], longest: int
) -> list[str]:
    """One line a message, `role: text`; a text over `longest` characters keeps head and tail."""
    return [f"{ref.role}: {_clip(_content(ref, texts), longest)}" for ref in messages]


def chunked(lines: Sequence[str], characters: int) -> list[str]:
    """The lines joined into chunks of at most so many characters; a longer line is cut."""
    chunks: list[str] = []
    current = ""
    for line in lines:
        for part in _parts(line, characters):
            if current and len(current) + 1 + len(part) > characters:
                chunks.append(current)
                current = part
            else:
                current = f"{current}\n{part}" if current else part
    return [*chunks, current] if current else chunks


def _content(ref: MessageRef, texts: Mapping[str, str]) -> str:
    calls = f" [calls {texts[ref.calls]}]" if ref.calls else ""
    return texts[ref.body].strip() + calls


def _clip(text: str, longest: int) -> str:
    if len(text) <= longest:
        return text
    head = longest * 4 // 5
    left_out = len(text) - longest
    return f"{text[:head]} … ({left_out:,} characters left out) … {text[-(longest - head) :]}"


def _parts(line: str, characters: int) -> list[str]:
    return [line[i : i + characters] for i in range(0, max(1, len(line)), characters)]
