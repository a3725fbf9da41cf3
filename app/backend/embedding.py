"""Texts as vectors of their meaning: all-MiniLM-L6-v2 in ONNX, on one thread of low priority.

onnxruntime, tokenizers and numpy are touched here and nowhere else. They are loaded with the
first request, in the thread that does the work.
"""

from __future__ import annotations

import asyncio
import base64
import importlib
import os
import sys
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from app.backend.embedded import EmbeddedModels, host_failures_in_words
from app.backend.errors import ModelFailure
from app.backend.protocol import DIMENSIONS, EMBEDDER, Embeddings, Priority
from app.backend.safelog import LOGGER
from app.host.catalogue import canonical, find
from app.host.store import ModelStore

MOST_TOKENS = 256
"""Tokens of a text that the model was trained to see; what follows does not count."""

MOST_TEXTS = 32
MOST_PADDED_TOKENS = 1_024
"""A batch: small enough that a short question behind it waits a fraction of a second, and that
attention over it takes a few megabytes."""

PATIENCE_S = 30.0
"""A batch in the background waits so long for the end of an answer of a local model."""

NICENESS = 5
"""On a busy machine a level of ten would let who waits at the end wait for minutes."""
SMALLEST_NORM = 1e-9
"""Keeps a vector of zeros from being divided by nothing."""


class Embedding:
    """Makes vectors with the embedding model of the catalogue.

    Args:
        store: Where the model lies.
        embedded: The chat models on this machine, whose answers go first.
    """

    def __init__(self, store: ModelStore, embedded: EmbeddedModels) -> None:
        self._store = store
        self._embedded = embedded
        self._model: _Model | None = None
        self._worker = ThreadPoolExecutor(
            1, thread_name_prefix="embedding", initializer=_lower_priority
        )

    async def embed(self, texts: Sequence[str], priority: Priority) -> Embeddings:
        """The vectors of some texts, in their order, each of length one.

        Activations are quantised by batch, so the same text in another company has a vector that
        differs a little: its cosine with itself is above 0.99.

        Args:
            texts: The texts; of each the first 256 tokens count.
            priority: "background" waits for the end of a local model's answer, for a while.

        Raises:
            ModelFailure: The model is not installed or damaged.
        """
        with host_failures_in_words():
            path = self._store.resolve(EMBEDDER)
        tokenizer = self._store.path(find(EMBEDDER), "tokenizer.json")
        if not texts:
            return Embeddings(canonical(EMBEDDER), DIMENSIONS, "")
        await self._in_thread(self._load, path, tokenizer)
        encoded = await self._in_thread(self._loaded.encode, texts)
        rows: dict[int, bytes] = {}
        for batch in _batches([len(ids) for ids in encoded]):
            if priority == "background":
                await self._embedded.quiet(PATIENCE_S)
            vectors = await self._in_thread(self._loaded.run, [encoded[index] for index in batch])
            rows.update(zip(batch, vectors, strict=True))
        packed = b"".join(rows[index] for index in range(len(texts)))
        return Embeddings(canonical(EMBEDDER), DIMENSIONS, base64.b64encode(packed).decode())

    @property
    def _loaded(self) -> _Model:
        if self._model is None:
            raise LookupError("the embedding model is not loaded")
        return self._model

    def _load(self, path: Path, tokenizer: Path) -> None:
        if self._model is None:
            self._model = _Model(path, tokenizer)

    async def _in_thread(self, work: Any, *args: Any) -> Any:
        return await asyncio.get_running_loop().run_in_executor(self._worker, work, *args)


class _Model:
    """The model, loaded."""

    def __init__(self, path: Path, tokenizer: Path) -> None:
        self._numpy: Any = importlib.import_module("numpy")
        runtime: Any = importlib.import_module("onnxruntime")
        runtime.set_default_logger_severity(3)
        options = runtime.SessionOptions()
        options.intra_op_num_threads = 1
        options.inter_op_num_threads = 1
        options.enable_cpu_mem_arena = False
        try:
            self._tokenizer: Any = importlib.import_module("tokenizers").Tokenizer.from_file(
                str(tokenizer)
            )
            self._session = runtime.InferenceSession(
                str(path), options, providers=["CPUExecutionProvider"]
            )
        except Exception as error:  # The rim: both libraries raise types without a common base.
            LOGGER.warning("the embedding model can't be loaded: %s", type(error).__name__)
            raise _not_loadable() from error
        self._tokenizer.enable_truncation(MOST_TOKENS)
        self._tokenizer.no_padding()
        self._inputs = {wanted.name for wanted in self._session.get_inputs()}

    def encode(self, texts: Sequence[str]) -> list[list[int]]:
        """Token ids of each text."""
        readable = [text.encode("utf-8", "replace").decode() for text in texts]
        return [encoding.ids for encoding in self._tokenizer.encode_batch(readable)]

    def run(self, batch: Sequence[Sequence[int]]) -> list[bytes]:
        """The vector of each text as float32, little-endian: the mean over its tokens, scaled."""
        numpy = self._numpy
        longest = max(map(len, batch))
        ids = numpy.zeros((len(batch), longest), dtype=numpy.int64)
        mask = numpy.zeros_like(ids)
        for row, tokens in enumerate(batch):
            ids[row, : len(tokens)] = tokens
            mask[row, : len(tokens)] = 1
        given = {"input_ids": ids, "attention_mask": mask, "token_type_ids": ids * 0}
        feed = {name: array for name, array in given.items() if name in self._inputs}
        hidden = self._session.run(None, feed)[0]
        weights = mask[:, :, None].astype(numpy.float32)
        mean = (hidden * weights).sum(axis=1) / weights.sum(axis=1)
        norms = numpy.linalg.norm(mean, axis=1, keepdims=True)
        vectors = (mean / numpy.maximum(norms, SMALLEST_NORM)).astype("<f4")
        return [vector.tobytes() for vector in vectors]


def _batches(lengths: Sequence[int]) -> Iterator[list[int]]:
    """Places of texts in batches of about equal length, so that little is padding."""
    batch: list[int] = []
    for place in sorted(range(len(lengths)), key=lengths.__getitem__):
        padded = lengths[place] * (len(batch) + 1)
        if batch and (len(batch) == MOST_TEXTS or padded > MOST_PADDED_TOKENS):
            yield batch
            batch = []
        batch.append(place)
    if batch:
        yield batch


def _lower_priority() -> None:
    """Lets everything else on the machine go first; elsewhere a process has only one priority."""
    if sys.platform == "linux":
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), NICENESS)


def _not_loadable() -> ModelFailure:
    return ModelFailure(
        "The embedding model can't be loaded.",
        "Remove its folder from the models and run `strata models install embedder`.",
        kind="local_model",
    )
