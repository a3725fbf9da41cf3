"""A fact in plainer words: "I" is the user, and what is said in several ways is said in one. Pure.

English. Each rule takes what people say of themselves in two or more ways and keeps one of them; a
rule that would also take what means something else has no place here.
"""

import re

_NAME = r"[A-Z][\w.'’-]*(?: [A-Z][\w.'’-]*){0,3}"

_PERSON = (
    (r"(?i)\b(?:I'm|I am|im)\b", "the user is"),
    (r"(?i)\bI've\b", "the user has"),
    (r"(?i)\bI'll\b", "the user will"),
    (r"(?i)\bI'd\b", "the user would"),
    (r"\bI\b|\bi\b(?![.'])|\bme\b", "the user"),
    (r"(?i)\b(?:my|our)\b", "the user's"),
    (r"(?i)\bwe're\b", "the user is"),
    (r"(?i)\bwe've\b", "the user has"),
    (r"(?i)\bwe\b", "the user"),
)
_DRAWN_TOGETHER = (
    (r"\bthe user (?:have|ve)\b", "the user has"),
    (r"\bthe user do\b", "the user does"),
    (r"\bthe user go\b", "the user goes"),
    (r"(?i)\b(C|F)#", r"\1sharp"),
    (r"(?i)((?:'s|\bthe|\bhis|\bher) )(left|right) (?!hand\b)(?=[a-z])", r"\1\2side "),
    (r"(?i)\b(\w+)-in-law\b", r"\1inlaw"),
    (r"(?i)\bC\+\+", "Cplusplus"),
    (r"(?i)(?<!\w)\.NET\b", "Dotnet"),
    (r"(?i)\bcan't stand\b|\bcannot stand\b|\bdo(?:es)?(?:n't| not) (?:like|enjoy)\b", "dislikes"),
    (r"(?i)\bcan't\b|\bcannot\b", "can not"),
    (r"(?i)\bwon't\b", "will not"),
    (r"n't\b", " not"),
    (r"(?i)\bno longer\b", "not now"),
    (r"(?i)\bnot (.+?) any ?more\b", r"not now \1"),
    (r"(?i)\bno (\w+) any ?more\b", r"not now \1"),
    (r"(?i)\b(?:has|have) to\b", "must"),
    (r"(?i)\b(?:gave|give|given) up\b", "stopped"),
    (r"(?i)\b(?:(?:has |have )?(?:brok(?:e|en)|split) up)(?: with\b|(?=[.!]?$))", "divorced"),
    (r"(?i)\bpassed away\b", "died"),
    (r"(?i)\bgot rid of\b", "sold"),
    (r"(?i)\b(left|right)-handed\b", r"\1handed"),
    (r"(?i)\bwrites with the (left|right) hand\b", r"is \1handed"),
    (r"(?i)\bnon-(?=[a-z])", "not "),
    (r"(?i)\b(has|have|needs?|takes?|owns?) one (?=[a-z])", r"\1 1 "),
    (r"(?i)\bdaily\b", "every day"),
    (r"(?i)\bweekly\b", "every week"),
    (r"(?i)\bmonthly\b", "every month"),
    (r"(?i)\b(?:yearly|annually)\b", "every year"),
    (r"(?i)\bhourly\b(?! rate| wage)", "every hour"),
    (r"(?i)\bevery (other|second)\b", "every 2"),
    (r"(?i)\be-mail\b", "email"),
    (r"(?i)\bat the moment\b|\bthese days\b|\bnowadays\b|\bas of now\b", "now"),
    (r"(?i)\bfull[- ]time\b", "fulltime"),
    (r"(?i)\bpart[- ]time\b", "parttime"),
    (r"(?i)\btime zone\b", "timezone"),
    (r"(?i)\b(?:visual studio code|vs code)\b", "VSCode"),
    (r"(?i)\bin the fall\b|\bthis fall\b", "this autumn"),
    (r"(?i)\b(?:by (?:the user|him|her|my)self|on the user's own)\b", "alone"),
    (
        (
            r"(?i)\b(?:went|goes|gone) (?:up|down) to\b|\b(?:rose|fell|increased|dropped) to\b"
            r"|\bwas (?:raised|lowered|increased"
            r"|reduced|changed) to\b"
        ),
        "is now",
    ),
    (r"(?i)\b(?:at most|no more than|up to|a maximum of)\b(?= \d)", "max"),
    (r"(?i)\bat least\b|\ba minimum of\b", "minimum"),
    (r"(?i)\bmother tongue\b", "native language"),
    (r"(?i)\bblood group\b", "blood type"),
    (r"(?i)\b(?:mother and father|mum and dad|mom and dad)\b", "parents"),
    (r"(?i)\b(?:put|set|lay) aside\b", "save"),
    (
        r"(?i)\b(?:works?|working) (?:fully |entirely )?(?:remotely|from home)\b(?! on)",
        "works remote",
    ),
    (r"(?i)\b(?:works?|working) (?:in|from|at) the office\b(?! on)", "works onsite"),
    (r"(?i)\bwork (?=remote|onsite)", "works "),
    (r"(?i), (?:and )?not (\w+)(?=[.!]?$)", r" instead of \1"),
    (
        r"(?i)\b(?:has existed|exists|existed) since\b|\bwas (?:established|started) in\b",
        "was founded in",
    ),
    (r"(?i)\b(?:was|got|has been) promoted to\b|\b(?:has become|became)\b", "is now"),
    (
        (
            r"(?i)\b(?:is not|isn't|are not) (?:a (?:big |great |huge )?fan of|into|fond of"
            r"|keen on)\b"
        ),
        "dislikes",
    ),
    (
        (
            r"(?i)\bis (?:a (?:big |great |huge )?fan of|(?:really )?into|fond of|keen on"
            r"|passionate"
            r" about)\b|\bhas a passion for\b"
        ),
        "likes",
    ),
    (r"(?i)\bis (?:unable|not able) to\b", "can not"),
    (r"(?i)\bis able to\b|\bknows? how to\b", "can"),
    (r"(?i)\byears of age\b", "years old"),
    (r"(?i)\bis (turned |switched )?(on|off)(?=[.!]?$)", r"is switched\2"),
    (
        (
            r"(?i)\b(?:must|needs? to) be (?:submitted|delivered|handed in|finished|done|ready"
            r"|completed)"
            r" by\b"
        ),
        "is due on",
    ),
    (r"(?i)\bcoriander leaves\b", "coriander"),
)
_SAID_IN_ONE_WAY = (
    (
        (
            r"\b(left|quit|stopped|sold|moved|switched|cancelled|started|joined"
            r"|turned)\b(.+?),? (?:yesterday"
            r"|recently|(?:last|this) (?:week|weekend|month|year|spring|summer|autumn|winter)"
            r"|(?:an?|\d+) (?:days?|weeks?|months?|years?) ago)$"
        ),
        r"\1\2",
    ),
    (
        r"^(?:(?i:please|always)[ ,]+)*(?i:answer|reply|respond)(?: to)?(?: the user)?\b",
        "the user wants answers",
    ),
    (
        (
            r"^(?:(?i:please|always)[ ,]+)*(?i:keep|make) (?:your |the |all )?(?:answers?|replies"
            r"|responses)\b"
        ),
        "the user wants answers",
    ),
    (
        (
            r"^(?:(?i:please)[ ,]+)?(?i:never"
            r"|do not) use (.+?)(?: in (?:the )?answers(?: to the user)?)?$"
        ),
        r"the user does not want \1 in answers",
    ),
    (r"^(?:(?i:please|always)[ ,]+)*(?i:use) ", "the user wants "),
    (r"^(?:(?i:please)[ ,]+)?(?i:call) the user ", "the user wants to be called "),
    (r"\b(?:do|does) not (\w+) well\b", r"\1s badly"),
    (r"\bcan not tolerate (\w+)$", r"is \1 intolerant"),
    (r"\bwould rather\b", "prefers"),
    (r"\bprefers? to work (?=remote|onsite)", "prefers works "),
    (r"^(the user|[A-Z]\w+) drives? an? ([a-z]+) car$", r"\1's car is \2"),
    (
        r"^(the user|[A-Z]\w+) (?:likes?|loves?) (.+?) more than any other (\w+)$",
        r"\1's favourite \3 is \2",
    ),
    (r"\b(?:gets? up|wakes? up|gets? out of bed)\b", "wakes"),
    (r"\bgoes to (?:bed|sleep)\b", "sleeps"),
    (r"\bis fluent in\b", "speaks fluent"),
    (r"\bspeaks? (\w+) fluently\b", r"speaks fluent \1"),
    (
        (
            r"\b(?:is )?studying (?=(?:English|French|German|Spanish|Italian|Portuguese|Dutch"
            r"|Polish|Russian"
            r"|Turkish|Arabic|Hindi|Chinese|Mandarin|Japanese|Korean|Swedish|Danish|Norwegian"
            r"|Finnish|Greek"
            r"|Czech|Hebrew)\b$)"
        ),
        "is learning ",
    ),
    (r"\bis (?:an? )?not (?:an? )?smoker\b", "does not smoke"),
    (r"\bis (?:an? )?(?:heavy |regular )?smoker\b", "smokes"),
    (r"^(.+?) gives? (the user|[A-Z]\w+) an? allergic reaction", r"\2 is allergic to \1"),
    (r"\b(?:do|does) not drink(?=$)", "does not drink alcohol"),
    (r"\bnever drinks?(?=$)", "does not drink alcohol"),
    (r"\bis (?:a )?teetotal(?:l?er)?\b", "does not drink alcohol"),
    (r"\b(?:has |have )?(?:got|gotten) (married|divorced|engaged)\b", r"is now \1"),
    (r"\b(?:do|does) not have (?:any|an?)\b|\b(?:do|does) not own (?:any|an?)\b", "has no"),
    (r"\bowns no\b", "has no"),
    (r"\bworks? (?:on )?(?:the )?(night|day) shifts?\b", r"works \1shift"),
    (r"\bworks? (?:at|during the|by) (night|day)\b", r"works \1shift"),
    (r"\bis (?:turned |switched )(on|off)\b", r"is switched\1"),
    (r"^(.+?)'s (?:job|profession|occupation) is (?=an? )", r"\1 is "),
    (r"\bis employed as\b", "works as"),
    (r" by (?:profession|trade)$", ""),
    (r"\bis the owner of\b", "possesses"),
    (
        r"\bavoids? (?:eating )?(sugar|gluten|dairy|meat|pork|beef|fish|nuts|lactose|carbs)$",
        r"does not eat \1",
    ),
    (r"\bavoids? (?:drinking )?(alcohol|caffeine|coffee)$", r"does not drink \1"),
    (r"\bworks out\b", "exercises"),
    (r"\bis a resident of\b", "lives in"),
    (r"^(.+?) is a native speaker of (\w+)$", r"\1's native language is \2"),
    (r"\b(?:follows|has|is on|keeps to) an? (vegan|vegetarian) diet\b", r"is \1"),
    (r"\beats (vegan|vegetarian)$", r"is \1"),
    (r"\bis expecting(?: an? (?:baby|child))?$", "is pregnant"),
    (r"\blives on the (\d+) floor\b", r"has a flat on the \1 floor"),
    (r"'s (?:flat|apartment) is on the (\d+) floor\b", r" has a flat on the \1 floor"),
    (
        r"^(.+?) (?:earns?|makes?) (\S+(?: euros| dollars)?) (?:an?|per|every) (year|month)$",
        r"\1's every \3 salary is \2",
    ),
    (r"\bthinks (\S+) is better than\b", r"prefers \1 to"),
    (r"\bis (?:the |an? )?(?:parent|father|mother) of (\d+) ", r"has \1 "),
    (r"(\d+) girls\b", r"\1 daughters"),
    (r"(\d+) boys\b", r"\1 sons"),
    (r"\beats? (?=(?:breakfast|lunch|dinner)\b)", "has "),
    (r"^(.+?) belongs to (the user|[A-Z]\w+)$", r"\2 possesses \1"),
    (r"\b(the user|we|[A-Z]\w+) owns? ", r"\1 possesses "),
    (r"^(.+?) reports to (?=[A-Z])", r"\1's manager is "),
    (
        (
            r"\bcan spend (?:max |up to |at most |a maximum of )?(\S+(?: euros| dollars)?) (?:on"
            r"|for) (.+?)$"
        ),
        r"has a budget for \2 of \1",
    ),
    (r"\b(?:has|holds) an? (?!university|college)(\w+) degree(?: from)?(?= |$)", r"studied \1 in"),
    (r"\b(?:has|holds) an? degree in (\w+)$", r"studied \1"),
    (r"\bhas an? degree in (\w+) from\b", r"studied \1 in"),
    (r"\bis (?:an? )?cellist\b", "plays the cello"),
    (r"\bis (?:an? )?violinist\b", "plays the violin"),
    (r"\bis (?:an? )?pianist\b", "plays the piano"),
    (r"\bis (?:an? )?guitarist\b", "plays the guitar"),
    (r"\bis (?:an? )?drummer\b", "plays the drums"),
    (
        r"\buses? ([A-Z][\w+#.]*) as (?:its|the|their|a|main|programming| )*language\b",
        r"is written in \1",
    ),
    (
        (
            r"^the user (?:has |have )?(?:rewrote|rewritten|ported) (?:the "
            r"|the user's )?(?P<what>[\w ]+?) "
            r"(?:in|to|into) (?=[A-Z])"
        ),
        r"the user's \g<what> is now written in ",
    ),
    (
        (
            r"^(.+?) (?:uses?|is using) (.+?) as (?:the |their |his |her |its |an? "
            r"|the user's )?((?:main |primary "
            r"|default )?(?:code |text )?(?:editor|shell|browser|database|terminal|ide|phone"
            r"|search engine))\b"
        ),
        r"\1's \3 is \2",
    ),
    (
        r"^(.+?) is the (\w+) (the user|[A-Z]\w+) (?:likes|loves) (?:most|best)\b",
        r"\3's favourite \2 is \1",
    ),
    (
        r"^(.+?) (?:likes|loves) (.+?) (?:best|most) of all (\w+?)s?\b(?=$)",
        r"\1's favourite \3 is \2",
    ),
    (r"^(the user|[A-Z]\w+) drives? an? (?=(?:\w+ )?[A-Z])", r"\1's car is a "),
    (
        (
            rf"^(?!the user|in )((?:[A-Z]|\w+ [A-Z])?[^',]{{1,40}}?) is ((?:the user"
            rf"|{_NAME})'s [\w ]+?)( now)?$"
        ),
        r"\2 is\3 \1",
    ),
)


def _compiled(*tables: tuple[tuple[str, str], ...]) -> tuple[tuple[re.Pattern[str], str], ...]:
    return tuple((re.compile(form), said) for table in tables for form, said in table)


_PLAINER = _compiled(_PERSON, _DRAWN_TOGETHER)
_IN_ONE_WAY = _compiled(_SAID_IN_ONE_WAY)


def in_plain_words(text: str) -> str:
    """A text with nothing drawn together, in which "I" is the user."""
    return _rewritten(text.replace("’", "'"), _PLAINER)


def in_one_way(fact: str) -> str:
    """A fact in plain words as others say it: "reports to Priya" is whose manager Priya is."""
    fact = (fact[:1].lower() + fact[1:] if fact.startswith("The ") else fact).rstrip(".! ")
    return _rewritten(fact, _IN_ONE_WAY)


def _rewritten(text: str, rules: tuple[tuple[re.Pattern[str], str], ...]) -> str:
    for pattern, said in rules:
        text = pattern.sub(said, text)
    return text
