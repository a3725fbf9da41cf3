"""Which of the known facts a new one may repeat or contradict. Pure."""

from collections import defaultdict
from collections.abc import Mapping
from math import log

from memory.facts.claims import claim_of
from memory.facts.folding import Fact
from memory.facts.kinds import kinds_of

MOST = 24
"""Known facts that a new one is compared with: of more, those that share the rarest words."""


class Rivals:
    """Finds facts by shared words, in a time that depends on how many have them."""

    def __init__(self) -> None:
        self._words: dict[str, frozenset[str]] = {}
        self._having: dict[str, set[str]] = {}
        self._facts: Mapping[str, Fact] = {}

    def follow(self, facts: Mapping[str, Fact], texts: Mapping[str, str]) -> None:
        """Lets those facts be found that hold now, by what they say now."""
        held, self._facts = self._facts, facts
        for id, fact in facts.items():
            if held.get(id) is not fact:
                self.drop(id)
                if fact.live and fact.body in texts:
                    self.put(id, texts[fact.body])
        for id in held.keys() - facts.keys():
            self.drop(id)

    def put(self, id: str, text: str) -> None:
        """Lets a fact be found by what it says now."""
        self.drop(id)
        words = _keys(text)
        self._words[id] = words
        for word in words:
            self._having.setdefault(word, set()).add(id)

    def drop(self, id: str) -> None:
        """Lets a fact no longer be found."""
        for word in self._words.pop(id, ()):
            self._having[word].discard(id)
            if not self._having[word]:
                del self._having[word]

    def of(self, text: str, most: int = MOST) -> list[str]:
        """The facts that share the most telling words with a text, likeliest first."""
        scores: defaultdict[str, float] = defaultdict(float)
        for word in _keys(text):
            having = self._having.get(word, ())
            weight = log(1 + len(self._words) / (1 + len(having)))
            for id in having:
                scores[id] += weight
        return [id for id, _ in sorted(scores.items(), key=lambda pair: (-pair[1], pair[0]))[:most]]


def _keys(text: str) -> frozenset[str]:
    """The words by which a fact is found, and of what it tells the value.

    "The user lives in Rome" and "I have moved to Bari" share no word.
    """
    claim = claim_of(text)
    told = {f"{name} of" for name in claim.attributes}
    kinds = {f"kind {kind}" for kind in kinds_of(claim)}
    return claim.words | claim.numbers | told | kinds
