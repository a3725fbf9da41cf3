"""Which sentences of a message state something of the user's own. Pure.

Neither questions, requests, quotations, code and pastes, nor what is supposed, joked, guessed,
told by a book, or handed over to be worked on: wrong facts are worse than missing ones. English.
"""

import re

from memory.words import index_words

ENOUGH_WORDS = 5
"""Words of a sentence that says something without speaking of the user, a rule or a figure."""
ASKING_WORDS = 2
"""Words before the verb of a request, such as "please", or "now"."""
QUOTED_WORDS = 4
"""Words between quotation marks that are somebody's speech; fewer are a name or a term."""
END = 4_000
"""Characters of either end of a message that are looked at."""
_BLANKS = re.compile(r"([ \t\n])\1{4,}")
_EMPTY_LINES = re.compile(r"(?:[ \t]{0,4}\n){3,}")
_FENCED = re.compile(r"```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)", re.DOTALL)
_QUOTED_LINE = re.compile(r"^\s*>.*$", re.MULTILINE)
_SPEECH = re.compile(r'"([^"\n]{12,}?)"|“([^”\n]{12,}?)”|„([^“”\n]{12,}?)[“”]|«([^»\n]{12,}?)»')
_CODE_LINE = re.compile(
    r"^(?:\s*(?:#|def |class |import |from [\w.]+ import|return\b|elif |else:|for .*:\s*$"
    r"|if .*:\s*$"
    r"|while .*:\s*$|try:|except\b.*:\s*$|with .*:\s*$|#include|//|/\*|\*/|<\w+[ >]|</|SELECT "
    r"|INSERT "
    r"|UPDATE |CREATE |\$ |>>> |@\w+\(|(?:const|let|var|public|private|func|fn) "
    r"|[A-Za-z_][\w.]*\(.*\)"
    r"[;:{]?\s*$|[\w.\[\]]+ [-+*/]?= )"
    r"|.*[;{}]\s*$|    .*[=(){}\[\]].*"
    r"|\s*File \"|\s*at [\w.$]+\(|\s*Traceback |\s*[\w.]*(?:Error|Exception)\b:?"
    r"|\s*\[?\d{4}-\d\d-\d\d[T ]\d\d:|\s*\[?(?:INFO|ERROR|WARN(?:ING)?|DEBUG)\b).*$",
    re.MULTILINE,
)
_LINE_BREAK = re.compile(r"(?<![.!?…:,])\s*\n\s*(?=[\n\-*•\d\"“A-Z])")
_SENTENCE = re.compile(r"(?<=[.!?…])\s+|(?<=[。！？])")
_ABOUT = re.compile(
    r"\b(?:I|I'm|I've|my|mine|me|we|our|us)\b|\b(?:always|never|must|prefer|decided|agreed"
    r"|not allowed|from now on|called|named)\b|\b\w+n't\b|\d"
    r"|^[A-Z]\w+ (?:is|has|was|lives|works|likes|loves|hates|speaks|plays|uses)\b",
    re.IGNORECASE,
)
_LASTING = re.compile(
    r"\b(?:always|never|from now on|don't|do not|by default|every)\b", re.IGNORECASE
)
_REQUEST = re.compile(
    r"^(?:(?:ok(?:ay)?|please|now|then|and|so|hey|hi|well|yes|no|sure)[,.! ]+)*"
    r"(?:give|show|tell|explain|write|make|create|list|fix|help|find|suggest|summari[sz]e|translate"
    r"|describe|calculate|compute|generate|rewrite|convert|check|look|compare|draft|add|remove"
    r"|change|run|try|let's|let me know|send|read|open|print|continue|go on|do it|can you|could you"
    r"|would you|I(?:'d| would) like you to|I (?:want|need) you to|I (?:want|need) to know)\b",
    re.IGNORECASE,
)
ORDER = re.compile(
    r"\b(?:ignore|disregard|forget|override)\b.{0,40}"
    r"\b(?:instructions?|prompts?|rules|above|previous|prior|everything|facts)\b"
    r"|\bsystem prompt\b|\byou are now\b|\b(?:write down|note|remember|record|store) that\b"
    r"|</?\w+>|\bnew instructions?\b",
    re.IGNORECASE,
)
"""Sentences that try to steer whoever reads them. What the user wants remembered has a command."""
_SUPPOSED = re.compile(
    r"^(?:(?:so|ok|and|but|now|well)[, ]+)*(?:suppose|supposing|imagine|assume|assuming|pretend"
    r"|let's (?:say|pretend|assume|imagine)|say (?:I|you|we)\b|what if|in case\b"
    r"|if (?:I|we|you|he|she|they|it|the user|my|our|there)\b[^,]*\b(?:had|were|was|would|could"
    r"|did|\w+ed)\b)"
    r"|\b(?:would|could|might) have\b|\b(?:as if|hypothetical\w*|for example|e\.g\.)\b",
    re.IGNORECASE,
)
_SAYING = re.compile(r"\b(?:said|says?|told|wrote|writes|asked|replied|quote)\b.*…", re.IGNORECASE)
_TAKEN_BACK = re.compile(r"\b(?:kidding|joking|jk|never mind|scratch that)\b", re.IGNORECASE)
_JOKED = re.compile(
    r"\b(?:lol|lmao|rofl|haha\w*|hehe|just kidding|only kidding|jk|i'm (?:just )?(?:joking|kidding)"
    r"|not serious)\b|[😂🤣😜]",
    re.IGNORECASE,
)
_GUESSED = re.compile(r"\b(?:maybe|perhaps|might|possibly|no idea)\b", re.IGNORECASE)
_TOLD_ELSEWHERE = re.compile(
    r"\baccording to\b|\b(?:in|from) (?:the|this|that|a|my|his|her) (?:\w+ )?(?:novel|book|film"
    r"|movie|series"
    r"|story|game|article|paper|report|song|show|episode|podcast|dream|manual|documentation"
    r"|example)\b"
    r"|^(?:the|this|that) (?:novel|book|film|movie|article|paper|report|documentation|manual|hero"
    r"|character)\b"
    r"|\b(?:dear (?:sir|madam|mr|mrs|ms|dr|\w+ (?:team|committee))|yours sincerely|kind regards)\b",
    re.IGNORECASE,
)
_REPORTED = re.compile(
    r"^(?:an?|some|someone|somebody|everyone|everybody|people|they|the \w+) (?:\w+ ){0,3}?"
    r"(?:says?|said|told|claims?|claimed|wrote|writes|reads|states)\b",
    re.IGNORECASE,
)
_THANKED = re.compile(
    r"^(?:(?:ok(?:ay)?|oh|ah|hmm+|and|many)[,.! ]+)*(?:thanks?|thank you|thx|great|nice|cool"
    r"|perfect|interesting"
    r"|awesome|wow|good (?:morning|evening|night|job|point)|hello|hi|hey|bye|well done"
    r"|never mind)\b",
    re.IGNORECASE,
)
_OF_THE_MOMENT = re.compile(
    r"\blet's (?:stop|go|start|move|continue|see|try|get|leave|call it|take)\b|^sorry\b"
    r"|^(?:I'm|I am|I feel) (?:so |very |really |a bit |too )?(?:tired|bored|hungry|thirsty|happy"
    r"|glad|sorry"
    r"|confused|stuck|lost|sure|not sure|unsure|back|ready|done|curious|excited|busy|in a hurry)\b",
    re.IGNORECASE,
)
_OWN = re.compile(r"\b(?:I|I'm|I've|my|we|our)\b|\d", re.IGNORECASE)
_UNNAMED = re.compile(r"^(?:he|she|they|it|this|that|these|those)\b", re.IGNORECASE)
_TEXT = (
    r"(?:the|my|this|that) (?:\w+ ){0,2}(?:text|letter|e-?mail|message|paragraph|essay|story|poem"
    r"|sentences?|article|cv|resume|speech|post|draft|abstract|bio|translation)"
)
_WORK = re.compile(
    r"\b(?:tl;?dr|translate|proofread|re-?write|rephrase|paraphrase|summari[sz]e|shorten|spell-?check"
    r"|polish"
    rf"|fix the (?:grammar|spelling))\b[^.?!]{{0,60}}?(?:\b(?:this|that|it|these|the following"
    rf"|{_TEXT})\b|:)"
    r"|\bmake (?:this|that|it)\b[^.?!]{0,30}\b(?:formal|shorter|longer|polite|friendl\w+|better"
    r"|nicer|sound"
    r"|professional)\b"
    rf"|\b(?:improve|correct|edit|review|analy[sz]e|continue|check|fix|make|reformat"
    rf"|turn)\b[^.?!]{{0,30}}?\b{_TEXT}\b"
    r"|^(?:bitte )?(?:übersetze?n?|korrigiere?n?|fasse?n?)\b|^(?:traduis|traduisez|corrige[zs]?"
    r"|résume[zs]?"
    r"|traduce|traduzca|resume|traduz|traduza|corrija)\b",
    re.IGNORECASE,
)
"""Asks for work on a text, which then stands beside."""
_PLAYED = re.compile(r"\b(?:act as|play the role of|role-?play|pretend)\b", re.IGNORECASE)
"""Asks for a play, in which the user may be anybody."""
_NEEDED = re.compile(r"^I need\b", re.IGNORECASE)
_OF_PERSONAS = re.compile(
    r"\b(?:(?:you are|you're) (?:now )?(?:an?|the|my)|act as|play the role of"
    r"|role-?play)\b",
    re.IGNORECASE,
)


