"""Turns what went wrong at a model's server into one plain sentence and the next step.

A provider's own words are shown only where nothing else would help, and never its JSON or HTML.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from app.backend.errors import FailureKind, ModelFailure
from app.backend.overflow import parse_overflow, says_too_large
from app.backend.symptoms import Symptoms, retry_after

AGAIN = "Send the message again, or choose another model."
KEPT = "What had arrived is kept. Send the message again, or ask the model to go on."
NOTHING_CAME = "nothing came"
"""Detail of a failure before anything of the answer had arrived."""

LATER = "Try again in a moment, or choose another model."
COMPACT = (
    "Compact the conversation with @compact-memories, shorten the message, "
    "or choose a model with a larger window."
)

_STATUS_KINDS: dict[int, FailureKind] = {
    401: "auth",
    402: "quota",
    403: "forbidden",
    404: "not_found",
    408: "timeout",
    413: "too_large",
    429: "rate_limit",
    503: "overloaded",
    529: "overloaded",
}

_REFUSALS = range(400, 500)
_MAYBE_TOO_LARGE = (None, 400, 422, 500)
"""A request that is too large comes under these too; only the words tell."""

_TELLING_NAMES: dict[str, FailureKind] = {
    "ContextWindowExceededError": "too_large",
    "ContentPolicyViolationError": "filtered",
}

# Names of the exceptions of litellm, openai, httpx and aiohttp; the more telling first.
_CONNECTION_NAMES: tuple[tuple[frozenset[str], FailureKind], ...] = (
    (frozenset({"gaierror", "ClientConnectorDNSError"}), "unreachable"),
    (frozenset({"ConnectionRefusedError"}), "refused"),
    (frozenset({"ConnectError", "ClientConnectorError", "SSLError"}), "unreachable"),
    (frozenset({"JSONDecodeError", "ValidationError", "UnicodeDecodeError"}), "malformed"),
    (frozenset({"ReadError", "RemoteProtocolError"}), "cut"),
)

_QUOTA_WORDS = re.compile(
    r"insufficient[_ ](quota|balance|credit)|exceeded your current quota|billing"
)
_NOT_TO_QUOTE = re.compile(r"[{}<>\[\]`]|sk-|key|token|bearer")
_QUOTED_LENGTH = 160


@dataclass(frozen=True)
class Place:
    """Whom a request was sent to, in words.

    Args:
        model: The model's name as the user wrote it.
        who: "the server at HOST", the provider's name, or "the model on this machine".
        key_name: The environment variable that holds the key, or "" where none is needed.
        timeout_s: How long the first byte was waited for, in seconds.
    """

    model: str
    who: str
    key_name: str = ""
    timeout_s: float = 0.0


def kind_of(symptoms: Symptoms) -> FailureKind:
    """Decides what sort of failure the symptoms show."""
    unknown: FailureKind = "internal" if symptoms.status is None else "server"
    return _kind_by_status(symptoms) or _kind_by_connection(symptoms) or unknown


def explain(symptoms: Symptoms, place: Place) -> ModelFailure:
    """Returns the failure that symptoms show, in words for the user."""
    kind = kind_of(symptoms)
    if kind == "too_large":
        limit, sent = parse_overflow(symptoms.message)
        return too_large(place, limit, sent)
    if kind == "bad_request":
        return failure(kind, place, _quotation(symptoms.message))
    told = failure(kind, place, NOTHING_CAME if not symptoms.started else "")
    told.retry_after_s = retry_after(symptoms.headers)
    return told


def failure(kind: FailureKind, place: Place, detail: str = "") -> ModelFailure:
    """Returns a failure of a kind, with its sentence and next step."""
    sentence, next_step, retryable = _TEXTS[kind](place, detail)
    return ModelFailure(
        sentence[0].upper() + sentence[1:], next_step, kind=kind, retryable=retryable
    )


def too_large(place: Place, limit: int | None, sent: int | None) -> ModelFailure:
    """Returns the failure of a request that the model has no room for."""
    figures = ""
    if limit is not None and sent is not None:
        figures = f": it has {sent:,} tokens, and the model takes {limit:,}"
    elif limit is not None:
        figures = f": the model takes {limit:,} tokens"
    return ModelFailure(
        f"The request is too large for {place.model}{figures}.",
        COMPACT,
        kind="too_large",
        limit_tokens=limit,
        sent_tokens=sent,
    )


def _kind_by_status(symptoms: Symptoms) -> FailureKind | None:
    status, names = symptoms.status, symptoms.names
    for name, kind in _TELLING_NAMES.items():
        if name in names:
            return kind
    if symptoms.started:
        return None
    if status in _MAYBE_TOO_LARGE and says_too_large(symptoms.message):
        return "too_large"
    if status is None:
        return None
    if _STATUS_KINDS.get(status) == "rate_limit" and _QUOTA_WORDS.search(symptoms.message.lower()):
        return "quota"
    return _STATUS_KINDS.get(status) or ("bad_request" if status in _REFUSALS else None)


def _kind_by_connection(symptoms: Symptoms) -> FailureKind | None:
    if any("Timeout" in name for name in symptoms.names):
        return "stalled" if symptoms.started else "timeout"
    for names, kind in _CONNECTION_NAMES:
        if symptoms.names & names and (kind == "malformed" or not symptoms.started):
            return kind
    return "cut" if symptoms.started else None


def _quotation(message: str) -> str:
    """Returns the provider's own words where they are one plain line, else nothing."""
    first = message.split(" - ", 1)[-1].split("\n", 1)[0]
    first = first.split(" litellm.", 1)[0].split(" Error code:", 1)[0].strip().rstrip(".")
    plain = first.isprintable() and not _NOT_TO_QUOTE.search(first.lower())
    return first if plain and 0 < len(first) <= _QUOTED_LENGTH else ""


