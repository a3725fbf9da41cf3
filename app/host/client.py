"""What clients of the model host use; nothing here is heavier than the standard library."""

from collections.abc import Callable, Mapping, Sequence
from http import HTTPStatus
from pathlib import Path
from typing import Any

from app.host.address import HostAddress
from app.host.errors import HostFailed
from app.host.http import BadAnswer, LoopbackHttp
from app.host.launch import IDLE_SECONDS, HostProgress, ensure

# Counting is quick even beside a running request (20 ms at most); a megabyte takes a second.
_TIMEOUT_SECONDS = 60.0


class HostClient:
    """Talks with one running model host: exact counts and templates.

    Completions go through litellm to `address.openai_url`.

    Args:
        address: The host, from `ensure`.
    """

    def __init__(self, address: HostAddress) -> None:
        self.address = address
        self._http = LoopbackHttp(address.base_url, address.api_key)

    @staticmethod
    async def ensure(
        data_dir: Path,
        model_path: Path,
        *,
        context_tokens: int,
        threads: int | None = None,
        idle_seconds: float = IDLE_SECONDS,
        on_progress: Callable[[HostProgress], None] | None = None,
    ) -> HostAddress:
        """Finds the running host of a model, or starts it and waits until it is ready.

        Quick when the host runs (a few milliseconds), so it can be asked before each request.

        Args:
            data_dir: The data directory; there is one host for each model and setting in it.
            model_path: The model's file.
            context_tokens: Tokens for each of the two slots; cut to what the model can see.
            threads: Threads for answers and prompts; None chooses by the number of cores.
            idle_seconds: How long the host stays without a client.
            on_progress: Told what is being waited for.

        Raises:
            ModelTooLarge: The memory available is too small.
            ModelFileUnreadable: The file can't be read.
            HostFailed: The host didn't start.
        """
        return await ensure(
            data_dir,
            model_path,
            context_tokens=context_tokens,
            threads=threads,
            idle_seconds=idle_seconds,
            on_progress=on_progress,
        )

    async def tokenize(self, texts: Sequence[str], *, special: bool = False) -> list[int]:
        """How many tokens each text has for this model.

        Args:
            texts: What to count.
            special: Read texts such as `<|im_start|>` as the tokens that steer the model, and add
                what the model puts before a prompt; right for a templated prompt only.

        Raises:
            HostFailed: The host doesn't answer.
        """
        return [await self._count(text, special) for text in texts]

    async def _count(self, text: str, special: bool) -> int:
        body = {"content": text, "add_special": special, "parse_special": special}
        return len((await self._post("/tokenize", body))["tokens"])

    async def apply_template(
        self, messages: Sequence[Mapping[str, Any]], tools: Sequence[Any] | None = None
    ) -> str:
        """The exact text the model reads for these messages, up to where its answer begins.

        Raises:
            HostFailed: The host doesn't answer, or the template refuses the messages.
        """
        body: dict[str, Any] = {"messages": list(messages)}
        if tools:
            body["tools"] = list(tools)
        return str((await self._post("/apply-template", body))["prompt"])

    async def count_request(
        self, messages: Sequence[Mapping[str, Any]], tools: Sequence[Any] | None = None
    ) -> int:
        """Tokens of the whole templated request, as the host will count them itself.

        Raises:
            HostFailed: The host doesn't answer, or the template refuses the messages.
        """
        return await self._count(await self.apply_template(messages, tools), special=True)

    async def close(self) -> None:
        """Closes the connection; the host goes on."""
        await self._http.close()

    async def _post(self, path: str, body: object) -> Any:
        try:
            status, answer = await self._http.post(path, body, _TIMEOUT_SECONDS)
        except (OSError, BadAnswer) as error:
            raise HostFailed(
                "The model on this machine stopped answering.", "Send the message again."
            ) from error
        if status != HTTPStatus.OK:
            reason = answer.get("error", {}).get("message", f"status {status}")
            raise HostFailed(f"The model on this machine refused the request: {reason}.")
        return answer
