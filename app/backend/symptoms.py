"""What is known about a request that failed, read from the exception that came out of it.

litellm wraps the errors of its libraries in its own, some under a wrong status (a refused
connection is a 500): so the whole chain of causes is looked at. Everything is read by name and
attribute: this module imports none of those libraries.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from typing import Any

LONGEST_CHAIN = 20


@dataclass(frozen=True)
class Symptoms:
    """One failed attempt.

    Args:
        names: Class names of the exception and of all its causes.
        status: The HTTP status, where the server gave one.
        message: All that the exceptions say; may hold a provider's JSON and even keys.
        headers: The answer's headers, names in lower case.
        started: Whether something of the answer had arrived.
    """

    names: frozenset[str] = frozenset()
    status: int | None = None
    message: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    started: bool = False


def symptoms_of(error: BaseException, *, started: bool) -> Symptoms:
    """Reads the symptoms from an exception and its causes."""
    chain = list(_chain(error))
    return Symptoms(
        names=frozenset(type(link).__name__ for link in chain),
        status=_status(chain),
        message=" ".join(str(link) for link in chain),
        headers=_headers(chain),
        started=started,
    )


def retry_after(headers: Mapping[str, str], now: float | None = None) -> float | None:
    """Returns the seconds that a `Retry-After` header asks to wait, or None.

    Args:
        headers: The answer's headers, names in lower case.
        now: Seconds since the epoch; the present when None. Only dates need it.
    """
    if "retry-after-ms" in headers:
        milliseconds = _positive(headers["retry-after-ms"])
        return None if milliseconds is None else milliseconds / 1000
    value = headers.get("retry-after", "")
    seconds = _positive(value)
    if seconds is not None:
        return seconds
    try:
        moment = parsedate_to_datetime(value)
    except ValueError:
        return None
    return max(0.0, moment.timestamp() - (time.time() if now is None else now))


def _positive(value: str) -> float | None:
    try:
        number = float(value)
    except ValueError:
        return None
    return number if number >= 0 and math.isfinite(number) else None


def _chain(error: BaseException) -> Iterator[BaseException]:
    """Yields an exception and everything that led to it, the outermost first."""
    waiting: list[Any] = [error]
    seen: list[BaseException] = []
    while waiting and len(seen) < LONGEST_CHAIN:
        link = waiting.pop(0)
        if not isinstance(link, BaseException) or any(link is other for other in seen):
            continue
        seen.append(link)
        yield link
        waiting += [link.__cause__, link.__context__, getattr(link, "original_exception", None)]


def _status(chain: list[BaseException]) -> int | None:
    """Returns the status that a server gave.

    Only an exception that holds an answer, or the library's own status errors, tell a real one:
    litellm gives 500 to whatever it does not know.
    """
    for link in chain:
        code = getattr(getattr(link, "response", None), "status_code", None)
        if type(link).__name__ == "HTTPStatusError" and isinstance(code, int):
            return code
    for link in chain:
        code = getattr(link, "status_code", None)
        if isinstance(code, int) and not (code == 500 and _is_wrapper(link)):  # noqa: PLR2004
            return code
    return None


def _is_wrapper(link: BaseException) -> bool:
    return type(link).__name__ in {"MidStreamFallbackError", "APIConnectionError"}


def _headers(chain: list[BaseException]) -> dict[str, str]:
    for link in chain:
        response = getattr(link, "response", None)
        for source in (
            getattr(link, "litellm_response_headers", None),
            getattr(response, "headers", None),
            getattr(link, "headers", None),
        ):
            if isinstance(source, Mapping) and source:
                return {str(key).lower(): str(value) for key, value in source.items()}
    return {}
