"""Turns without content: acknowledgements, and announcements of a tool call. Pure.

Only what is known to say nothing counts: a word that is not in the list, of whatever script, is
taken for content, and so are digits and names.
"""

import re
import unicodedata

from memory.parts import Role

LONGEST_ACKNOWLEDGEMENT = 200
LONGEST_ANNOUNCEMENT = 80
"""Characters above which a text says more."""
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_SENTENCE_END = re.compile(r"[.!\n…]\s*$")

_BOTH = """
ok okay k kk alright right sure yes yeah yep yup indeed exactly absolutely certainly definitely
of course great good nice cool fine perfect excellent awesome wonderful brilliant amazing fantastic
lovely neat sweet super very much so really too thanks thank thx ty you cheers appreciated
appreciate it that this that's thats it's its is the a an lot lots all and i i'm i'll see got
understood noted agreed makes sense sounds works me oh ah aha hm hmm mhm wow haha well now for your
my hi hello hey bye goodbye
"""
_USER = "will do done help answer reply explanation again"
_ASSISTANT = """
welcome you're youre glad happy to hear could can be of help helped helpful assist assistance let
know if need anything else there more further have any questions feel free ask just pleasure problem
worries no don't hesitate reach out anytime here when ready whenever enjoy luck with
"""
SAID_BY_USER = frozenset(f"{_BOTH} {_USER}".split())
SAID_BY_ASSISTANT = frozenset(f"{_BOTH} {_ASSISTANT}".split())
"""Words that carry no content; offers of help are such only where the model makes them."""
_ANNOUNCED = re.compile(
    r"(?:(?:ok|okay|sure|right|alright)[,.!]? )?"
    r"(?:let me|let's|i'll|i will|i'm going to|i am going to|now i|first,? i|next,? i|checking"
    r"|reading|looking|running|searching|trying)\b",
    re.IGNORECASE,
)
_REASONED = re.compile(
    r"\d|\b(?:because|since|as|so|but|instead|not|found|means|shows)\b", re.IGNORECASE
)


def is_acknowledgement(text: str, role: Role) -> bool:
    """Whether a turn has no content word, no number and no name.

    It may still be the answer to a question: who asks looks at what stands before.
    """
    text = text.strip()
    if len(text) > LONGEST_ACKNOWLEDGEMENT or "?" in text:
        return False
    words = list(_WORD.finditer(text))
    if not words:
        return all(map(_is_decoration, text))
    known = SAID_BY_USER if role == "user" else SAID_BY_ASSISTANT
    return all(
        _plain(word[0]) in known and not _is_name(text, word) for word in words
    ) and _says_nothing_between(text)


def is_announcement(text: str) -> bool:
    """Whether a text before a tool call only says that it is made: "Let me read the file."."""
    text = text.strip().replace("’", "'")
    if not text:
        return True
    if len(text) > LONGEST_ANNOUNCEMENT or "\n" in text:
        return False
    return bool(_ANNOUNCED.match(text)) and not _REASONED.search(text)


def _plain(word: str) -> str:
    return word.replace("’", "'").lower()


def _is_name(text: str, word: re.Match[str]) -> bool:
    """Whether a word has a capital where no sentence begins, such as Will in `thanks Will`."""
    begins = word.start() == 0 or _SENTENCE_END.search(text[: word.start()])
    return word[0][0].isupper() and not begins and word[0] not in ("I", "I'm", "I'll", "OK")


def _says_nothing_between(text: str) -> bool:
    return all(_is_decoration(character) for character in _WORD.sub("", text))


def _is_decoration(character: str) -> bool:
    """Whether a character is a blank, an emoji, or a mark that ends or parts a sentence."""
    if character.isspace() or character in "!.,;:…-–—'’()\"":
        return True
    return unicodedata.category(character) in ("So", "Sk", "Mn", "Cf")
