"""What the small words of a question say, in English and some other languages. Pure.

A question in a language that does not stand here is looked for by all of its words.
"""

import re
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Literal

from memory.words import index_words

Aspect = Literal["user", "assistant", "when", "number", "latest"]


@dataclass(frozen=True)
class Language:
    """What the small words of a language say."""

    small: str
    """Words that say nothing of what a text is about."""
    user: str
    """How somebody speaks of himself, as a pattern; then how of the one he speaks to."""
    assistant: str
    when: str
    """How one asks for a time; then for a number, and for how things are by now."""
    number: str
    latest: str

    @cached_property
    def stop(self) -> frozenset[str]:
        """The small words as they are indexed."""
        return frozenset(index_words(self.small))

    def asks(self, aspect: Aspect, text: str) -> bool:
        """Whether a text has one of the words for it."""
        return _pattern(getattr(self, aspect)).search(text) is not None


@cache
def _pattern(words: str) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{words})\b", re.IGNORECASE)


_ENGLISH = """
a about again all also am an and any are as at be because been before being both but by can could
did do does doing don't down each for from further had has have having he her here hers him his
how however i i'd i'll i'm i've if in into is isn't it it's its itself just let like may me might
more most must my myself no nor not of off on once only or other our ours out over own please same
shall she should so some such than that that's the their theirs them then there these they this
those through to too under until up us very was wasn't we were what what's when where which while
who whom whose why will with would you your yours yourself tell remind remember know could think
likely ever yes ok okay thank thanks hello hi hey sorry bye
"""
_GERMAN = """
aber alle als also am an auch auf aus bei beim bin bis bist da damit dann das dass dein deine
deinem deinen deiner dem den denn der des dessen dich die dies diese diesem diesen dieser dieses
dir doch dort du durch ein eine einem einen einer eines er es etwas euch euer eure fuer für gab
gegen gehabt gewesen gibt hab habe haben hast hat hatte hatten hatte ich ihm ihn ihnen ihr ihre
ihrem ihren ihrer im in ins ist ja jede jedem jeden jeder jedes jetzt kann kannst kein keine
keinen koennen können könnte mal man manche mein meine meinem meinen meiner meines mich mir mit
muss nach nicht nichts noch nun nur ob oder ohne sehr sein seine seinem seinen seiner seit sich
sie sind so soll sollte sollen ueber über um und uns unser unsere unter vom von vor wann war waren
warum was weil welche welchem welchen welcher welches wem wen wenn wer werde werden wessen wie
wieder will willst wir wird wirst wo woher wohin womit woran wohl worden wurde wurden würde zu zum
zur zwischen bitte weißt erinnerst
"""
_FRENCH = """
a afin ai aie as au aux avait avais avec avez avoir avons c ce ceci cela ces cet cette ceux chez
ci comme comment d dans de depuis des donc dont du elle elles en es est et etait etaient etais
etes etre eu fait fut il ils j je l la laquelle le lequel les lesquels leur leurs lui m ma mais me
meme mes moi mon n ne ni nos notre nous on ont ou où par pas peut peux plus pour pourquoi puis qu
quand que quel quelle quelles quels qui quoi s sa sans se ses si soit sommes son sont suis sur t
ta te tes toi ton tu un une vas vos votre vous y combien est-ce avais-tu ai-je as-tu sais dis
rappelle
"""
_SPANISH = """
a al algo ante antes aquel aquella asi como con contra cual cuales cuando cuanta cuantas cuanto
cuantos de del desde donde dos e el ella ellas ellos en entre era eran eras eres es esa esas ese
eso esos esta estaba estaban estado estamos estan estar estas este esto estos estoy fue fueron fui
ha habia han has hasta hay he la las le les lo los mas me mi mia mio mis mucho muy nada ni no nos
nosotros nuestra nuestro o os otra otro para pero por porque pues que quien quienes se sea ser si
sido sin sobre son soy su sus suya suyo tambien te tengo ti tiene tu tus un una uno unos y ya yo
puedo puedes dijiste sabes recuerdas
"""
_PORTUGUESE = """
a ao aos aquela aquele as ate com como da das de dela dele depois do dos e ela elas ele eles em
entre era eram es essa esse esta estao estas estava estavam este estes estou eu foi foram fui ha
isso isto ja la lhe lhes lo mais mas me mesmo meu meus mim minha minhas muito na nao nas nem no
nos nossa nosso num numa o onde os ou para pela pelas pelo pelos por porque qual quais quando
quanta quantas quanto quantos que quem se sem ser seu seus sido sou sua suas tambem te tem temos
tenho ter teu teus ti tinha tu tua tuas um uma umas uns vos voce voces posso podes devo sabes
lembras disseste
"""
_ITALIAN = """
a ad agli ai al alla alle allo anche avere aveva avevo c che chi ci come con cosa cui da dagli dai
dal dalla dalle dallo degli dei del della delle dello di dove e ed era erano ero fra fu gli ha hai
hanno ho i il in io l la le lei li lo loro lui ma me mi mia mie miei mio ne negli nei nel nella
nelle nello noi non nostra nostro o per perche piu qual quale quali quando quanta quante quanti
quanto quella quelle quelli quello questa queste questi questo sai se sei si sia sono sta stato su
sua sue sugli sui sul sulla suo suoi te ti tra tu tua tue tuo tuoi un una uno vi voi puoi posso
"""


