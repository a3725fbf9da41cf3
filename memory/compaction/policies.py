"""How old messages are folded: the policies, each data with at most one small function (COMPACT-8).

A policy says when it wants to fold beyond the token trigger, which holds for all of them, how many
of the newest messages stay, and what kind of summary stands for the rest.
"""

from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import entry_points
from itertools import accumulate
from typing import Literal

from memory.errors import StrataError
from memory.parts import Thresholds, Trigger
from memory.policy_names import GROUP, unknown

HALF = 0.5
"""Share of the trigger under which a folding on tokens brings the prompt (COMPACT-10)."""
NEVER = 2**62
"""A message number that no session reaches."""


@dataclass(frozen=True, slots=True)
class Situation:
    """What a policy sees when it decides."""

    messages: int
    """Messages of the session."""
    window: tuple[int, ...]
    """Tokens of each message that no summary covers, oldest first; 0 for what may not be folded."""
    last_folded: int
    """Newest message when messages were folded last; 0 before the first time."""
    fixed: int
    """Tokens of the prompt beside those messages, with summaries at their longest."""
    trigger: int
    """Tokens at which compaction begins."""
    thresholds: Thresholds

    @property
    def conversation(self) -> int:
        """Tokens of the messages that no summary covers."""
        return sum(self.window)


Keeps = Callable[[Situation, Trigger], int]
NextFolding = Callable[[Situation], int]


@dataclass(frozen=True, slots=True)
class Policy:
    """A strategy of folding.

    Args:
        name: What it is called in the configuration.
        keeps: How many of the newest messages stay verbatim.
        next_folding: The message number at which it folds by count, whatever the tokens.
        conversation_tokens: Tokens of verbatim messages beyond which it folds.
        warning_tokens: Tokens of verbatim messages at which the gauge warns.
        summaries: Two, short-term and long-term; or one running summary.
        writes: `model` asks the model first; `rule` never does.
        appends: The new part is added to the running summary, which is not written anew.
        summary_tokens: Longest summary; None for what the configuration says.
        acts: Whether it ever compacts by itself.
        says: What it does, in a few words for the user.
    """

    name: str
    keeps: Keeps
    next_folding: NextFolding = lambda situation: NEVER
    conversation_tokens: int | None = None
    warning_tokens: int | None = None
    summaries: Literal["two", "one"] = "one"
    writes: Literal["model", "rule"] = "model"
    appends: bool = False
    summary_tokens: int | None = None
    acts: bool = True
    says: str = ""


class BrokenPolicy(StrataError):
    """A policy that a package brings can't be used."""

    def __init__(self, name: str, why: str) -> None:
        super().__init__(
            f"The policy {name!r} can't be used: {why}.",
            "Choose another one, or mend the package that brings it.",
        )


class UnknownPolicy(BrokenPolicy):
    """There is no policy of a name."""

    def __init__(self, name: str) -> None:
        StrataError.__init__(self, *unknown(name))


def largest_that_fits(situation: Situation, least: int) -> int:
    """How many of the newest messages, at least so many, may stay under half the trigger."""
    goal = HALF * situation.trigger
    rest = [0, *accumulate(reversed(situation.window))]
    fitting = [n for n, tokens in enumerate(rest) if situation.fixed + tokens < goal]
    return max(fitting[-1] if fitting else 0, least)


def _cascade(situation: Situation, trigger: Trigger) -> int:
    rules = situation.thresholds
    if trigger in ("count", "manual"):
        return rules.immediate_window
    return largest_that_fits(situation, min(rules.keep_recent, rules.immediate_window))


def _next_cascade(situation: Situation) -> int:
    rules = situation.thresholds
    first = rules.immediate_window + rules.recent_window + 1
    return max(first, situation.last_folded + rules.recent_window)


ROLLING_MOST, ROLLING_KEPT, ROLLING_TOKENS = 50, 30, 100_000
"""Over so many messages all but so many are folded; over so many tokens the oldest half (S1)."""
ROLLING_SUMMARY = 2_000
"""Tokens of the running summary beyond which its weightiest bullets stay; S1 lets it grow."""


def _rolling(situation: Situation, trigger: Trigger) -> int:
    return -(-len(situation.window) // 2) if trigger == "tokens" else ROLLING_KEPT


def _next_rolling(situation: Situation) -> int:
    return situation.messages - len(situation.window) + ROLLING_MOST + 1


BUFFER_KEPT, BUFFER_TOKENS, BUFFER_WARNING, BUFFER_SUMMARY = 10, 4_000, 3_000, 2_000
"""Messages that stay; tokens that fold, and warn; longest summary (S2)."""

_BUILT_IN = (
    Policy(
        "cascade",
        _cascade,
        _next_cascade,
        summaries="two",
        says="what leaves the window becomes a short-term summary, and that a long-term one",
    ),
    Policy(
        "rolling",
        _rolling,
        _next_rolling,
        conversation_tokens=ROLLING_TOKENS,
        writes="rule",
        appends=True,
        summary_tokens=ROLLING_SUMMARY,
        says=f"over {ROLLING_MOST} messages all but {ROLLING_KEPT} join one list, by rule",
    ),
    Policy(
        "buffer",
        lambda situation, trigger: BUFFER_KEPT,
        conversation_tokens=BUFFER_TOKENS,
        warning_tokens=BUFFER_WARNING,
        summary_tokens=BUFFER_SUMMARY,
        says=f"over {BUFFER_TOKENS:,} tokens all but {BUFFER_KEPT} messages join one summary",
    ),
    Policy(
        "window",
        lambda situation, trigger: situation.thresholds.keep_recent,
        says="when tokens get short all but the newest messages join one summary",
    ),
    Policy(
        "none",
        _cascade,
        summaries="two",
        acts=False,
        says="nothing is compacted; what does not fit is left out",
    ),
)
_BY_NAME = {policy.name: policy for policy in _BUILT_IN}


def find(name: str) -> Policy:
    """The policy of a name.

    Raises:
        UnknownPolicy: There is none.
        BrokenPolicy: The package that brings it does not give a `Policy`.
    """
    return _BY_NAME.get(name) or _brought(name)


def _brought(name: str) -> Policy:
    for entry in entry_points(group=GROUP, name=name):
        try:
            policy = entry.load()
        except Exception as error:
            raise BrokenPolicy(name, f"it fails to load ({type(error).__name__})") from error
        if not isinstance(policy, Policy):
            raise BrokenPolicy(name, "its entry point names no Policy")
        return _BY_NAME.setdefault(name, policy)
    raise UnknownPolicy(name)
