"""A fact as a claim: about whom, what, whether it is denied, wished or past. Pure; by rule."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache

from memory.facts.attributes import Attribute, attributes_of
from memory.facts.content import names_in, numbers_in, reworded, words_of
from memory.facts.figures import months_in
from memory.facts.groups import ADVERBS, MONTH_WORDS
from memory.facts.vocabulary import CEASED, CHANGED, HOME, LIGHT, NEGATIVE, NO_NAMES, STOP
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
migrated upgraded downgraded relocated merged stops?
comes? happens? occurs? departs? ships? deploys? rotates? commutes? swims? cycles? walks? thinks?
believes? rents? stores? sends? expires? points? accepts? allows? follows? includes? provides?
sleeps? wakes? possesses lent borrowed gave sees? sells? builds? raised grows? charges? publishes
"""
_VERB = re.compile(
    r"(?<!'s )(?<!\bthe )(?<!\ba )(?<!\ban )\b(?:" + "|".join(_VERBS.split()) + r")\b",
    re.IGNORECASE,
)
"""The first verb, by which the one spoken of ends; not a noun such as "the plays"."""
_PAST = re.compile(
    r"(?!need\b|feed\b)(?:\w+ed|was|were|had|did|went|bought|sold|met|ran|wrote|took|paid|got"
    r"|grew|lost|began|saw|came"
    r"|gave|made|said|taught|sang|flew|drove|ate|drank|won|left|quit|became|found|kept|built|spent"
    r"|slept|knew|read)\b",
    re.IGNORECASE,
)
_NORM = re.compile(r"\b(?:should|must)\b", re.IGNORECASE)
_ONCE = re.compile(
    r"\bused to\b|\bformerly\b|\bpreviously\b|\bin the past\b|\bas a (?:child|kid|student)\b"
    r"|\bold\b(?! enough)|\buntil (?:19|20)\d\d\b(?!-)|\byears ago\b|\bwhen (?:the user|he"
    r"|she) was\b"
    r"|\bin (?:the user's|his|her) (?:youth|teens|\d0s|twenties|thirties)\b"
)
_WISH = re.compile(
    r"\b(?:plans?|planning|hopes?|would like|wants?|needs?|intends?|considering"
    r"|thinking (?:of|about)|might|wishes|dreams? of|prefers?|better)\b",
    re.IGNORECASE,
)
_TAIL = re.compile(r"\b(?:for|as|in|with|on|to)\b (?P<tail>.+)$")
_INSTEAD = re.compile(
    r"\b(?:replaced (?:the |the user's )?(?P<by>[\w .]+?) (?:with|by)\b"
    r"|from (?P<from>[\w .]+?) to\b|(?:instead of|rather than|out of) (?P<of>[\w ]+))",
    re.IGNORECASE,
)
_DOING = re.compile(
    r"^the user(?: (?:also|always|usually|often|sometimes|really|still|now|just|currently|recently"
    r"|already|normally|mostly|generally))* (?!and\b|or\b)(?=\w)",
    re.IGNORECASE,
)
"""Before the verb of what the user does."""
_ACTING = re.compile(
    r"^[A-Z]\w+ (?!(?:and|or|of|in|at|\w+ (?:is|are|was|were|has|have))\b)(?=[a-z]+(?:s|ed|t|ve"
    r"|d)? )"
)
"""Before the verb of what somebody with a name does."""
_PLANNED_END = re.compile(r"(?:ends|stops|leaves) (?:on|at|in|by|every|after)\b")
_BEING = re.compile(r"(?:is|are|am)(?: not)? an? ")
_HAVING = re.compile(r"(?:has|have) (?:no|not now|an?|the|any|some|\d+)\b")
_LIMITED = re.compile(
    r"\b(?:today|tonight|tomorrow|this (?:morning|week|weekend|month|evening)|next (?:week|month)"
    r"|until (?!\d)|for now|temporarily|on holiday|right now)\b|\bfor (?:a|the|2|3) (?:day|week"
    r"|month)s?\b",
    re.IGNORECASE,
)


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
    limited: bool
    """Whether it tells how things are for a while."""
    stative: bool
    wish: bool
    norm: bool
    """Whether it tells how something should be."""
    replaced: frozenset[str]
    """Words of what it says is no longer so, such as of "instead of tea"."""
    tail: frozenset[str]
    """Words after the verb's object: for what, as what, in what."""
    attributes: Mapping[str, Attribute] = field(hash=False)
    """What it tells of which there is one at a time."""


@lru_cache(maxsize=2_048)
def claim_of(text: str) -> Claim:
    """The claim of a fact."""
    said = reworded(text).rstrip(".! ")
    found = _place_of_verb(said)
    known, place = found is not None, found or 0
    rest = said[place:]
    words = frozenset(words_of(said)) - STOP
    heads = frozenset(words_of(rest))
    attributes = attributes_of(said)
    months = months_in(said)
    tail = _TAIL.search(rest)
    replaced = _INSTEAD.search(rest)
    return Claim(
        text=said,
        subject=_subject(said[:place] if known else said, at_home="home" in attributes),
        verb=_main(rest),
        words=words,
        core=words - LIGHT - NEGATIVE - CEASED - CHANGED - (MONTH_WORDS if months else frozenset()),
        numbers=attributes["age"].value if "age" in attributes else numbers_in(said) | months,
        names=frozenset(w for name in names_in(said) for w in words_of(name)) - NO_NAMES,
        denied=bool(frozenset(index_words(said)) & NEGATIVE) or _dislikes(heads),
        ceased=bool(heads & CEASED) and _PLANNED_END.match(rest) is None,
        changed=bool(heads & CHANGED),
        once=_ONCE.search(said) is not None and "age" not in attributes,
        limited=_LIMITED.search(said) is not None,
        stative=_is_stative(rest),
        wish=_WISH.search(rest) is not None,
        norm=_NORM.search(rest) is not None,
        replaced=_words(next(filter(None, replaced.groups()))) if replaced else frozenset(),
        tail=_words(tail["tail"]) if tail else frozenset(),
        attributes=attributes,
    )


def _place_of_verb(said: str) -> int | None:
    doing = _DOING.match(said)
    if doing is not None and not said.startswith("the user's"):
        return doing.end()
    acting = _ACTING.match(said)
    if acting is not None:
        return acting.end()
    verb = _VERB.search(said, 1)
    return verb.start() if verb is not None else None


def _words(text: str) -> frozenset[str]:
    return frozenset(words_of(text)) - STOP


def _subject(said: str, *, at_home: bool) -> frozenset[str]:
    """Words of whom or what a claim is about; without any it is the user."""
    subject = (frozenset(words_of(said)) - STOP - ADVERBS) | numbers_in(said)
    if "user" in said.lower() or not subject:
        subject |= {"user"}
    return subject - HOME if at_home else subject


def _main(rest: str) -> str:
    """The stem of the verb that says something, helpers left out."""
    if _HAVING.match(rest):
        return "have"
    if _BEING.match(rest):
        return "be"
    stemmed = words_of(rest)
    if _dislikes(frozenset(stemmed)):
        return "like"
    return next((w for w in stemmed if w not in STOP | NEGATIVE | ADVERBS), "")


def _dislikes(heads: frozenset[str]) -> bool:
    return "dislik" in heads


def _is_stative(rest: str) -> bool:
    """Whether it tells how things are, not what happened once."""
    return _PAST.match(rest) is None