_NO_STATEMENTS = (
    _SUPPOSED,
    _JOKED,
    _GUESSED,
    _TOLD_ELSEWHERE,
    _OF_PERSONAS,
    _SAYING,
    _REPORTED,
    _OF_THE_MOMENT,
)


def bare(text: str) -> str:
    """A message without code, quoted lines and what is said between quotation marks.

    Of a long one the ends, between which there is a paste.
    """
    text = _EMPTY_LINES.sub("\n\n", _BLANKS.sub(r"\1\1\1\1", _FENCED.sub(" ", text)))
    if len(text) > 2 * END:
        text = f"{text[:END]}\n…\n{text[-END:]}"
    text = _CODE_LINE.sub("", _QUOTED_LINE.sub("", text))
    text = _SPEECH.sub(_without_speech, text)
    return " ".join(_LINE_BREAK.sub(".\n", text).split())


def sentences_of(bare_text: str) -> list[str]:
    """The sentences of a bare text."""
    return [sentence for sentence in _SENTENCE.split(bare_text) if sentence]


def stated(sentences: list[str]) -> list[str]:
    """Those sentences in which the user states something."""
    if any(map(_asks_for_work, sentences)):
        return []
    states = [
        _states(sentence) and not _undone(sentence, after)
        for sentence, after in zip(sentences, [*sentences[1:], ""], strict=False)
    ]
    return [
        sentence
        for sentence, before, own in zip(sentences, [False, *states], states, strict=False)
        if own and (before or not _UNNAMED.match(sentence))
    ]


