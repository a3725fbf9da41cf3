"""A fact as a claim: about whom, what, whether it is denied, wished or past. Pure; by rule."""

import re
from dataclasses import dataclass
from functools import lru_cache

from memory.facts.content import names_in, numbers_in, plain, words_of
from memory.facts.vocabulary import CEASED, CHANGED, HOME, LIGHT, NEGATIVE, STOP
from memory.words import index_words

_VERBS = """
is was are were am has have had will would must may can should does do did not never no lives?
lived moved works? worked likes? loves? enjoys? hates? dislikes prefers? wants? wanted plans?
hopes? needs? uses? used drinks? eats? plays? played drives? owns? keeps? takes? took pays? paid
costs? bought sold stopped quit left started starts? begins? went goes visited visits? met meets?
runs? ran reads? wrote writes? studie[sd] study speaks? knows? knew learns? learned painted
paints? adopted listens? smokes? smoked collects? divorced married switched changed died turned
joined decided agreed became ends? ended lasts? earns? weighs? measures? contains? supports?
requires? belongs? teaches taught sings? cooks? grew lost dropped leaves? volunteers? closes?
opens? holds? held returns? returned travels? travell?ed attended attends? stays? stayed said
"""
_VERB = re.compile(
    r"(?<!'s )(?<!\bthe )(?<!\ba )(?<!\ban )\b(?:" + "|".join(_VERBS.split()) + r")\b",
    re.IGNORECASE,
)
"""The first verb, by which the one spoken of ends; not a noun such as "the plays"."""
_PAST = re.compile(
    r"(?:\w+ed|was|were|had|did|went|bought|sold|met|ran|wrote|took|paid|got|grew|lost|began|saw|came"
    r"|gave|made|said|taught|sang|flew|drove|ate|drank|won|left|quit|became|found|kept|built|spent"
    r"|slept|knew|read)\b",
    re.IGNORECASE,
)
_NORM = re.compile(r"\b(?:should|must)\b", re.IGNORECASE)
_ONCE = re.compile(r"\bused to\b|\bformerly\b|\bin the past\b|\bas a child\b|\bold\b(?! enough)")
_WISH = re.compile(
    r"\b(?:plans?|planning|hopes?|would like|wants?|needs?|intends?|considering"
    r"|thinking (?:of|about)|might|wishes|dreams? of|prefers?|better)\b",
    re.IGNORECASE,
)
_HOME = re.compile(
    r"^(?P<who>.*?)(?:'s)? ?(?:(?:home|flat|house|apartment) is|lives?|is living|resides?"
    r"|(?:has |have )?(?:re)?(?:moved|located)|is based)\b(?P<not> not)?(?: now| back)?"
    r"(?: out of [\w ]+?| from [\w ]+?)? (?:in|to|near) (?:the )?(?P<where>[^,.;]+)",
    re.IGNORECASE,
)
_WORK = re.compile(
    r"^(?P<who>.*?) (?:works?|is working|is employed|(?:has )?(?:started|begun)(?: working)?"
    r"|(?:has|got)(?: a)?(?: new)? job|(?:has )?joined)(?: now)?(?: [\w ]+?)??"
    r" (?:at|for) (?:the )?(?P<where>[^,.;]+)",
    re.IGNORECASE,
)
_AGE = re.compile(
    r"^(?P<who>.*?)(?: is (?P<age>\d+)(?: years? old\b|[.]?$)| turned (?P<turned>\d+)\b)",
    re.IGNORECASE,
)
_TAIL = re.compile(r"\b(?:for|as|in|with|on|to)\b (?P<tail>.+)$")
_INSTEAD = re.compile(
    r"\b(?:from (?P<from>[\w .]+?) to\b|(?:instead of|rather than|out of) (?P<of>[\w ]+))",
    re.IGNORECASE,
)
_DATE_OF_TURNING = re.compile(r" (?:on|in) [\d-]+$")


@dataclass(frozen=True, slots=True)
class Claim:
    """What a fact claims."""

    text: str
    subject: frozenset[str]
    verb: str
    """The stem of its verb; empty where none is known."""
    words: frozenset[str]
    """All its words that say something, the subject's included."""
    core: frozenset[str]
    """Those that carry something where others are the same."""
    numbers: frozenset[str]
    names: frozenset[str]
    """Stems of its names."""
    denied: bool
    ceased: bool
    """Whether it tells that something is over."""
    changed: bool
    """Whether it tells that something is otherwise than before."""
    once: bool
    """Whether it tells how things were."""
    stative: bool
    wish: bool
    norm: bool
    """Whether it tells how something should be."""
    replaced: frozenset[str]
    """Words of what it says is no longer so, such as of "instead of tea"."""
    tail: frozenset[str]
    """Words after the verb's object: for what, as what, in what."""
    home: str
    job: str
    age: str


@lru_cache(maxsize=2_048)
def claim_of(text: str) -> Claim:
    """The claim of a fact."""
    said = plain(text).rstrip(".! ")
    verb = _VERB.search(said, 1)
    place = verb.start() if verb is not None else 0
    rest = said[place:]
    words = frozenset(words_of(said)) - STOP
    heads = frozenset(words_of(rest))
    home, age, job = _HOME.match(said), _AGE.match(said), _WORK.match(said)
    wish = _WISH.search(rest) is not None
    tail = _TAIL.search(rest)
    replaced = _INSTEAD.search(rest)
    return Claim(
        text=said,
        subject=_subject(said[:place], at_home=home is not None),
        verb=_main(rest),
        words=words,
        core=words - LIGHT - NEGATIVE - CEASED - CHANGED,
        numbers=_numbers(said, age),
        names=frozenset(w for name in names_in(said) for w in index_words(name)) - {"user"},
        denied=bool(frozenset(index_words(said)) & NEGATIVE) or _dislikes(heads),
        ceased=bool(heads & CEASED),
        changed=bool(heads & CHANGED),
        once=_ONCE.search(said) is not None and age is None,
        stative=_is_stative(rest),
        wish=wish,
        norm=_NORM.search(rest) is not None,
        replaced=_words(replaced[1] or replaced[2]) if replaced else frozenset(),
        tail=_words(tail["tail"]) if tail else frozenset(),
        home="" if home is None or wish or home["not"] else _value(home["where"]),
        job="" if job is None or wish else _value(job["where"]),
        age=(age["age"] or age["turned"]) if age is not None else "",
    )


def _words(text: str) -> frozenset[str]:
    return frozenset(words_of(text)) - STOP


def _subject(said: str, *, at_home: bool) -> frozenset[str]:
    """Words of whom or what a claim is about; without any it is the user."""
    subject = (frozenset(words_of(said)) - STOP) | numbers_in(said)
    if "user" in said.lower() or not subject:
        subject |= {"user"}
    return subject - HOME if at_home else subject


def _main(rest: str) -> str:
    """The stem of the verb that says something, helpers left out."""
    stemmed = words_of(rest)
    if _dislikes(frozenset(stemmed)):
        return "like"
    return next((w for w in stemmed if w not in STOP and w not in NEGATIVE), "")


def _dislikes(heads: frozenset[str]) -> bool:
    return "dislik" in heads


def _is_stative(rest: str) -> bool:
    """Whether it tells how things are, not what happened once."""
    return _PAST.match(rest) is None


def _numbers(said: str, age: re.Match[str] | None) -> frozenset[str]:
    if age is not None:
        return frozenset({age["age"] or age["turned"]})
    return numbers_in(said)


def _value(text: str) -> str:
    return " ".join(w for w in words_of(_DATE_OF_TURNING.sub("", text)) if w not in STOP)
