"""Kinds of failures, which are names for counting, in the words of people. Pure."""

import re
from collections.abc import Mapping

from widgets.plain import one_line

WORDS = {
    "AgentError": "no such agent",
    "ExitCode": "ended with an error",
    "IsAFolder": "a folder, not a file",
    "NoHelper": "no helper",
    "NoHelpers": "no helpers here",
    "NoPath": "not a path",
    "NotAFile": "not a file",
    "NotAFolder": "not a folder",
    "NotAllowed": "not allowed",
    "OutsideWorkspace": "outside the workspace",
    "PastTheEnd": "past the end of the file",
    "ServerGone": "the server is gone",
    "StorageError": "could not be kept",
    "TimeLimit": "took too long",
    "TimedOut": "took too long",
    "Timeout": "took too long",
    "ToolFailed": "the tool says so",
    "ToolFault": "a fault of the tool",
    "UnsupportedContent": "not a kind of page that can be read",
    "WorkError": "not possible",
}
"""Kinds whose names, taken apart, would say too little."""
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9]*")
_PARTS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z0-9]+")


def failure_words(kind: str) -> str:
    """A kind of failure as a person reads it: `FileNotFound` is "file not found".

    Args:
        kind: As it is stored; what is no name stays as it is, on one line.
    """
    kind = one_line(kind)
    if kind in WORDS:
        return WORDS[kind]
    if not _NAME.fullmatch(kind):
        return kind
    parts = _PARTS.findall(kind)
    return " ".join(part if part.isupper() and len(part) > 1 else part.lower() for part in parts)


def failures_in_words(numbers: Mapping[str, int]) -> dict[str, int]:
    """How often each kind was; kinds that are called the same are one."""
    told: dict[str, int] = {}
    for kind, number in numbers.items():
        words = failure_words(kind)
        told[words] = told.get(words, 0) + number
    return told


def pattern_words(pattern: str) -> str:
    """A tool and how it failed, `read_file: NotText`, as a person reads it."""
    tool, found, kind = one_line(pattern).rpartition(": ")
    return f"{tool}{found}{failure_words(kind)}"