def _undone(sentence: str, after: str) -> bool:
    """Whether the next sentence takes it back, or asks for what it only leads to."""
    asked = _NEEDED.match(sentence) is not None and after.endswith("?")
    return asked or _TAKEN_BACK.search(after) is not None


def _asks_for_work(sentence: str) -> bool:
    """Whether it asks for work on a text, or for a play; all beside it belongs to that."""
    if _PLAYED.search(sentence):
        return True
    work = _WORK.search(sentence)
    asks = sentence.rstrip()[-1:] == "?" or _REQUEST.match(sentence) is not None
    return work is not None and (asks or len(sentence[: work.start()].split()) <= ASKING_WORDS)


def is_passed_over(sentence: str) -> bool:
    """Whether it is a question, or tries to steer who reads it."""
    return sentence.rstrip(" \"'”)")[-1:] in ("?", "？") or ORDER.search(sentence) is not None


def _states(sentence: str) -> bool:
    if is_passed_over(sentence) or any(form.search(sentence) for form in _NO_STATEMENTS):
        return False
    if _REQUEST.match(sentence) and not _LASTING.search(sentence):
        return False
    if _THANKED.match(sentence) and not _OWN.search(sentence):
        return False
    return len(index_words(sentence)) >= ENOUGH_WORDS or _ABOUT.search(sentence) is not None


def _without_speech(match: re.Match[str]) -> str:
    said = next(filter(None, match.groups()), "")
    return match[0] if len(said.split()) < QUOTED_WORDS else "…"
