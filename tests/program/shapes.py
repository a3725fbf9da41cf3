"""The forms of contracts.md, to the letter, and a check of documents against them."""

from dataclasses import dataclass
from typing import Any

Shape = Any
"""A type, a set of allowed values, a list of one shape, a dict of shapes, or `Or`."""


@dataclass(frozen=True)
class Or:
    """Any of the shapes; None stands for null."""

    shapes: tuple[Shape, ...]


def maybe(shape: Shape) -> Or:
    """The shape, or null."""
    return Or((shape, None))


NUMBER = Or((int, float))
SPAN = {"from": int, "to": int}
SECTIONS = dict.fromkeys(
    (
        "system",
        "files",
        "tools",
        "long_term",
        "short_term",
        "messages",
        "working",
        "facts",
        "recalled",
    ),
    int,
)
COMPACTION = {
    "id": str,
    "message": int,
    "time": str,
    "trigger": {"count", "tokens", "manual", "overflow"},
    "policy": str,
    "stages": [{"name": {"budget", "snip", "micro", "auto", "reactive"}, "freed": int}],
    "tokens_before": int,
    "tokens_after": int,
    "ratio": NUMBER,
    "duration_s": NUMBER,
    "by": {"model", "rule"},
    "undone": bool,
    "loss": maybe(
        {"items": int, "kept": int, "retrievable": int, "lost": int, "similarity": maybe(NUMBER)}
    ),
}
STATUS = {
    "session": str,
    "agent": str,
    "model": maybe(str),
    "policy": str,
    "messages": int,
    "events": int,
    "context": {
        "window": int,
        "limit": int,
        "used": int,
        "trigger": int,
        "warning": int,
        "counted_by": {"model", "tiktoken", "estimate"},
        "sections": SECTIONS,
    },
    "verbatim": maybe(SPAN),
    "short_term": maybe(
        {**SPAN, "tokens": int, "version": int, "by": {"model", "rule"}, "text": str}
    ),
    "long_term": maybe(
        {**SPAN, "tokens": int, "version": int, "by": {"model", "rule", "carried"}, "text": str}
    ),
    "next_compaction": maybe(
        {
            "trigger": {"count", "tokens"},
            "in_messages": int,
            "in_tokens": int,
            "in_turns": int,
        }
    ),
    "breaker": {
        "state": {"closed", "open"},
        "failures": int,
        "reason": maybe(str),
        "until": maybe(str),
    },
    "compactions": [COMPACTION],
    "caps": {
        "session_tokens": {"used": int, "cap": int, "warning": int},
        "archived_goals_tokens": {"used": int, "cap": int},
    },
    "goals": {
        "active": maybe(str),
        "completed": int,
        "failed": int,
        "tasks": {"ready": int, "running": int, "done": int, "failed": int},
    },
    "execution": {"steps": int, "discovered_context_entries": int, "current_task": maybe(str)},
    "content": {"items": int, "characters": int},
    "facts": {"live": int, "ended": int},
    "tools": {"total_calls": int, "by_tool": dict, "failures": int},
    "summary_cache": {"hits": int, "misses": int},
    "usage": {"input": int, "output": int, "cached": int, "cost": maybe(NUMBER)},
}
REPLAY = {
    "file": str,
    "policy": str,
    "messages": int,
    "context_window": int,
    "turns": [
        {
            "message": int,
            "prompt_tokens": int,
            "full_history_tokens": int,
            "sections": SECTIONS,
            "verbatim": SPAN,
            "short_term": maybe(SPAN),
            "long_term": maybe(SPAN),
            "shared_prefix_tokens": int,
            "receipts": int,
            "compaction": maybe(str),
        }
    ],
    "compactions": [COMPACTION],
    "totals": {
        "requests": int,
        "prompt_tokens": int,
        "full_history_tokens": int,
        "shared_prefix_tokens": int,
        "largest_prompt": int,
        "seconds": NUMBER,
    },
}
SHARE = maybe(NUMBER)
COMPARISON = {
    "file": str,
    "messages": int,
    "context_window": int,
    "policies": [
        {
            "policy": str,
            "totals": {
                **REPLAY["totals"],  # type: ignore[dict-item]
                "share_of_full_history": SHARE,
                "shared_prefix_share": SHARE,
                "sent_again_tokens": int,
                "sent_again_per_request": NUMBER,
            },
            "compactions": [COMPACTION],
            "loss": {
                "reported": int,
                "items": int,
                "kept": int,
                "retrievable": int,
                "lost": int,
                "kept_share": SHARE,
                "retrievable_share": SHARE,
                "lost_share": SHARE,
            },
            "cost": SHARE,
            "evidence_recall": SHARE,
            "requests": [{"message": int, "prompt_tokens": int, "full_history_tokens": int}],
        }
    ],
}
MESSAGE_LINE = {
    "n": int,
    "at": str,
    "kind": {"message"},
    "role": {"system", "user", "assistant", "tool"},
    "content": str,
    "number": int,
    "tokens": int,
}


def conform(document: Any, shape: Shape, path: str = "$") -> None:
    """Fails where a key is missing or a value is of another form; more keys may stand there."""
    if isinstance(shape, Or):
        assert any(_is(document, choice) for choice in shape.shapes), f"{path} is {document!r}"
        for choice in shape.shapes:
            if isinstance(choice, dict) and document is not None:
                conform(document, choice, path)
        return
    assert _is(document, shape), f"{path} is {document!r}"
    if isinstance(shape, dict):
        for key, inner in shape.items():
            assert key in document, f"{path}.{key} is missing"
            conform(document[key], inner, f"{path}.{key}")
    elif isinstance(shape, list):
        for place, item in enumerate(document):
            conform(item, shape[0], f"{path}[{place}]")


def _is(value: Any, shape: Shape) -> bool:
    if shape is None:
        return value is None
    if isinstance(shape, Or):
        return any(_is(value, choice) for choice in shape.shapes)
    if isinstance(shape, set):
        return value in shape
    wanted = shape if isinstance(shape, type) else type(shape)
    return isinstance(value, wanted) and (wanted is bool or not isinstance(value, bool))


def contiguous(row: dict[str, Any], messages: int) -> None:
    """The ranges of a row or a status cover all messages without a gap (I1)."""
    spans = [row[name] for name in ("long_term", "short_term", "verbatim") if row[name]]
    following = 1
    for span in spans:
        assert span["from"] == following <= span["to"], (spans, messages)
        following = span["to"] + 1
    assert following == messages + 1, (spans, messages)
