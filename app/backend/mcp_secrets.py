"""Values of the configuration that name a secret instead of holding it: `Bearer ${TOKEN}`."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from app.backend.credentials import find_key
from app.backend.mcp_protocol import McpSettings
from app.backend.mcp_telling import unknown_variable

NAMED = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")
HIDDEN = "(hidden)"
SHORTEST = 6
"""Characters: what is shorter is no key, and hiding it would take ordinary words out."""


@dataclass(frozen=True)
class Filled:
    """A server's settings with its secrets put in, and those secrets."""

    settings: McpSettings
    secrets: tuple[str, ...]

    def hidden(self, text: str) -> str:
        """The text without the secrets, wherever a server repeated them."""
        for secret in self.secrets:
            text = text.replace(secret, HIDDEN)
        return text


def variables(texts: Iterable[str]) -> list[str]:
    """The variables that some texts name, each once."""
    return list(dict.fromkeys(name for text in texts for name in NAMED.findall(text)))


async def filled(
    name: str, settings: McpSettings, environment: Mapping[str, str] = os.environ
) -> Filled:
    """Puts what the configuration names in the place of the names.

    Args:
        name: The server.
        settings: Its settings.
        environment: Where variables are looked up before the keyring.

    Raises:
        McpTrouble: One is nowhere.
    """
    found: dict[str, str] = {}
    for variable in variables((*settings.env.values(), *settings.headers.values())):
        value = await find_key([variable], environment)
        if value is None:
            raise unknown_variable(name, variable)
        found[variable] = value

    def put(values: Mapping[str, str]) -> dict[str, str]:
        return {key: NAMED.sub(lambda m: found[m[1]], text) for key, text in values.items()}

    # A line end from a file of a key would be a header of its own.
    headers = {key: text.strip() for key, text in put(settings.headers).items()}
    whole = replace(settings, env=put(settings.env), headers=headers)
    return Filled(whole, tuple(value for value in found.values() if len(value) >= SHORTEST))
