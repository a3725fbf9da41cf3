"""Facts in German, French, Spanish and Portuguese, compared with great care. Pure.

Nothing is known of their grammar here but small words: two facts say the same where nothing else
differs, and contradict each other where all else is the same and one is denied, or where they give
the figure of something of which there is one. Everything else is different.
"""

import re
from dataclasses import dataclass
from functools import lru_cache

from memory.facts.figures import NUMBER, clash, in_digits, is_date
from memory.facts.values import Verdict
from memory.words import index_words

_TELLING = {
    "de": "die wohnt arbeitet heißt heisst seine ihre ich der das ein eine einen einem mein meine "
    "meiner meinen ist bin sind habe hat nicht "
    "kein "
    "keine und wohne arbeite spreche heisst trinke esse mag am um uhr auf für mit unser unsere wir "
    "läuft des den dem nutzer nutzers jahre zum zur",
    "fr": "appelle elle il ses je j le la les un une mon ma mes est suis ai ne pas et à au du des "
    "de dans nous notre "
    "nos "
    "habite parle aime travaille en sur l s qui pour avec chez",
    "es": "yo el la los las un una mi mis es soy tengo vivo hablo trabajo y de en con para del al "
    "nuestro nuestra está se años",
    "pt": "eu o a os um uma meu minha meus minhas é sou tenho moro falo trabalho e de do da em no "
    "na "
    "com para não nosso nossa está anos ao",
}
_ENGLISH_WORDS = (
    "the a an i my is are am was has have had and of to in on at for with we our user s not does "
    "do live lives work works like likes it he she they his her every"
)
_ENGLISH = frozenset(_ENGLISH_WORDS.split())
_SHARED = frozenset({"a", "am", "an", "do", "he", "in", "on", "s", "was"})
"""Words of English that other languages have as well."""
_OF_THE_USER = (
    "ich mein meine meiner meinen meinem der die das den dem des nutzer nutzers benutzer benutzers "
    "je j le la les l mon ma mes utilisateur yo el los las mi mis usuario usuaria eu o os as meu "
    "minha "
    "meus minhas usuário usuária utilizador uhr"
)
_NOT = {
    "de": "nicht kein keine keinen keinem keiner nie niemals mehr",
    "fr": "ne n pas plus jamais aucun aucune de",
    "es": "no nunca jamás ya ningún ninguna",
    "pt": "não nunca jamais já mais nenhum nenhuma",
}
_IS = (
    "ist sind bin hat habe beträgt läuft lauscht kostet est sont suis ai a coûte écoute tourne es "
    "son soy "
    "tengo tiene escucha cuesta corre é são sou tenho tem custa escuta usa roda termina beginnt "
    "endet "
    "commence finit empieza termina começa"
)
_EVENTS = (
    "abgabe frist deadline besprechung meeting treffen termin flug zug prüfung hochzeit konzert "
    "réunion échéance rendu délai vol train examen mariage concert reunión plazo fecha vuelo tren "
    "boda "
    "entrega prazo reunião data voo comboio exame casamento standup"
)
_COUNTED = {
    "de": "null _ zwei drei vier fünf sechs sieben acht neun zehn elf zwölf",
    "fr": "zéro _ deux trois quatre cinq _ sept huit neuf dix onze douze",
    "es": "cero _ dos tres cuatro cinco seis siete ocho nueve diez once doce",
    "pt": "zero _ dois três quatro cinco seis sete oito nove dez onze doze",
}
_INDEFINITE = re.compile(r"\b(?:eine?[nmr]?|une?|una|uma?)\b", re.IGNORECASE)
_FIRST = ("ich ", "je ", "j'", "yo ", "eu ")
_WORD = re.compile(r"[^\W\d_]+")


def _words(text: str) -> frozenset[str]:
    return frozenset(index_words(text))


_LANGUAGES = {name: frozenset(words.split()) - _ENGLISH for name, words in _TELLING.items()}
_LEFT_OUT = _words(_OF_THE_USER)
_NEGATIONS = {name: _words(words) for name, words in _NOT.items()}
_STATES, _DATED = _words(_IS), _words(_EVENTS)
_NUMBERS = {
    name: {word: str(n) for n, word in enumerate(words.split()) if word != "_"}
    for name, words in _COUNTED.items()
}
LEAST = 2
"""Small words of a language by which it is known, where there are none of English."""


@dataclass(frozen=True, slots=True)
class _Said:
    """A fact of another language."""

    words: tuple[str, ...]
    """In their order, without figures, those who speak, and denial."""
    numbers: frozenset[str]
    denied: bool
    states: bool


def is_foreign(text: str) -> bool:
    """Whether a fact is in one of these languages."""
    return _language(text) is not None


def compare_foreign(old: str, new: str) -> Verdict:
    """What a newer fact is to an older one; facts of two languages are different."""
    if index_words(old) == index_words(new):
        return "same"
    if _language(old) != _language(new):
        return "different"
    one, other = _said(old), _said(new)
    if not one.words or not _same_words(old, new, one, other):
        return "different"
    if one.numbers == other.numbers:
        return "same" if one.denied == other.denied else "contradicts"
    return _by_figures(old, new, one, other)


def _by_figures(old: str, new: str, one: "_Said", other: "_Said") -> Verdict:
    """Of two that tell other figures, and are else the same."""
    if one.denied or other.denied or not one.states or not clash(one.numbers, other.numbers):
        return "different"
    dated = any(map(is_date, one.numbers ^ other.numbers))
    event = set(one.words) & _DATED and not _INDEFINITE.search(old + " " + new)
    return "contradicts" if not dated or event else "different"


def _same_words(old: str, new: str, one: "_Said", other: "_Said") -> bool:
    """Whether the words are the same; who speaks of themselves may turn them round."""
    if one.words == other.words:
        return True
    own = any(old.lower().startswith(who) and new.lower().startswith(who) for who in _FIRST)
    return own and sorted(one.words) == sorted(other.words)


@lru_cache(maxsize=2_048)
def _language(text: str) -> str | None:
    words = [word.lower() for word in _WORD.findall(text)]
    english = sum(word in _ENGLISH - _SHARED for word in words)
    hits = {name: sum(word in known for word in words) for name, known in _LANGUAGES.items()}
    best = max(hits, key=lambda name: hits[name])
    enough = hits[best] >= LEAST or (hits[best] == 1 and english == 0)
    return best if enough and hits[best] > english else None


@lru_cache(maxsize=2_048)
def _said(text: str) -> _Said:
    language = _language(text) or ""
    numbers = _NUMBERS.get(language, {})
    counted = _WORD.sub(lambda match: numbers.get(match[0].lower(), match[0]), text)
    told = in_digits(counted.replace("'", " ").replace("’", " "))
    words = index_words(NUMBER.sub(" ", told))
    no = _NEGATIONS.get(language, frozenset())
    strong = no - _words("mehr plus de ya já mais")
    return _Said(
        words=tuple(word for word in words if word not in no | _LEFT_OUT),
        numbers=frozenset(match[0] for match in NUMBER.finditer(told)),
        denied=bool(set(words) & strong),
        states=bool(set(words) & _STATES),
    )