_Text = tuple[str, str, bool]
"""The sentence, the next step, and whether the same request could succeed later."""


def _no_key(place: Place, _detail: str) -> _Text:
    name = place.key_name
    step = f"Set {name} in the environment, or store it with `keyring set strata {name}`."
    return f"there is no key for {place.model}.", step, False


def _auth(place: Place, _detail: str) -> _Text:
    key = f" in {place.key_name}" if place.key_name else ""
    return f"{place.who} refused the key{key}.", "Check the key, or choose another model.", False


def _bad_request(place: Place, detail: str) -> _Text:
    told = f": “{detail}”" if detail else ""
    return (
        f"{place.who} did not accept the request{told}.",
        "Choose another model or setting.",
        False,
    )


def _timeout(place: Place, _detail: str) -> _Text:
    within = f" within {place.timeout_s:.0f} seconds" if place.timeout_s >= 1 else " in time"
    return f"{place.who} did not answer{within}.", LATER, True


def _cut(place: Place, detail: str) -> _Text:
    if detail == NOTHING_CAME:
        return f"{place.who} closed the connection without an answer.", LATER, True
    return f"the answer from {place.who} was cut off.", KEPT, True


def _malformed(place: Place, detail: str) -> _Text:
    what = "something that is not a model's answer" if detail in ("", NOTHING_CAME) else detail
    step = "Check the server's address, send the message again, or choose another model."
    return f"{place.who} sent {what}.", step, False


def _simple(sentence: str, next_step: str, *, retryable: bool = False) -> Callable[..., _Text]:
    def text(place: Place, detail: str) -> _Text:
        return (
            sentence.format(who=place.who, model=place.model, detail=detail),
            next_step,
            retryable,
        )

    return text


_TEXTS: dict[FailureKind, Callable[[Place, str], _Text]] = {
    "no_key": _no_key,
    "auth": _auth,
    "bad_request": _bad_request,
    "timeout": _timeout,
    "malformed": _malformed,
    "forbidden": _simple(
        "{who} does not let this key use {model}.",
        "Check the account's permissions there, or choose another model.",
    ),
    "not_found": _simple(
        "{who} has no model called {model}.", "Check the model's name and the server's address."
    ),
    "unknown_model": _simple(
        "Strata knows no model called {model}.",
        "Write it as litellm does, for example openai/gpt-4o, or use `light` or `default`.",
    ),
    "rate_limit": _simple("{who} says that there were too many requests.", LATER, retryable=True),
    "quota": _simple(
        "the account with {who} has no credit left.",
        "Add credit there, or choose another model.",
    ),
    "server": _simple("{who} had an internal error.", LATER, retryable=True),
    "overloaded": _simple("{who} is overloaded.", LATER, retryable=True),
    "refused": _simple(
        "{who} does not answer: nothing listens there.",
        "Check that the server runs and that its address is right.",
        retryable=True,
    ),
    "unreachable": _simple(
        "{who} could not be reached.",
        "Check the network connection and the server's address.",
        retryable=True,
    ),
    "stalled": _simple("the answer from {who} stopped coming.", KEPT, retryable=True),
    "cut": _cut,
    "empty": _simple("the model {model} answered with nothing{detail}.", AGAIN, retryable=True),
    "filtered": _simple(
        "{who} withheld the answer because of its content rules.", "Put the message differently."
    ),
    "internal": _simple(
        "something went wrong inside Strata while talking to {who}.",
        "Send the message again; backend.log says more.",
        retryable=True,
    ),
}
