"""Tool exchanges: a message with calls and all its results, and which a later one supersedes."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from memory.compaction.phatic import is_acknowledgement, is_announcement
from memory.compaction.scope import Standing

LONGEST_FAILURE = 2_000
"""Characters of a failed result above which it says more than that something failed."""
LOOKED_AT = 300
"""Characters at either end of a result in which a failure shows."""
_FAILED_START = re.compile(
    r"\s*(?:\[?(?:error|fatal|failed|failure|exception|panic)\s*[:\](]"
    r"|(?:\w+\.)*\w*(?:Error|Exception)\s*:|Traceback \(most recent|<error>"
    r"|(?:error|failed)\s*$"
    r"|\{\s*\"error\"\s*:(?!\s*(?:null|false|\"\")))",
    re.IGNORECASE,
)
ALIKE = 0.5
"""Part of the words of two calls above which the later one tries the same again."""
_KEY = re.compile(r'"[^"\\]*":')
_PARTING = re.compile(r'[\s"{}\[\],;=]+')
_EXITED = re.compile(r"\bexit(?:ed with)?(?: code| status)?[:= ]+-?[1-9]")
_FAILED_WITHIN = ("command not found", "no such file or directory", "permission denied")


@dataclass(frozen=True, slots=True)
class Answered:
    """One call of an exchange with its result."""

    key: tuple[str, str]
    """Tool and arguments."""
    number: int
    """The message with the result."""
    failed: bool
    short: bool
    """Whether the result is short enough to be a failure and nothing else."""


@dataclass(frozen=True, slots=True)
class Exchange:
    """A message with tool calls and every result of them."""

    indices: tuple[int, ...]
    answered: tuple[Answered, ...]
    silent: bool
    """Whether the message that calls says nothing else."""
    after_user: int
    """Index of the newest user message before it; -1 where there is none."""


def exchanges(standing: Sequence[Standing]) -> list[Exchange]:
    """The complete exchanges that stand, oldest first.

    Call ids may be used again: a result belongs to the newest call of its id.
    """
    results: dict[int, dict[str, list[int]]] = {}
    called: dict[str, int] = {}
    users: dict[int, int] = {}
    user = -1
    for index, entry in enumerate(standing):
        if entry.ref.role == "tool":
            answers = entry.ref.answers or ""
            if answers in called:
                results[called[answers]].setdefault(answers, []).append(index)
        elif entry.ref.role == "user":
            user = index
        if entry.ref.call_ids:
            results[index], users[index] = {}, user
            called.update(dict.fromkeys(entry.ref.call_ids, index))
    found = (_exchange(standing, index, results[index], users[index]) for index in results)
    return [exchange for exchange in found if exchange is not None]


def superseded(standing: Sequence[Standing]) -> Iterator[tuple[Exchange, str]]:
    """The exchanges of which a later one tells more, newest first, each with the reason."""
    later: dict[tuple[str, str], Answered] = {}
    stands_for: dict[int, Answered] = {}
    following: Exchange | None = None
    for exchange in reversed(exchanges(standing)):
        newer = _superseding(exchange, later) or _retried(exchange, following, stands_for)
        if newer is not None and exchange.silent:
            newer = stands_for.get(newer.number, newer)
            stands_for.update((answered.number, newer) for answered in exchange.answered)
            yield exchange, f"superseded by message {newer.number}"
        for answered in exchange.answered:
            newest = later.get(answered.key)
            if newest is None or (newest.failed and not answered.failed):
                later[answered.key] = answered
        following = exchange


def looks_failed(result: str) -> bool:
    """Whether a tool's result says that the call failed."""
    if _FAILED_START.match(result[:LOOKED_AT]):
        return True
    if len(result) > LONGEST_FAILURE:
        return False
    ends = f"{result[:LOOKED_AT]}\n{result[-LOOKED_AT:]}".lower()
    if any(sign in ends for sign in _FAILED_WITHIN):
        return True
    return "exit" in ends and _EXITED.search(ends) is not None


def _exchange(
    standing: Sequence[Standing], index: int, results: Mapping[str, list[int]], user: int
) -> Exchange | None:
    """The exchange of a message with calls, if it is complete and nothing of it is left out."""
    entry = standing[index]
    ids = {call.id for call in entry.calls}
    indices = (index, *sorted(place for places in results.values() for place in places))
    if len(ids) != len(entry.ref.call_ids) or ids != set(results):
        return None
    if any(standing[place].left_out for place in indices):
        return None
    answered = tuple(
        _answered((call.name, call.arguments), standing[results[call.id][-1]])
        for call in entry.calls
    )
    silent = is_announcement(entry.text) or is_acknowledgement(entry.text, "assistant")
    return Exchange(indices, answered, silent, user)


def _answered(key: tuple[str, str], result: Standing) -> Answered:
    text = result.text
    return Answered(key, result.ref.number, looks_failed(text), len(text) <= LONGEST_FAILURE)


def _superseding(exchange: Exchange, later: Mapping[tuple[str, str], Answered]) -> Answered | None:
    """The newest result of the same calls; a failure stands for no success."""
    found: list[Answered] = []
    for answered in exchange.answered:
        newest = later.get(answered.key)
        if newest is None or (newest.failed and not answered.failed):
            return None
        found.append(newest)
    return max(found, key=lambda answered: answered.number)


def _retried(
    exchange: Exchange, following: Exchange | None, stands_for: Mapping[int, Answered]
) -> Answered | None:
    """The success of the same tool, called anew right after a failure, perhaps several times."""
    if following is None or following.after_user != exchange.after_user:
        return None
    (first, *more), (second, *others) = exchange.answered, following.answered
    if more or others or not (first.failed and first.short):
        return None
    if first.key[0] != second.key[0] or not _is_retry(first.key[1], second.key[1]):
        return None
    success = stands_for.get(second.number, second) if second.failed else second
    return None if success.failed else success


def _is_retry(failed: str, again: str) -> bool:
    """Whether arguments are much the same: another folder or option, but not another thing."""
    one, other = _argument_words(failed), _argument_words(again)
    return len(one & other) > ALIKE * len(one | other)


def _argument_words(arguments: str) -> set[str]:
    """The words of canonical JSON's values; of a path its last part, which names the thing."""
    words = _PARTING.split(_KEY.sub(" ", arguments[:LONGEST_FAILURE]))
    return {word.rstrip("/").rsplit("/", 1)[-1] for word in words if word}
