"""Names: runs of capitalised words that are not merely the beginning of a sentence."""

import re
from collections.abc import Iterator

from memory.loss.found import Found
from memory.loss.wording import (
    MONTHS,
    NO_ABBREVIATION,
    STARTERS,
    STOP_NAMES,
    TITLES,
    UPPER,
    WEEKDAYS,
)

_WORD = rf"[{UPPER}][\w]*(?:['’-][\w]+)*"
_LINK = "of|de|da|van|von|der|den|la|le|du|del|al"
CAPITALISED = re.compile(
    rf"[{UPPER}](?<!\w.)\w*(?:['’-]\w+)*"
    rf"(?: (?:(?:{_LINK}) )?{_WORD})*"
)
_PART = re.compile(r"\S+")
LONGEST_RUN = 5
"""Words; a longer run is a heading or shouting."""
SHORTEST = 2
SHOUTED = 2
"""Words all in capitals that may still be a name."""
_POSSESSIVE = re.compile(r"['’](?:s|S|ll|re|ve|d|m|t)?$")
_NO_NAMES = STOP_NAMES | set(MONTHS) | {day.casefold() for day in WEEKDAYS}
_COMMON = {"I", "I'm", "I’m", "I've", "I’ve", "I'll", "I’ll", "I'd", "I’d"} | {
    form for word in _NO_NAMES for form in (word.capitalize(), word.upper())
}
"""The same as they are mostly written: looked up before anything is taken apart."""
_SENTENCE_SIGNS = '.!?:\n•*>#|"“(-–—'
"""What may stand before the first word of a sentence, a bullet or a quotation."""
_STOP = re.compile(rf"\.{NO_ABBREVIATION}")
_SUBJECT = re.compile(
    r"['’]s\b| (?:(?:is|was|has|had|will|wants|said|says)\b"
    rf"|and (?=[{UPPER}]|(?:his|her|their|my|our|your)\b)"
    r"|(?!(?:as|this|its|his|perhaps|always|sometimes|besides|towards|yes)\b)"
    r"[a-z]+(?:(?<![su])s|ed)\b(?!-))"
)
"""What makes the word before it the one who does something, or whose something is."""
_LOWER = re.compile(r"\w+")
_NO_PERSON = re.compile(r"\w{3,}(?:ing|tion|ment|ness|ware)s?")


def names(text: str) -> Iterator[Found]:
    """Names of people, places and products.

    A single word that begins a sentence is one where the text has it elsewhere as well, or where
    it does something and is no common word.
    """
    runs = [run for match in CAPITALISED.finditer(text) if (run := _run(text, match))]
    inside = {_first(run.text) for run, opens in runs if not opens}
    common: frozenset[str] | None = None
    for name, opens in runs:
        if not opens or " " in name.text or _first(name.text) in inside:
            yield name
        elif _is_subject(text, name):
            common = common or frozenset(_LOWER.findall(text))
            if name.text.lower() not in common:
                yield name


def _is_subject(text: str, name: Found) -> bool:
    """Whether what follows makes a word that begins a sentence the name of one who acts."""
    if not _SUBJECT.match(text, name.end):
        return False
    word = name.text.casefold()
    known = word in STARTERS or word.removesuffix("s") in STARTERS
    return not (known or name.text.isupper() or _NO_PERSON.fullmatch(word))


def _run(text: str, match: re.Match[str]) -> tuple[Found, bool] | None:
    """The run without words that are no names, and whether it opens a sentence."""
    start, end = match.span()
    if match.group() in _COMMON:
        return None
    parts = list(_PART.finditer(match.group()))
    opens = _opens(text, start)
    first = 0
    while first < len(parts) and _begins_no_name(parts[first].group(), len(parts) - first):
        first, opens = first + 1, False
    parts = parts[first:]
    while parts and _is_no_name_at_end(parts[-1].group()):
        parts.pop()
    if not parts or len(parts) > LONGEST_RUN:
        return None
    offset = start
    start, end = offset + parts[0].start(), offset + parts[-1].end()
    found = _bare(text[start:end])
    if len(found) < SHORTEST or found in TITLES or (len(parts) > SHOUTED and found.isupper()):
        return None
    return Found("name", found, start, start + len(found)), opens


def _begins_no_name(first: str, words: int) -> bool:
    """Whether a run of so many words begins with one that is no name's."""
    word = _bare(first).casefold()
    return word in _NO_NAMES and not (word == "new" and words > 1)


def _is_no_name_at_end(word: str) -> bool:
    return word[0].islower() or _bare(word).casefold() in _NO_NAMES


def _bare(word: str) -> str:
    return _POSSESSIVE.sub("", word)


def _first(name: str) -> str:
    return name.split(" ", 1)[0]


def _opens(text: str, start: int) -> bool:
    """Whether a sentence, a line or a quotation begins here."""
    before = text[max(0, start - 3) : start].rstrip(" \t")
    if before.endswith("."):
        stop = start - 1 - (text[start - 1] != ".")
        return text[stop] != "." or _STOP.match(text, stop) is not None
    return not before or before[-1] in _SENTENCE_SIGNS
