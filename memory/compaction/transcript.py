"""Messages as text for a summariser, in chunks that fit its window."""

from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence

from memory.parts import MessageRef

BYTES_PER_TOKEN_AT_WORST = 2
"""Bytes a token may stand for in dense text: English has four, other scripts two to three."""
SMALLEST_PART = 8
"""Bytes: room for two characters of any script."""

CONTINUATION_MASK, CONTINUATION = 0b1100_0000, 0b1000_0000
"""What the bytes inside a UTF-8 character have in common."""

CountText = Callable[[str], Awaitable[int]]


def transcript_lines(
    messages: Iterable[MessageRef], texts: Mapping[str, str], longest: int
) -> list[str]:
    """One line a message, `role: text`; a text over `longest` characters keeps head and tail."""
    return [f"{ref.role}: {_clip(_content(ref, texts), longest)}" for ref in messages]


async def chunks_that_fit(lines: Sequence[str], tokens: int, count: CountText) -> list[str]:
    """The lines joined into chunks of at most so many tokens.

    Cut by bytes, and then counted: what is denser than the worst we assume is halved.
    """
    fitting: list[str] = []
    waiting = chunked(lines, tokens * BYTES_PER_TOKEN_AT_WORST)[::-1]
    while waiting:
        chunk = waiting.pop()
        size = len(chunk.encode())
        if size <= SMALLEST_PART or await count(chunk) <= tokens:
            fitting.append(chunk)
        else:
            waiting += chunked([chunk], -(-size // 2))[::-1]
    return fitting


def chunked(lines: Sequence[str], most: int) -> list[str]:
    """The lines joined into chunks of at most so many UTF-8 bytes; a longer line is cut."""
    chunks: list[str] = []
    current, size = "", 0
    for line in lines:
        for part in _parts(line, max(SMALLEST_PART, most)):
            more = len(part.encode())
            if current and size + 1 + more > most:
                chunks.append(current)
                current, size = part, more
            else:
                current = f"{current}\n{part}" if current else part
                size = size + 1 + more if size else more
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


def _parts(line: str, most: int) -> Iterator[str]:
    """The line in parts of at most so many bytes, never inside a character."""
    data = line.encode()
    start = 0
    while start < len(data):
        end = min(len(data), start + most)
        while end < len(data) and data[end] & CONTINUATION_MASK == CONTINUATION:
            end -= 1
        yield data[start:end].decode()
        start = end
