"""Whether bytes are a text, and in which encoding; what they seem to be where they are none."""

import codecs
import re

SAMPLE = 65_536
"""Bytes at the beginning of a file by which its encoding is told."""
MOST_ODD = 0.02
"""Share of control characters that a text in an old encoding may have."""
MOST_FOREIGN = 0.3
"""Share of characters beyond ASCII in Latin-1: European languages have less than 0.15."""

_ODD = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f]")
_FOREIGN = re.compile(rb"[\x80-\xff]")
_UNUSED = re.compile(rb"[\x80-\x9f]")
_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_KINDS = (
    (b"\x89PNG", "a PNG picture"),
    (b"\xff\xd8\xff", "a JPEG picture"),
    (b"GIF8", "a GIF picture"),
    (b"BM", "a BMP picture"),
    (b"%PDF", "a PDF document"),
    (b"PK\x03\x04", "a ZIP archive or an office document"),
    (b"\x1f\x8b", "gzip data"),
    (b"BZh", "bzip2 data"),
    (b"\xfd7zXZ", "xz data"),
    (b"\x28\xb5\x2f\xfd", "Zstandard data"),
    (b"7z\xbc\xaf", "a 7-Zip archive"),
    (b"\x7fELF", "a program or library for Linux"),
    (b"MZ", "a program or library for Windows"),
    (b"\xcf\xfa\xed\xfe", "a program or library for macOS"),
    (b"\xca\xfe\xba\xbe", "a Java class or a program for macOS"),
    (b"SQLite format 3\x00", "an SQLite database"),
    (b"\x00asm", "WebAssembly"),
    (b"OggS", "Ogg sound or video"),
    (b"ID3", "MP3 sound"),
    (b"fLaC", "FLAC sound"),
    (b"GGUF", "a language model"),
    (b"wOF", "a font"),
    (b"\x80\x04", "a Python pickle"),
)


def encoding_of(sample: bytes) -> str | None:
    """The encoding of the text that begins with these bytes; None if they are no text.

    Args:
        sample: The first `SAMPLE` bytes, or all there are.
    """
    for mark, encoding in _MARKS:
        if sample.startswith(mark):
            return encoding if _decodes(sample, encoding) else None
    if b"\x00" in sample:
        return None
    if _decodes(sample, "utf-8"):
        return None if _share(_ODD, sample) > MOST_ODD else "utf-8"
    if _nearly_utf8(sample):
        return "utf-8"
    if _share(_ODD, sample) > MOST_ODD or _share(_FOREIGN, sample) > MOST_FOREIGN:
        return None
    # Windows' variant has quotes and dashes where Latin-1 has nothing that texts use.
    return "cp1252" if _UNUSED.search(sample) else "latin-1"


def kind_of(sample: bytes) -> str:
    """What a file that is no text seems to be, by its first bytes."""
    if sample[:4] == b"RIFF":
        return "a WebP picture, or WAV or AVI"
    if sample[4:8] == b"ftyp":
        return "an MP4 video, or a picture or sound in its format"
    if sample[257:262] == b"ustar":
        return "a tar archive"
    for magic, kind in _KINDS:
        if sample.startswith(magic):
            return kind
    return "binary data"


def _decodes(sample: bytes, encoding: str) -> bool:
    """Whether the bytes are right in an encoding, but for a character cut at the end."""
    try:
        codecs.getincrementaldecoder(encoding)().decode(sample)
    except UnicodeDecodeError:
        return False
    return True


def _nearly_utf8(sample: bytes) -> bool:
    """Whether a few bytes only are wrong, among many characters that no other encoding makes."""
    text = sample.decode("utf-8", "replace")
    wrong = text.count("\ufffd")
    beyond = sum(character > "\x7f" for character in text) - wrong
    return beyond > 10 * wrong


def _share(pattern: re.Pattern[bytes], sample: bytes) -> float:
    return len(pattern.findall(sample)) / max(len(sample), 1)
