"""The text of a page: by its content type and its character set."""

import codecs
import json
import re
from dataclasses import dataclass

from app.tools.page_errors import PageFailed

_BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_IN_HEADER = re.compile(r"charset\s*=\s*[\"']?([^\s\"';]+)", re.IGNORECASE)
_IN_PAGE = re.compile(
    rb"<meta[^>]{0,200}?charset\s*=\s*[\"']?([\w.:-]{1,40})"
    rb"|<\?xml[^>]{0,200}?encoding\s*=\s*[\"']([\w.:-]{1,40})",
    re.IGNORECASE,
)
_HEAD_BYTES = 2_048  # where pages declare what they are written in
# What browsers take these for, since they are often mislabelled.
_READ_AS = {"iso-8859-1": "windows-1252", "latin-1": "windows-1252", "us-ascii": "utf-8"}

_HTML = ("text/html", "application/xhtml+xml")
_TEXT_ENDINGS = ("json", "xml", "markdown", "yaml", "javascript", "toml")


@dataclass(frozen=True, slots=True)
class PageText:
    """The text of a page as it was sent."""

    text: str
    html: bool


def text_of(body: bytes, content_type: str, length: str) -> PageText:
    """The text of a body.

    Args:
        body: As it came, unpacked.
        content_type: The server's header; may be empty.
        length: What the server said of its size, for the error.

    Raises:
        PageFailed: It is no text.
    """
    kind = content_type.partition(";")[0].strip().lower() or _guessed(body)
    if not _is_text(kind) or _is_binary(body, content_type):
        size = length if length.isdecimal() else str(len(body))
        told = kind[:60] if kind.isprintable() and kind else "an unknown type"
        raise PageFailed(
            "UnsupportedContent",
            f"It is no page of text: {told}, {int(size[:15]):,} bytes.",
        )
    return PageText(_decoded(body, content_type), kind in _HTML)


def readable_json(text: str) -> str:
    """JSON that came on one line, on many; everything else as it is."""
    if "\n" in text.strip() or text.lstrip()[:1] not in ("{", "["):
        return text
    try:
        return json.dumps(json.loads(text), ensure_ascii=False, indent=1)
    except (ValueError, RecursionError):
        return text


def _is_text(kind: str) -> bool:
    if kind.startswith("text/") or kind in _HTML:
        return True
    name = kind.removeprefix("application/")
    return name != kind and any(part in _TEXT_ENDINGS for part in re.split(r"[+.-]", name))


def _is_binary(body: bytes, content_type: str) -> bool:
    """Whether it holds zeros, as no text does but in the wide character sets."""
    wide = _bom(body) or "utf-16" in content_type.lower() or "utf-32" in content_type.lower()
    return not wide and b"\0" in body[:_HEAD_BYTES]


def _guessed(body: bytes) -> str:
    """The type of a body whose server does not say."""
    return "text/html" if body[:_HEAD_BYTES].lstrip()[:1] == b"<" else "text/plain"


def _decoded(body: bytes, content_type: str) -> str:
    for name in (_bom(body), *_declared(body, content_type)):
        if text := _try(body, name):
            return text
    try:
        return body.decode("utf-8")
    except UnicodeDecodeError as error:
        # Where a long page was cut, its last character may be half.
        cut_only = error.start > len(body) - 4
        return body.decode("utf-8" if cut_only else "windows-1252", "replace")


def _bom(body: bytes) -> str:
    return next((name for mark, name in _BOMS if body.startswith(mark)), "")


def _declared(body: bytes, content_type: str) -> list[str]:
    """The character sets that header and page declare."""
    named = [match.group(1) for match in [_IN_HEADER.search(content_type)] if match]
    if match := _IN_PAGE.search(body[:_HEAD_BYTES]):
        named.append((match.group(1) or match.group(2)).decode("ascii", "replace"))
    return [_READ_AS.get(name.lower(), name.lower()) for name in named]


def _try(body: bytes, name: str) -> str:
    """The body in a character set; empty where there is none of this name."""
    if not name or name in ("idna", "punycode", "undefined"):
        return ""
    try:
        return body.decode(name, "replace")
    except (LookupError, UnicodeError, ValueError):
        return ""
