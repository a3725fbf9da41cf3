"""How values, names and choices of the configuration are put into words; secrets never are."""

import json
import re
from typing import Any

from pydantic import BaseModel

HIDDEN = "(hidden)"
SECRET_NAME = re.compile(r"api_?key|token|secret|passw|credential", re.IGNORECASE)
# Long enough for a path or an address, short enough for a line of the terminal.
LONGEST = 60

_MARKER = re.compile(r"\[redacted: [^\]]{1,20}\]")
_USER_IN_ADDRESS = re.compile(r"(?<=://)[^/@\s]+(?=@)")
_SECRET_IN_QUERY = re.compile(
    r"([?&][^=&\s]*(?:key|token|secret|passw|sig)[^=&\s]*=)[^&\s]+", re.IGNORECASE
)


def without_secrets(value: Any, key: str = "") -> Any:
    """The same value with everything that looks like a secret hidden.

    Args:
        value: A value of the configuration.
        key: Its dotted name: what servers of tools get as environment is hidden as a whole.
    """
    if isinstance(value, dict):
        all_hidden = key.startswith("mcp.") and key.endswith((".env", ".headers"))
        return {
            name: HIDDEN if all_hidden else without_secrets(item) for name, item in value.items()
        }
    if isinstance(value, str):
        # Its patterns take longer to load than all else that is read before the first paint.
        from memory.privacy import KINDS, Door

        value = _MARKER.sub(HIDDEN, Door(KINDS[:3]).clean(value).text)
        value = _USER_IN_ADDRESS.sub(HIDDEN, value)
        return _SECRET_IN_QUERY.sub(rf"\1{HIDDEN}", value)
    if isinstance(value, list | tuple):
        return [without_secrets(item) for item in value]
    return value


def one_line(value: Any, longest: int = LONGEST) -> str:
    """A value as it would stand in a file, on one clipped line that is safe for a terminal."""
    return printable(json.dumps(value, ensure_ascii=False, default=str), longest)


def printable(text: str, longest: int = LONGEST) -> str:
    """A text without what a terminal would obey, clipped to a number of characters."""
    text = "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)
    return text if len(text) <= longest else text[: longest - 1] + "…"


def allowed_values(table: type[BaseModel], key: str) -> str:
    """What a key accepts, in words: `a whole number from 1 to 100`."""
    schema = table.model_json_schema(mode="validation")["properties"][key]
    choices = schema.get("anyOf", [schema])
    return " or ".join(_choice(choice) for choice in choices if choice.get("type") != "null")


def _choice(schema: dict[str, Any]) -> str:
    if "enum" in schema:
        return "one of " + ", ".join(str(value) for value in schema["enum"])
    kind = schema.get("type")
    if kind in {"integer", "number"}:
        return ("a whole number" if kind == "integer" else "a number") + _bounds(schema)
    if kind == "array":
        return _choice(schema["items"]).replace("a text", "a list of texts", 1)
    if kind == "string" and schema.get("minLength"):
        return f"a text of {schema['minLength']} to {schema['maxLength']} characters"
    words = {"boolean": "true or false", "string": "a text"}
    return words.get(str(kind), "a table of texts")


def _bounds(schema: dict[str, Any]) -> str:
    low, over = schema.get("minimum"), schema.get("exclusiveMinimum")
    high = schema.get("maximum")
    upwards = (
        f" from {low:,}" if low is not None else f" above {over:,}" if over is not None else ""
    )
    if high is None:
        return f"{upwards} upwards" if low is not None else upwards
    return f"{upwards} {'to' if low is not None else 'up to'} {high:,}"