LANGUAGES = (
    Language(
        _ENGLISH,
        user=r"i|me|my|mine|myself|i'm|i've|i'd|we|our|us",
        assistant=r"you(?:'d|'ve| had| have)?|yours?|our (?:last|previous|earlier) \w+"
        r"|(?:previous|last|earlier) (?:chat|conversation|discussion)",
        when=r"when|how long ago"
        r"|(?:what|which) (?:date|day|month|year|time|season|week|weekend)",
        number=r"how (?:many|much|long|old|often|far|big|tall)"
        r"|(?:number|amount|total|percentage) of",
        latest=r"currently|current|now|nowadays|latest|newest|recent|recently|lately|last time"
        r"|most recent|these days|at the moment|still|updated?",
    ),
    Language(
        _GERMAN,
        user=r"ich|mich|mir|mein\w*|wir|uns|unser\w*",
        assistant=r"du|dir|dich|dein\w*|sie mir|hast du",
        when=r"wann|seit wann|welche[nmrs]? (?:tag|datum|monat|jahr|uhrzeit)|um wie viel uhr",
        number=r"wie ?viele?|wie (?:lange?|oft|alt|gro(?:ß|ss)|weit|hoch|schwer|teuer)",
        latest=r"jetzt|aktuell\w*|derzeit|momentan|mittlerweile|inzwischen|zuletzt|neueste\w*|noch",
    ),
    Language(
        _FRENCH,
        user=r"je|j['’]\w+|me|moi|mon|ma|mes|nous|notre|nos|[\w-]+-je",
        assistant=r"tu|te|toi|ton|ta|tes|vous|votre|vos|[\w-]+-(?:tu|vous)",
        when=r"quand|quel(?:le)? (?:jour|date|mois|année|heure|semaine)",
        number=r"combien|quel âge|quelle taille",
        latest=r"maintenant|actuel\w*|dernièrement|récemment|derni[eè]re?|encore|en ce moment",
    ),
    Language(
        _SPANISH,
        user=r"yo|me|mi|mis|mí|mío\w*|nosotros|nuestr\w+|nos|teng?o|hago|pago|puedo|debo|fui",
        assistant=r"tú|te|ti|tu|tus|usted|recomendaste|dijiste|\w+[aei]ste",
        when=r"cuándo|qué (?:día|fecha|mes|año|hora)|a qué hora",
        number=r"cuánt[oa]s?",
        latest=r"ahora|actual\w*|últim[oa]s?|recientemente|todavía|hoy en día",
    ),
    Language(
        _PORTUGUESE,
        user=r"eu|me|mim|meus?|minhas?|nós|nos|nossas?|nossos?",
        assistant=r"tu|te|ti|teus?|tuas?|você|disseste|indicaste|\w+[aei]ste",
        when=r"quando|que (?:dia|data|mês|ano|horas?)|a que horas",
        number=r"quant[oa]s?",
        latest=r"agora|atual\w*|últim[oa]s?|recentemente|ainda|hoje em dia",
    ),
    Language(
        _ITALIAN,
        user=r"io|mi|me|mio|mia|miei|mie|noi|nostr\w+",
        assistant=r"tu|ti|te|tuo|tua|tuoi|tue",
        when=r"quando|(?:che|quale) (?:giorno|data|mese|anno|ora)|a che ora",
        number=r"quant[oaie]",
        latest=r"adesso|ora|attual\w*|ultim[oaie]|recentemente|ancora",
    ),
)


def language_of(words: frozenset[str]) -> Language:
    """The language of a text: the one that most of its small words are of, in doubt English.

    Args:
        words: As they are indexed.
    """
    return max(LANGUAGES, key=lambda language: len(language.stop & words))
