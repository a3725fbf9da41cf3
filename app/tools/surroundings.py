"""The environment of the child processes of tools: without secrets, pagers and questions."""

import re
from collections.abc import Mapping

_SECRET_NAME = re.compile(
    r"(^|_)(API_?KEYS?|KEYS?|TOKENS?|SECRETS?|PASS|PWD|PASSPHRASE|CREDENTIALS?|PAT)($|_)"
    r"|PASSW(OR)?D|APIKEY|TOKEN$|SECRET",
    re.IGNORECASE,
)
# The names of folders, though they end like a password's.
_NO_SECRETS = frozenset(("PWD", "OLDPWD"))
_PASSWORD_IN_ADDRESS = re.compile(r"://[^/@\s]+@")
_OURS = "STRATA_"


def without_secrets(environment: Mapping[str, str]) -> dict[str, str]:
    """The variables without Strata's own, and without what looks like a key or a password."""
    return {name: value for name, value in environment.items() if not _is_secret(name, value)}


def for_commands(environment: Mapping[str, str]) -> dict[str, str]:
    """The environment of a shell command: no secrets, no pager, no colours, no questions."""
    return {
        **without_secrets(environment),
        "TERM": "dumb",
        "NO_COLOR": "1",
        "PAGER": "cat",
        "GIT_PAGER": "cat",
        "MANPAGER": "cat",
        "GIT_TERMINAL_PROMPT": "0",
        "DEBIAN_FRONTEND": "noninteractive",
        "PYTHONUNBUFFERED": "1",
    }


def _is_secret(name: str, value: str) -> bool:
    upper = name.upper()
    if upper in _NO_SECRETS:
        return False
    if upper.startswith(_OURS) or _SECRET_NAME.search(upper):
        return True
    return bool(_PASSWORD_IN_ADDRESS.search(value))
