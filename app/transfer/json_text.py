"""JSON that people can read and no terminal obeys. Pure."""

import json
import re
from typing import Any

_ORDERS = re.compile(r"[\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
"""What JSON need not escape, but terminals obey, line readers split at, or UTF-8 can't hold."""


def json_text(document: Any, indent: int | None = None) -> str:
    """A JSON document, on one line without an indent, in which words stand unescaped."""
    text = json.dumps(document, ensure_ascii=False, indent=indent)
    return _ORDERS.sub(lambda match: f"\\u{ord(match[0]):04x}", text)
