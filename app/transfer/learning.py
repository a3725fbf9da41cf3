"""Takes over the facts that were learned in a session of another Strata."""

from collections.abc import Sequence

from app.transfer.fields import moment
from app.transfer.own import KeptFact
from memory.clock import utc_now
from memory.fact_keeping import FactKeeping
from memory.fact_reading import FactError


async def learn(facts: FactKeeping, kept: Sequence[KeptFact]) -> list[str]:
    """Remembers facts as if they had just been told; what is known is confirmed.

    Returns:
        Why some could not be kept.

    Raises:
        ReadOnly, StorageError: The database refused; facts before stay.
    """
    from memory.facts.learning import Candidate  # rarely needed

    problems: list[str] = []
    for fact in kept:
        begun = moment(fact.valid_from) or utc_now()
        candidate = Candidate(fact.text.strip(), begun, fact.importance, "user")
        try:
            (outcome,) = await facts.learn([candidate])
            if fact.pinned:
                await facts.pin(outcome.id)
        except FactError as error:
            problems.append(str(error))
    return problems
