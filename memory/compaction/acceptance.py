"""What may become a summary (COMPACT-12)."""

import re
from itertools import pairwise

ERROR_START = re.compile(
    r"\s*(?:\[?(?:error|exception|traceback|fatal|warning)\b\s*[:\]]"
    r"|(?:litellm|openai|anthropic)\.\w+"
    r"|(?:rate limit|quota|service unavailable|bad gateway|internal server error|unauthorized"
    r"|connection (?:refused|error|reset)|request timed out|http (?:error )?[45]\d\d)\b"
    r"|[45]\d\d (?:bad|unauthorized|forbidden|not found|too many|internal|service|gateway)\b"
    r"|<(?:!doctype|html)\b"
    r"|\{\s*\"error\")",
    re.IGNORECASE,
)
REFUSAL_START = re.compile(
    r"\s*(?:i(?:'|\u2019)?m sorry|i am sorry|sorry,|i can(?:'|\u2019)?t|i cannot|as an ai|"
    r"i(?:'|\u2019)?m unable|i am unable)",
    re.IGNORECASE,
)
TOOL_CALL = re.compile(
    r"\s*(?:```(?:json)?\s*)?[{\[][^{}]*\"(?:name|function|tool)\"\s*:.*\"(?:arguments|parameters)\"|\s*<tool_call>",
    re.DOTALL,
)
ROOM_SLACK = 2
"""The model that writes may count half as many tokens as the model that reads."""
LABEL = re.compile(r"^\s*(?:\**#*\s*)?(?:SUMMARY|Summary)\**\s*:\s*\**\s*")
SENTENCE_END = re.compile(r"(?<=[.!?。！？])[\"'”’)]*\s+")


def tidy(text: str, *, sentences: int, cut_off: bool) -> str:
    """The answer without label, in at most so many sentences; nothing it says is dropped for that.

    Surplus sentences are joined by semicolons. One that was cut off loses its last, broken part.

    Args:
        text: The model's answer.
        sentences: How many sentences at most.
        cut_off: Whether the answer ended in mid-sentence, at the token limit.
    """
    text = LABEL.sub("", text.replace("</conversation>", "")).strip()
    parts = [part.strip() for part in SENTENCE_END.split(text) if part.strip()]
    if cut_off and len(parts) > 1:
        parts = parts[:-1]
    return " ".join(map(_one_sentence, _groups(parts, sentences)))


def why_refused(text: str) -> str | None:
    """Why a tidied answer is no summary, or None where it is one."""
    if TOOL_CALL.match(text):
        return "the model called a tool"
    if not any(character.isalnum() for character in text):
        return "the model answered nothing"
    if ERROR_START.match(text):
        return "the model answered with an error text"
    if REFUSAL_START.match(text):
        return "the model refused"
    return None


def why_too_long(tokens: int, room: int) -> str | None:
    """Why a summary of so many tokens is too long for its room, or None where it is not."""
    return "the summary was too long" if tokens > ROOM_SLACK * room else None


def _groups(parts: list[str], most: int) -> list[list[str]]:
    """The parts in at most so many runs of nearly equal length, in their order."""
    count = min(most, len(parts))
    bounds = [place * len(parts) // count for place in range(count + 1)] if count else []
    return [parts[start:end] for start, end in pairwise(bounds)]


def _one_sentence(parts: list[str]) -> str:
    return "; ".join([*(part.rstrip(".。") for part in parts[:-1]), parts[-1]])
