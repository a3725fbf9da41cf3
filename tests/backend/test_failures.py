"""ALL-2, COMPACT-5: failures are sorted, told in plain words, and retried where it helps."""

import pytest

from app.backend.errors import FailureKind, ModelFailure
from app.backend.failures import Place, explain, failure, kind_of
from app.backend.overflow import parse_overflow, says_too_large
from app.backend.retry import MOST_RETRIES, wait_before_retry
from app.backend.symptoms import Symptoms, retry_after, symptoms_of

PLACE = Place("openai/x", "the server at localhost:1", "OPENAI_API_KEY", 30.0)


@pytest.mark.parametrize(
    ("message", "limit", "sent"),
    [
        (
            (
                "This model's maximum context length is 8192 tokens. However, your messages "
                "resulted in 9731 tokens."
            ),
            8192,
            9731,
        ),
        (
            (
                "This model's maximum context length is 4096 tokens. However, you requested 4612 "
                "tokens (4100 in the messages, 512 in the completion)."
            ),
            4096,
            4612,
        ),
        ("prompt is too long: 215000 tokens > 200000 maximum", 200000, 215000),
        (
            (
                "The input token count (1200000) exceeds the maximum number of tokens allowed "
                "(1048576)."
            ),
            1048576,
            1200000,
        ),
        (
            (
                "request (9731 tokens) exceeds the available context size (8192 tokens), try "
                "increasing it"
            ),
            8192,
            9731,
        ),
        (
            (
                "This model's maximum prompt length is 131,072 but the request contains 537,812 "
                "tokens."
            ),
            131072,
            537812,
        ),
        ("maximum context length is 2048", 2048, None),
        ("Input is too long for requested model.", None, None),
    ],
)
def test_the_numbers_of_a_refusal_are_read(
    message: str, limit: int | None, sent: int | None
) -> None:
    """COMPACT-5: the provider's numbers are parsed where it gives them."""
    assert says_too_large(message)
    assert parse_overflow(message) == (limit, sent)


@pytest.mark.parametrize("message", ["temperature must be below 2", "model is not loaded", ""])
def test_other_refusals_are_no_overflow(message: str) -> None:
    """COMPACT-5: only a real refusal as too large leads to compaction."""
    assert not says_too_large(message)


@pytest.mark.parametrize(
    ("symptoms", "kind"),
    [
        (Symptoms(status=401), "auth"),
        (Symptoms(status=402), "quota"),
        (Symptoms(status=403), "forbidden"),
        (Symptoms(status=404), "not_found"),
        (Symptoms(status=413), "too_large"),
        (Symptoms(status=400), "bad_request"),
        (Symptoms(status=400, message="prompt is too long"), "too_large"),
        (Symptoms(status=429), "rate_limit"),
        (Symptoms(status=429, message="insufficient_quota"), "quota"),
        (Symptoms(status=500), "server"),
        (Symptoms(status=503), "overloaded"),
        (Symptoms(names=frozenset({"ConnectError", "ConnectionRefusedError"})), "refused"),
        (Symptoms(names=frozenset({"ConnectError", "gaierror"})), "unreachable"),
        (Symptoms(names=frozenset({"ReadTimeout"})), "timeout"),
        (Symptoms(names=frozenset({"ReadTimeout"}), started=True), "stalled"),
        (Symptoms(names=frozenset({"ReadError"}), started=True), "cut"),
        (Symptoms(names=frozenset({"JSONDecodeError"}), started=True), "malformed"),
        (Symptoms(names=frozenset({"AttributeError"})), "internal"),
    ],
)
def test_symptoms_are_sorted(symptoms: Symptoms, kind: FailureKind) -> None:
    """ALL-2: each failure is known for what it is."""
    assert kind_of(symptoms) == kind


def test_the_whole_chain_of_causes_is_looked_at() -> None:
    """ALL-2: a refused connection that a library calls a server error is still known."""
    inner = ConnectionRefusedError(111, "refused")
    outer = RuntimeError("InternalServerError")
    outer.__cause__ = ValueError("wrapped")
    outer.__cause__.__context__ = inner
    assert "ConnectionRefusedError" in symptoms_of(outer, started=False).names


def test_a_chain_that_bites_its_tail_ends() -> None:
    """ALL-2: reading the symptoms always ends."""
    one, two = ValueError("1"), ValueError("2")
    one.__context__, two.__context__ = two, one
    assert symptoms_of(one, started=False).names == {"ValueError"}


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after": "7"}, 7.0),
        ({"retry-after": "1.5"}, 1.5),
        ({"retry-after-ms": "250", "retry-after": "9"}, 0.25),
        ({"retry-after": "Thu, 01 Jan 1970 00:01:40 GMT"}, 60.0),
        ({"retry-after": "Thu, 01 Jan 1970 00:00:10 GMT"}, 0.0),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "-3"}, None),
        ({"retry-after": "nan"}, None),
        ({}, None),
    ],
)
def test_the_asked_wait_is_read(headers: dict[str, str], seconds: float | None) -> None:
    """ALL-2: `Retry-After` in all its forms."""
    assert retry_after(headers, now=40.0) == seconds


def test_a_provider_s_json_is_never_shown() -> None:
    """ALL-2: plain words, no JSON, no markup, no key."""
    for words in ('{"error": 1}', "<html>no</html>", "Bad key sk-abc", "a\nb{"):
        told = str(explain(Symptoms(status=400, message=f"X - {words}"), PLACE))
        assert not set("{}<>\n") & set(told)
        assert "sk-abc" not in told


def test_a_provider_s_plain_sentence_is_quoted() -> None:
    """ALL-2: what only the provider knows is passed on."""
    told = explain(Symptoms(status=400, message="X - temperature must be below 2"), PLACE)
    assert "“temperature must be below 2”" in str(told)


@pytest.mark.parametrize("kind", ["rate_limit", "overloaded", "server", "timeout", "refused"])
def test_passing_failures_are_tried_again_a_few_times(kind: FailureKind) -> None:
    """ALL-2: bounded retries with growing waits."""
    told = failure(kind, PLACE)
    waits = [wait_before_retry(told, n, 0.0, max_retries=9) for n in range(1, 9)]
    given = [wait for wait in waits if wait is not None]
    assert len(given) == MOST_RETRIES[kind]
    assert given == sorted(given)
    assert waits[len(given) :] == [None] * (8 - len(given))


@pytest.mark.parametrize(
    "kind",
    ["auth", "forbidden", "not_found", "quota", "too_large", "bad_request", "malformed", "stalled"],
)
def test_lasting_failures_are_not_tried_again(kind: FailureKind) -> None:
    """ALL-2: nothing is sent again that cannot succeed."""
    told = ModelFailure("No.", kind=kind, retryable=True)
    assert wait_before_retry(told, 1, 0.0, max_retries=9) is None


def test_the_asked_wait_is_honoured_unless_it_is_too_long() -> None:
    """ALL-2: a minute at most is waited; after that the user decides."""
    told = failure("rate_limit", PLACE)
    told.retry_after_s = 7.0
    assert wait_before_retry(told, 1, 1.0, max_retries=3) == 7.0
    told.retry_after_s = 3600.0
    assert wait_before_retry(told, 1, 1.0, max_retries=3) is None


def test_the_caller_can_forbid_retries() -> None:
    """ALL-2: the caller's cap holds."""
    assert wait_before_retry(failure("server", PLACE), 1, 0.0, max_retries=0) is None
