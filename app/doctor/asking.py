"""Asks the model in use for one token: the only look that may leave this machine."""

import asyncio
import time

from app.backend.client import Backend
from app.backend.errors import ModelFailure
from app.backend.protocol import CompletionRequest
from app.chat.backing import backend_settings
from app.doctor.check import Check, failed, ok, problem
from app.settings import Settings
from memory.errors import StrataError
from widgets.figures import short_seconds

LONGEST_S = 90.0
"""The default model may have to be read from a slow disk first."""


async def ask_model(settings: Settings, model: str) -> Check:
    """Asks once; a model of this machine is loaded for it."""
    began = time.monotonic()
    request = CompletionRequest(
        model=model,
        messages=[{"role": "user", "content": "Say yes."}],
        max_tokens=1,
        timeout_s=LONGEST_S,
        deadline_s=LONGEST_S,
        max_retries=0,
    )
    try:
        async with asyncio.timeout(LONGEST_S):
            await _answer(settings, request)
    except TimeoutError:
        sentence = f"{model} did not answer within {LONGEST_S:.0f} seconds."
        return problem("answer", sentence, "Try again, or choose another model with --model NAME.")
    except StrataError as error:
        # One token may hold no letter yet, and is an answer all the same.
        if not (isinstance(error, ModelFailure) and error.kind == "empty"):
            return failed("answer", error, "Choose another model with --model NAME.")
    return ok("answer", f"{model} answered after {short_seconds(time.monotonic() - began)}.")


async def _answer(settings: Settings, request: CompletionRequest) -> None:
    backend = await Backend.start(backend_settings(settings, tools=False))
    try:
        async for _ in backend.complete(request):
            pass
    finally:
        await backend.close()
