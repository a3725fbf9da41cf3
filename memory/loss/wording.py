"""The words and patterns by which names, figures, dates and identifiers are recognised."""

import re


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


MONTHS = {
    name: number
    for number, names in enumerate(
        (
            ("january", "jan"),
            ("february", "feb"),
            ("march", "mar"),
            ("april", "apr"),
            ("may",),
            ("june", "jun"),
            ("july", "jul"),
            ("august", "aug"),
            ("september", "sep", "sept"),
            ("october", "oct"),
            ("november", "nov"),
            ("december", "dec"),
        ),
        start=1,
    )
    for name in names
}
"""Months by their English names, casefolded."""
WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")

UPPER = "A-Z" + "".join(c for c in map(chr, range(0xC0, 0x590)) if c.isupper())
"""Capitals of Latin, Greek, Cyrillic and Armenian, as part of a character class."""

UNITS = {
    "eur": "€ eur euro euros",
    "usd": "$ usd dollar dollars",
    "gbp": "£ gbp",
    "jpy": "¥ jpy yen",
    "inr": "₹ inr",
    "chf": "chf",
    "%": "% percent",
    "ms": "ms milliseconds millisecond",
    "s": "s sec secs second seconds",
    "min": "min mins minute minutes",
    "h": "h hr hrs hour hours",
    "d": "day days",
    "week": "week weeks",
    "month": "month months",
    "year": "year years",
    "km": "km",
    "m": "m",
    "cm": "cm",
    "mm": "mm",
    "mile": "mile miles mi",
    "ft": "ft feet",
    "inch": "inch inches",
    "kg": "kg",
    "g": "g",
    "mg": "mg",
    "lb": "lb lbs pound pounds",
    "l": "l",
    "ml": "ml",
    "b": "bytes byte",
    "kb": "kb kib",
    "mb": "mb mib",
    "gb": "gb gib",
    "tb": "tb tib",
    "px": "px",
    "hz": "hz",
    "khz": "khz",
    "mhz": "mhz",
    "ghz": "ghz",
    "w": "w",
    "kw": "kw",
    "kwh": "kwh",
    "°c": "°c",
    "°f": "°f",
    "token": "token tokens",
    "k": "k thousand",
    "million": "million mio",
    "bn": "bn billion",
    "people": "people",
    "x": "x times",
}
UNIT_OF = {spelling: unit for unit, spellings in UNITS.items() for spelling in spellings.split()}
"""The unit that a casefolded spelling stands for."""

_UNIT = "|".join(sorted(map(re.escape, UNIT_OF), key=len, reverse=True))
_MONTH = "|".join(sorted(MONTHS, key=len, reverse=True))
_DAY = r"[0-9]{1,2}(?:st|nd|rd|th)?"
_CLOCK = r"[0-9]{1,2}:[0-9]{2}(?::[0-9]{2})?(?:\.[0-9]+)?"

NUMBER = re.compile(
    # The first character is a class of its own: the engine then skips to the next digit at once.
    r"[0-9€$£¥₹](?:(?<=[€$£¥₹])\s?[0-9])?[0-9]*(?:[.,'’\u00a0\u202f][0-9]+)*"
    rf"(?:[ \u00a0\u202f]?(?i:{_UNIT})(?![\w%]))?"
)
DIGIT_DATE = re.compile(
    r"[0-9](?:"
    rf"(?<=[0-9])[0-9]{{3}}-[0-9]{{2}}-[0-9]{{2}}(?:[T ]{_CLOCK}(?:Z|[+-][0-9]{{2}}:?[0-9]{{2}})?)?"
    r"|[0-9]?([./])[0-9]{1,2}\1(?:[0-9]{4}|[0-9]{2})(?![0-9]|[./][0-9])"
    rf"|[0-9]?(?:st|nd|rd|th)?\ (?:of\ )?(?i:{_MONTH})\b(?:\.?,?\ [12][0-9]{{3}}\b)?"
    r"|[0-9]?:[0-9]{2}(?::[0-9]{2})?(?:\ ?(?i:am|pm)\b|\b)"
    r"|[0-9]?\ ?(?i:am|pm)\b"
    r"|(?:(?<=1)9|(?<=2)0)[0-9]{2}(?![\w.,:/-]*[0-9]))",
    re.VERBOSE,
)
WORD_DATE = re.compile(
    rf"[JFMASOND](?i:{'|'.join(sorted({n[1:] for n in MONTHS}, key=len, reverse=True))})\b\.?"
    rf"\ (?:{_DAY}\b(?:,?\ [12][0-9]{{3}}\b)?|[12][0-9]{{3}}\b)"
    rf"|[MTWFS](?:{'|'.join(sorted({n[1:] for n in WEEKDAYS}))})\b",
    re.VERBOSE,
)
RELATIVE_DAY = re.compile(r"\b(?i:next|last|this|coming) $")
"""What makes a weekday after it a certain one."""

