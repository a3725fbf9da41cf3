"""Sentences that bind: conditions that the user set, and tasks that are open."""

import re
from collections.abc import Iterator

from memory.loss.found import Found
from memory.loss.wording import NO_ABBREVIATION
from memory.parts import Role

LONGEST = 200
"""Characters of a sentence that are kept."""
REACH = 600
"""Characters on either side in which the sentence's ends are looked for."""
SHORTEST = 8
NEAR = 24
"""Characters around a sign in which its whole pattern stands."""

_BEGINNING = r"(?:^|[.!?:;,\n*>-]\s{0,3}|\b(?:please|you|must|should|shall|may) )"
"""What stands before a word that orders something: a beginning, or another such word."""
_CONSTRAINT = re.compile(
    rf"{_BEGINNING}(?:never(?! (?:been|mind|give up|forget|know|knew|seen|heard|had|got)\b)"
    r"|always(?! (?:here|there|be there|fun|great|good|nice|glad|happy)\b)"
    r"|(?:do not|don't|don’t)(?! (?:worry|hesitate|mind|give up|forget|let|know|think|you)\b)"
    r"|only|avoid|ensure|make sure)(?!\w)"
    # What must be so is a condition; what must have been so, or must feel so, is a guess.
    r"|(?<!\w)(?:(?<!\ba )must(?! (?:have|be|really|feel|mean|love|enjoy|seem|look|know)\b|'ve|’ve"
    r"|[.!?,])|must be (?:in|on|at|under|below|above|within|able|done|kept|set|used|no|less|more"
    r"|\d+)|must(?:n't|n’t| not)|at most|at least|no more than|no less than|not more than"
    r"|no later than|under no circumstances|required to|forbidden|not allowed"
    r"|should(?:n't|n’t| not| always| never| only)|shall(?: not)?|may not|use only"
    r"|only (?:use|if|when|after|with|in|on|from)|insist|deadline|(?:budget|limit) (?:is|of))"
    r"(?!\w)",
    re.MULTILINE,
)
_TASK = re.compile(
    r"(?<!\w)(?:todo|to-do|fixme|(?:i will|i'll|i’ll)(?! (?:be|never|always|not|definitely|try"
    r"|do (?:that|it|my best)|keep (?:ya|you|that in mind)|let you|enjoy|miss|remember|reach out"
    r"|check (?:it|them|that) out)\b|[.!?,])|(?:i|we) need to"
    r"|(?:i|we) have to|(?:i|we) must(?! (?:have|be|say|admit)\b)|remind me to|don't forget"
    r"|don’t forget|next step|next:|still open|still to do)(?!\w)|- \[ \]"
)
_CONSTRAINT_SIGNS = (
    "never", "always", "do not", "don't", "don’t", "only", "avoid", "ensure", "make sure", "must",
    "at most", "at least", "more than", "less than", "later than", "circumstances", "required to",
    "forbidden", "not allowed", "should", "shall", "may not", "insist", "deadline",
    "budget", "limit",
)  # fmt: skip
_TASK_SIGNS = (
    "todo", "to-do", "fixme", "i will", "i'll", "i’ll", "need to", "have to", "must", "remind me",
    "forget", "next step", "next:", "still open", "still to do", "- [ ]",
)  # fmt: skip
"""What the patterns can't match without: most texts hold none of it, and looking is quick."""
_END = re.compile(rf"[.!?。！？]{NO_ABBREVIATION}(?=[\s\"'”’)]|$)|\n")
_SPEAKER = re.compile(r"(?:[A-Z][\w.'’-]* ){0,2}[A-Z][\w.'’-]*: ")
"""Who speaks, as transcripts say it at the beginning of a line."""
_START = re.compile(rf"[.!?。！？]{NO_ABBREVIATION}[\"'”’)]*\s+|\n\s*(?:[-*•>]\s+|[0-9]+[.)]\s+)?")


def constraints(text: str, folded: str, role: Role | None) -> Iterator[Found]:
    """Sentences of the user in which something must, must never or may only be.

    Args:
        text: The text.
        folded: The text in lower case, of the same length.
        role: Who said it; what a model or tool says binds nobody.
    """
    if role in ("assistant", "tool"):
        return
    for start, end in _around(_CONSTRAINT, _CONSTRAINT_SIGNS, text, folded):
        yield Found("constraint", text[start:end], start, end)


def tasks(text: str, folded: str, role: Role | None) -> Iterator[Found]:
    """Sentences that say what is still to do."""
    if role == "tool":
        return
    for start, end in _around(_TASK, _TASK_SIGNS, text, folded):
        yield Found("task", text[start:end], start, end)


def sentence_at(text: str, start: int, end: int) -> tuple[int, int]:
    """The bounds of the sentence, bullet or line in which a span stands."""
    low = max(0, start - REACH)
    begin = low
    for match in _START.finditer(text, low, start):
        begin = match.end()
    stop = _END.search(text, max(start, end - 1), min(len(text), end + REACH))
    finish = min(len(text), end + REACH)
    if stop is not None:
        finish = stop.start() if text[stop.start()] == "\n" else stop.end()
    begin = min(begin, start)
    while begin < start and text[begin].isspace():
        begin += 1
    finish = max(finish, end)
    while finish > end and text[finish - 1].isspace():
        finish -= 1
    return begin, finish


def _around(
    pattern: re.Pattern[str], signs: tuple[str, ...], text: str, folded: str
) -> Iterator[tuple[int, int]]:
    """The sentences in which the pattern stands near one of its signs, each once, clipped."""
    last = 0
    for here in sorted(place for sign in signs for place in _places(folded, sign)):
        match = pattern.search(folded, max(0, last - 1, here - NEAR), here + 2 * NEAR)
        # What stands further on has a sign of its own.
        if match is None or not match.start() <= here < match.end():
            continue
        start, end = sentence_at(text, match.end() - 1, match.end())
        last = end
        speaker = _SPEAKER.match(text, start, end)
        if speaker is not None and speaker.end() <= here:
            start = speaker.end()
        cut = _cut(text, start, end)
        if text[end - 1] != "?" and cut - start >= SHORTEST:
            yield start, cut


def _cut(text: str, start: int, end: int) -> int:
    """Where a sentence ends that is too long: after a word, since half a number is another one."""
    if end - start <= LONGEST:
        return end
    spaces = [place for place in range(start, start + LONGEST + 1) if text[place].isspace()]
    return spaces[-1] if spaces else start


def _places(text: str, sign: str) -> Iterator[int]:
    here = text.find(sign)
    while here >= 0:
        yield here
        here = text.find(sign, here + len(sign))
