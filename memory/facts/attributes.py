"""What somebody or something has one of at a time, as a fact tells it: home, employer, age. Pure.

By rule on the plain words of `phrasing`; English. Two facts that tell other values of the same
contradict each other, unless both may be true, such as a country and a town.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from memory.facts.content import words_of
from memory.facts.groups import COUNTRIES, LANGUAGES, NO_EMPLOYER, PLACES, PROFESSIONS, TIMES, TOOLS
from memory.facts.vocabulary import HOME, STOP

_ADVERB = r"(?: (?:now|currently|still|already|happily|newly|recently|also|really|just|again))*"
_END = (
    r"(?= (?:with|since|for|as|and|but|because|where|near|together|now|again|until|alone|who|which"
    r"|on|in|from|by|after|before|during|at|these|last|next|this|a few|\d+|parttime|fulltime)\b"
    r"|[,.;!(]|$)"
)
_PLACE = rf"(?:the |central |downtown |northern |southern )?(?P<value>[^,.;]+?){_END}"
_NAME = rf"(?P<value>(?-i:[A-Z])[\w'-]+){_END}"
_THING = rf"(?P<value>[\w -]+?){_END}"
_FORMS: tuple[tuple[str, str, str], ...] = (
    (
        "home",
        r"(?:'s)? ?(?:(?:home|flat|house|apartment) is|(?:has|have) lived|lives?|is living"
        r"|has (?:her|his|their|an?|the user's) (?:home|flat|house|apartment)|resides?|is based"
        r"|(?:has |have )?(?:re)?(?:moved|located))(?: now| back| again| currently)*"
        r"(?: out of [\w ]+?| from [\w ]+?)? (?:in|to|near)"
        r"(?: an? (?:\w+ )?(?:flat|house|apartment|village|suburb) (?:in|near))? " + _PLACE,
        "",
    ),
    (
        "employer",
        (
            rf"{_ADVERB} (?:works?|is working|is employed|(?:has )?(?:started|begun)(?: working)?"
            r"|(?:has|got)(?: an?)?(?: new)? (?:job|position)|(?:has )?joined)(?: now)?"
            rf"(?: as [\w ]+?)?(?: now)? (?:at|for) {_PLACE}"
        ),
        "",
    ),
    ("age", r"(?:'s age)? is(?: now)? (?P<value>\d{1,3})(?: years? old\b|(?: now)?$)", ""),
    ("age", r" (?:has )?(?:just )?turned (?P<value>\d{1,3})\b", ""),
    ("profession", rf"{_ADVERB} (?:works?|is working) (?:now )?as an? {_THING}", ""),
    (
        "spouse",
        (
            r"(?:'s (?:wife|husband|spouse)(?:'s name)? is(?: called| named)?| is married to"
            rf"|(?: has)? married) {_NAME}"
        ),
        "",
    ),
    (
        "marriage",
        (
            rf" is{_ADVERB} (?:an? )?(?P<value>single|unmarried|married|engaged|divorced|widowed"
            rf"|widow"
            r"|widower)(?=$| (?:to|with|in|since|on|for|and|now)\b)"
        ),
        "",
    ),
    ("marriage", r" (?:has )?married (?-i:[A-Z])", "married"),
    ("marriage", rf" is{_ADVERB} not{_ADVERB} married$", "single"),
    ("household", r" lives? alone\b", "alone"),
    ("household", r" lives? (?:together )?with\b", "together"),
    ("place", rf" is(?: now)?(?: located| based| situated)? in {_NAME}", ""),
    ("work", rf" is{_ADVERB} (?:unemployed|jobless|out of work|without a job)\b", "none"),
    ("work", rf" is{_ADVERB} retired\b", "retired"),
    (
        "work",
        (
            rf"{_ADVERB} (?:is employed|works? (?:at|for|as)|(?:has|have|found"
            rf"|got) an?(?: new)? job)\b"
        ),
        "employed",
    ),
    ("life", rf" is{_ADVERB} (?:alive|living)\b", "alive"),
    ("life", rf" (?:(?:has )?died|is{_ADVERB} dead)\b", "dead"),
    ("diet", r" is an? (?:strict |lacto-ovo )?vegetarian\b| is vegetarian\b", "vegetarian"),
    ("diet", r" (?:does not|do not|never) eats? (?:any )?meat$| eats no meat$", "vegetarian"),
    (
        "commute",
        (
            r" (?:commutes? by|takes? the|(?:rides?|drives?|goes)(?: the user's| an?"
            r"| the)?(?: by)?)"
            r" (?P<value>bike|bicycle|car|train|bus|tram|subway|metro|motorbike|scooter)"
            r"(?: to (?:work|the office)\b|(?<=commute by bike)|(?=$))"
        ),
        "",
    ),
    ("trade", rf" is{_ADVERB} an? {_THING}", ""),
    ("commute", r" drives? to (?:work|the office)\b", "car"),
    ("commute", r" (?:cycles|bikes) to (?:work|the office)\b", "bike"),
    ("commute", r" walks? to (?:work|the office)\b", "walk"),
    ("written in", rf" is(?: now)? (?:written|implemented|coded) in {_NAME}", ""),
)
_RULES = tuple(
    (name, re.compile(rf"^(?P<who>.*?){form}", re.IGNORECASE), value)
    for name, form, value in _FORMS
)
_PREFERRED = re.compile(
    r"^(?P<who>.*?) (?:prefers?|likes?|favou?rs?) (?P<more>[\w -]+?) (?:better |more )?"
    r"(?:over|to|than|rather than|instead of) (?P<less>[\w -]+?)$"
)
TOLD_BY_DENIAL = frozenset({"marriage", "life", "diet", "work"})
"""Attributes of which a denial tells the value: who eats no meat is a vegetarian."""
_BOTH_HOLD = (
    {"single", "divorced"},
    {"single", "widow"},
    {"none", "retired"},
)
_BESIDES = re.compile(
    r"\b(?:also|besides|part-?time|freelance|volunteer\w*|on the side|sometimes|weekends?"
    r"|summer)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Attribute:
    """The value of something of which there is one."""

    who: frozenset[str]
    value: frozenset[str]
    named: bool
    """Whether the value is a name."""


def attributes_of(said: str) -> Mapping[str, Attribute]:
    """What a fact in plain words tells of such things, by their names."""
    found: dict[str, Attribute] = {}
    for name, rule, constant in _RULES:
        match = rule.match(said)
        if match is not None and name not in found:
            value = constant or match["value"]
            stems = _stems(value) or frozenset({value.lower()})
            attribute = Attribute(_who(match["who"], name), stems, not value.islower())
            if value and _is_value(name, value, attribute, said):
                found[name] = attribute
    if "profession" in found:
        found.setdefault("trade", found["profession"])
    match = _PREFERRED.match(said)
    if match is not None:
        more, less = _stems(match["more"]), _stems(match["less"])
        pair = " ".join(sorted(more | less))
        found[f"preference of {pair}"] = Attribute(_who(match["who"], ""), more, named=False)
    return found


def clashing(name: str, one: Attribute, other: Attribute, *, changed: bool) -> bool:
    """Whether of two values of the same only one can hold.

    Args:
        name: What both tell.
        one: The older value.
        other: The newer one.
        changed: Whether the newer fact says that something is otherwise than before.
    """
    if one.value & other.value or {*one.value, *other.value} in _BOTH_HOLD:
        return False
    if name in ("home", "place"):
        return (one.value <= COUNTRIES) == (other.value <= COUNTRIES)
    if name == "trade" and not changed:
        return False  # who teaches may write as well
    if name == "employer" and one.named != other.named:
        return changed
    return True


def _who(text: str, name: str) -> frozenset[str]:
    who = _stems(text) - (HOME if name == "home" else frozenset())
    return who | {"user"} if "user" in text.lower() or not who else who


def _stems(text: str) -> frozenset[str]:
    return frozenset(words_of(text)) - STOP


def _is_value(name: str, value: str, attribute: Attribute, said: str) -> bool:
    """Whether it is one of that kind: nobody lives in Slack or works for "two years"."""
    if not attribute.value or (any(c.isdigit() for c in value) and name != "age"):
        return False
    if name == "home":
        # Who types no capitals lives "in bergen"; "in the city" is no name.
        typed = said.islower() and f"the {value}" not in said and " " not in value
        return (attribute.named or typed) and not attribute.value & (TOOLS | TIMES)
    if name == "place":
        fixed = bool(attribute.who & PLACES)
        return fixed and not attribute.value & (TOOLS | TIMES | LANGUAGES)
    if name == "trade":
        return bool(attribute.value & PROFESSIONS) and _BESIDES.search(said) is None
    if name == "employer":
        return not attribute.value & NO_EMPLOYER
    return name not in ("profession", "commute") or _BESIDES.search(said) is None