STOP_NAMES = _words(
    """
    a about after again all also although always am an and another any api are as ask at be
    because been before but by bye can cannot check cool could dear did do does don done dont each
    either else even ever every everyone everything false few finally find first fix for from get
    give go good got great had has have he hello help her here hey hi his how however i id if ii
    im in indeed instead is isn it its json just keep last later let like look lol make many may
    maybe me might more most much must my name need never new next no none nope not note nothing
    now null of off oh ok okay on once one only or other others our out over please plus put
    really right said same say see set she should since so some someone something sometimes soon
    sorry still congrats congratulations mon tue tues wed thu thur thurs fri sat sun such sure
    take tell thank thanks that the their them then there these they thing this those though thus
    time to todo today tomorrow tonight too true try two under until up url us use used user very
    wait want was way we well were what when where whether which while who whom whose why will
    with without wow write yeah yes yesterday yet you your yours hooray woohoo yay yep nah aww haha
    sounds during awesome amazing adding error warning info debug assistant system tool content role
    read run add create update delete remove http https html import return class def self summary
    details
    """
)
"""Words that are no name where they are written with a capital, casefolded."""

FILE_ENDINGS = _words(
    """
    bak bash bat bib c cc cfg conf cpp cs css csv db dll doc docx env exe gguf gif gitignore go gz
    h hpp htm html ini ipynb iso jar java jpeg jpg js json jsonl jsx kt lock log lua md mdx mjs
    mp3 mp4 mov odt onnx parquet pdf php pl png ppt pptx ps1 pth py pyc pyi r rb rs rst rtf scala
    sh so sql sqlite svg swift tar tex tgz tmp toml ts tsv tsx txt vue wav webp whl xls xlsx xml
    yaml yml zip zst
    """
)
"""What a file name ends with after its last dot, casefolded."""
DOMAIN_ENDINGS = _words(
    """
    com org net io dev ai edu gov info app co uk de fr ch at it es nl eu us ca au jp
    """
)
"""What the hosts end with that are recognised without a scheme."""
WORD_ENDINGS = _words("app at info it us")
"""Those of them that are words as well: after one dot alone they end no host."""
STARTERS = _words(
    """
    above access accept account action afternoon agent agree allow analysis answer apart app
    apply approach ask assume attach author backup bank based below beside bill body book both
    branch breakfast bring browser budget bug build builder button buy call car case cat change
    chapter child children choose city class clean client close code column command commit
    company compare computer config configure connect consider contact context contract convert
    copy correct cost country course customer daily data database date day deadline define deploy
    describe design dinner disable discuss dog door drop email enable end enough evening event
    example exclude expect explain export fetch file filter folder follow food form format full
    function game generate goal group half handle health hide hold home hope host hotel house
    idea ignore image imagine implement import include inside install internet invite issue item
    job join keys kid kill language latency launch lead leave less life light limit line link
    list load login lots lunch machine mail main manager market match meeting memory merge
    message method mind model module money monitor month morning mother father move music
    nobody night note notice number offer office open order outside output owner package page
    parent park part paste path pay payment people performance person phone pick place plan play
    point port post prepare present price print problem process product production program
    project prove provide pull push query question quote rain rate reality rebuild record
    reduce release rename rent repeat replace report request reset restart result return review
    rewrite room rule safety sale save schedule school score script search security select send
    sentence server service share ship shop skip small software sort source space speed split
    staff staging start state status step stop store story student study support switch system
    table task teacher team test text title tool total track traffic train translate travel
    trip type uninstall update upgrade upload user validate value verify version video view visit
    wall watch water weather website week weekend whatever whoever wife husband window
    word work world worth year
    everybody anybody anyone anything hers his mine ours theirs yours itself himself herself
    actually apparently basically clearly currently eventually finally generally hopefully
    initially normally obviously originally possibly previously probably recently typically
    unfortunately usually today's meanwhile moreover nevertheless therefore besides perhaps
    across against among behind beyond despite except like near since through toward towards
    unless upon via within
    """
)
"""Words that begin sentences and orders and are no name there, casefolded, in the singular."""
TITLES = ("Mr", "Mrs", "Ms", "Dr")
NO_ABBREVIATION = (
    "".join(rf"(?<!\b{title}\.)" for title in (*TITLES, "St", "vs", "[Aa]pprox"))
    + r"(?<!\b[Ee]\.g\.)(?<!\b[Ii]\.e\.)(?<!\bNo\.(?=\s?[0-9]))"
)
"""Follows a pattern for a full stop: holds where that does not merely end an abbreviation."""
DENIALS = _words(
    """
    never not no don't dont mustn't cannot can't without avoid shouldn't
    """
)
"""Words that deny, all meaning the same here."""
EMPTY_WORDS = _words(
    """
    a an and are as at be by do for from have i i'll i'm if in is it its let's may me must my need
    of on or our please shall should so that the their them then this to todo us was we will with
    would you your always sure make remind next step user assistant yes ok okay well also just
    """
)
"""Words that a condition or task means the same without."""
