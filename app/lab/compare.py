"""The same conversation under several policies, side by side (LAB-2)."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from app.lab.replay import Lab, replay
from app.transfer.messages import RecordedMessage

Report = Callable[[str], None]
OUTCOMES = ("kept", "retrievable", "lost")


async def compare(
    file: str,
    messages: Sequence[RecordedMessage],
    lab: Lab,
    policies: Sequence[str],
    report: Report,
) -> dict[str, Any]:
    """Replays a conversation under each policy; the document of `compare --json`.

    Args:
        file: What the recording is called in the document.
        messages: The conversation.
        lab: With what to run it; its policy does not count.
        policies: Their names, in the order in which they are told.
        report: Told which policy is at work.
    """
    runs = []
    for policy in policies:
        report(f"replaying with {policy}")
        config = lab.config.model_copy(update={"policy": policy})
        runs.append(await replay(file, messages, replace(lab, config=config)))
    first = runs[0]
    return {
        "file": file,
        "messages": len(messages),
        "context_window": first["context_window"],
        "counted_by": first["counted_by"],
        "policies": [_policy(run, lab.input_price) for run in runs],
    }


def _policy(run: Mapping[str, Any], price: float | None) -> dict[str, Any]:
    """What one replay comes to.

    Args:
        run: The document of the replay.
        price: US dollars a token of prompt, if known.
    """
    totals = run["totals"]
    requests, tokens = totals["requests"], totals["prompt_tokens"]
    again = tokens - totals["shared_prefix_tokens"]
    return {
        "policy": run["policy"],
        "totals": {
            **totals,
            "share_of_full_history": _share(tokens, totals["full_history_tokens"]),
            "shared_prefix_share": _share(totals["shared_prefix_tokens"], tokens),
            "sent_again_tokens": again,
            "sent_again_per_request": round(again / requests, 1) if requests else 0.0,
        },
        "compactions": run["compactions"],
        "loss": _loss(run["compactions"]),
        "cost": None if price is None else round(price * tokens, 6),
        "evidence_recall": None,
        "requests": [
            {key: row[key] for key in ("message", "prompt_tokens", "full_history_tokens")}
            for row in run["turns"]
            if row["request"]
        ],
    }


def _loss(compactions: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """What all compactions together kept and lost, as far as that was looked into."""
    losses = [entry["loss"] for entry in compactions if entry["loss"] is not None]
    items = sum(loss["items"] for loss in losses)
    counts = {name: sum(loss[name] for loss in losses) for name in OUTCOMES}
    shares = {f"{name}_share": _share(count, items) for name, count in counts.items()}
    return {"reported": len(losses), "items": items, **counts, **shares}


def _share(part: int, whole: int) -> float | None:
    return round(part / whole, 4) if whole else None
