"""Failures of the backend, told in plain words."""

from __future__ import annotations

from typing import Any, Literal

from memory.errors import StrataError


class ProtocolError(StrataError):
    """The other side sent something that is no frame."""


FailureKind = Literal[
    "auth",
    "forbidden",
    "not_found",
    "rate_limit",
    "quota",
    "server",
    "overloaded",
    "too_large",
    "bad_request",
    "refused",
    "unreachable",
    "timeout",
    "stalled",
    "cut",
    "malformed",
    "empty",
    "filtered",
    "no_key",
    "unknown_model",
    "local_model",
    "backend_crashed",
    "index",
    "internal",
]


class ModelFailure(StrataError):
    """A request to a model failed; the text is plain words and the next step.

    Args:
        sentence: What happened.
        next_step: What the user can do.
        kind: What sort of failure it is.
        retryable: Whether sending the same request again could help.
        limit_tokens: The provider's limit, where a refusal as too large named it.
        sent_tokens: The tokens that the provider counted in a request refused as too large.
        retry_after_s: Seconds that the provider asked to wait.
    """

    def __init__(
        self,
        sentence: str,
        next_step: str = "",
        *,
        kind: FailureKind,
        retryable: bool = False,
        limit_tokens: int | None = None,
        sent_tokens: int | None = None,
        retry_after_s: float | None = None,
    ) -> None:
        super().__init__(sentence, next_step)
        self.kind: FailureKind = kind
        self.retryable = retryable
        self.limit_tokens = limit_tokens
        self.sent_tokens = sent_tokens
        self.retry_after_s = retry_after_s

    def to_json(self) -> dict[str, Any]:
        """Returns the failure as the last event of a request."""
        return {
            "event": "error",
            "sentence": self.sentence,
            "next_step": self.next_step,
            "kind": self.kind,
            "retryable": self.retryable,
            "limit_tokens": self.limit_tokens,
            "sent_tokens": self.sent_tokens,
            "retry_after_s": self.retry_after_s,
        }

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> ModelFailure:
        """Reads what `to_json` wrote."""
        values = {key: value for key, value in data.items() if key not in ("event", "id")}
        return cls(values.pop("sentence"), values.pop("next_step"), **values)
