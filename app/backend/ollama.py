"""Ollama: where it runs, which models it has, and how much each of them can see.

Standard library only: the screen's process asks it as well, to offer its models.
"""

from __future__ import annotations

import ipaddress
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, urlsplit

from app.backend.small_http import request_json
from app.host.http import BadAnswer

PROVIDERS = frozenset({"ollama", "ollama_chat"})
PREFIX = "ollama_chat/"
SHOW_SECONDS = 3.0
LONGEST_NAME = 200
NOT_FOUND = 404

_DEFAULT_PORTS = {"http": 80, "https": 443}
_ANYWHERE = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104 - where a server listens
_NUM_CTX = re.compile(r"^num_ctx\s+(\d+)\s*$", re.MULTILINE)
_NOT_FOR_CHAT = re.compile(r"embed|(^|[/-])(bge|e5|gte)[-_]|minilm|rerank", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class OllamaModel:
    """A model that Ollama has.

    Args:
        name: Its name there, `llama3.2:3b`.
        size: Bytes on disk; 0 where it runs elsewhere.
        parameters: Number of its weights in words, `3.2B`; may be empty.
        sent_to: The host that really answers, for one that Ollama only passes on; else empty.
    """

    name: str
    size: int = 0
    parameters: str = ""
    sent_to: str = ""


@dataclass(frozen=True, slots=True)
class Shown:
    """What Ollama tells of one model.

    Args:
        context: Tokens it was trained to see, or None.
        num_ctx: Tokens that its own recipe asks for, or None.
        sent_to: As in `OllamaModel`.
    """

    context: int | None = None
    num_ctx: int | None = None
    sent_to: str = ""


class NoSuchModel(Exception):
    """Ollama answers, but does not have the model."""


def address(environment: Mapping[str, str] = os.environ) -> str:
    """Where Ollama is: what `OLLAMA_API_BASE` or `OLLAMA_HOST` say, else this machine.

    `OLLAMA_HOST` is read as Ollama reads it: the scheme and the port may be missing.
    """
    base = environment.get("OLLAMA_API_BASE", "").strip().rstrip("/")
    if base:
        return base if "://" in base else f"http://{base}"
    return _host_address(environment.get("OLLAMA_HOST", "").strip().strip("\"'"))


def _host_address(text: str) -> str:
    scheme, separator, rest = text.rpartition("://")
    scheme = scheme.lower() or "http"
    rest, slash, path = rest.partition("/")
    host, port = _host_and_port(rest)
    host = _ANYWHERE.get(host, host) or "127.0.0.1"
    if ":" in host:
        host = f"[{host}]"
    port = port or (_DEFAULT_PORTS.get(scheme, 11434) if separator else 11434)
    return f"{scheme}://{host}:{port}{slash}{path}".rstrip("/")


def _host_and_port(text: str) -> tuple[str, int]:
    try:
        return str(ipaddress.ip_address(text.strip("[]"))), 0
    except ValueError:
        host, _, port = text.rpartition(":") if ":" in text else (text, "", "")
    number = int(port) if port.isdecimal() and len(port) < 6 else 0  # noqa: PLR2004
    return host.strip("[]"), number


def is_local(base: str) -> bool:
    """Whether an address is one of this machine."""
    host = urlsplit(base).hostname or ""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def runs_at(base: str, sent_to: str = "") -> str:
    """Where a model runs, in words."""
    if sent_to:
        return f"{sent_to} through Ollama"
    return "Ollama on this machine" if is_local(base) else f"Ollama at {urlsplit(base).hostname}"


async def list_models(base: str, timeout: float) -> tuple[OllamaModel, ...]:
    """The models that can chat, the newest first.

    Args:
        base: Ollama's address.
        timeout: Seconds for the whole exchange.

    Raises:
        OSError: Nobody answers there; TimeoutError when it takes too long.
        BadAnswer: Something else than Ollama answers.
    """
    status, answer = await request_json(base + "/api/tags", timeout=timeout)
    models = answer.get("models") if isinstance(answer, dict) else None
    if status != 200 or not isinstance(models, list):  # noqa: PLR2004
        raise BadAnswer("this is no list of models")
    found = (_model(entry) for entry in models if isinstance(entry, dict))
    return tuple(model for model in found if model is not None)


def _model(entry: dict[str, Any]) -> OllamaModel | None:
    name = entry.get("model") or entry.get("name")
    if not isinstance(name, str) or not 0 < len(name) <= LONGEST_NAME:
        return None
    details = entry.get("details")
    details = details if isinstance(details, dict) else {}
    family = str(details.get("family", ""))
    if not name.isprintable() or " " in name or _NOT_FOR_CHAT.search(name) or "bert" in family:
        return None
    parameters = str(details.get("parameter_size") or "")
    return OllamaModel(
        name=name,
        size=_whole(entry.get("size")) or 0,
        parameters=parameters if parameters.isprintable() and len(parameters) < 12 else "",  # noqa: PLR2004
        sent_to=_remote(entry),
    )


async def show(base: str, name: str, timeout: float = SHOW_SECONDS) -> Shown:
    """What Ollama tells of a model.

    Raises:
        OSError: Nobody answers there; TimeoutError when it takes too long.
        BadAnswer: Something else than Ollama answers, or it refuses.
        NoSuchModel: It has no model of this name.
    """
    # Older versions know `name` only.
    body = {"model": name, "name": name}
    status, answer = await request_json(base + "/api/show", body, timeout=timeout)
    if not isinstance(answer, dict):
        raise BadAnswer("this is no description of a model")
    if status == NOT_FOUND and "error" in answer:
        raise NoSuchModel(name)
    info = answer.get("model_info")
    info = info if isinstance(info, dict) else {}
    contexts = (_whole(value) for key, value in info.items() if key.endswith(".context_length"))
    asked = _NUM_CTX.search(str(answer.get("parameters") or ""))
    return Shown(
        context=next((context for context in contexts if context), None),
        num_ctx=_whole(int(asked[1][:12])) if asked else None,
        sent_to=_remote(answer),
    )


def _remote(entry: dict[str, Any]) -> str:
    """The host that a model of Ollama's cloud runs at."""
    remote = entry.get("remote_host")
    if not isinstance(remote, str) or not remote:
        return ""
    try:
        host = urlsplit(remote if "://" in remote else f"//{remote}").hostname
    except ValueError:
        host = None
    return quote(host or "another machine", safe=".- ")


def _whole(value: Any) -> int | None:
    sound = isinstance(value, int | float) and not isinstance(value, bool)
    return int(value) if sound and 0 < value < 2**60 else None
