"""Runs a model on this machine: loaded once, each text alone, several texts in threads."""

from __future__ import annotations

import os
import threading
from abc import ABC, abstractmethod
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, NamedTuple

from recortex.errors import EmbeddingError, TextRefusedError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from recortex.ports.embedding import Purpose, Vector, Vectors

_LONGEST_ERROR = 200  # characters of the runtime's message, which may be pages


class Loaded(NamedTuple):
    """A model that is ready.

    Attributes:
        encode: makes of a text what the model reads.
        run: makes the text's vector of that, of unit length, or more than that.
    """

    encode: Callable[[str], Any]
    run: Callable[[Any], Any]


class LocalModel(ABC):
    """Embeds with a model that is loaded with the first text.

    A model that cannot be loaded is not tried again.

    Args:
        load: loads the model; raises `EmbeddingError`.
        threads: how many texts are embedded at once; each takes one core.
    """

    def __init__(self, load: Callable[[], Loaded], *, threads: int) -> None:
        self._load_model = load
        self._threads = max(1, threads)
        self._loading = threading.Lock()
        self._loaded: Loaded | None = None
        self._failure: EmbeddingError | None = None

    def embed(self, texts: Sequence[str], *, purpose: Purpose = "passage") -> Vectors:
        """Return one unit vector per text, float32, shape (len(texts), dimensions); the same for any purpose.

        Raises:
            EmbeddingError: The model is missing, damaged, or cannot run here.
        """
        del purpose
        return self._stacked(self._runs(texts))

    @property
    @abstractmethod
    def dimensions(self) -> int:
        """The length of each vector; 0 where it is not known before the first one."""

    def _stacked(self, rows: Sequence[Vector]) -> Vectors:
        import numpy as np

        return np.stack(rows) if rows else np.empty((0, self.dimensions), dtype=np.float32)

    def _runs(self, texts: Sequence[str]) -> list[Any]:
        model = self._load()
        return list(self._run_all(model, [model.encode(text) for text in texts]))

    def _run_all(self, model: Loaded, encoded: list[Any]) -> Iterator[Any]:
        if self._threads == 1 or len(encoded) == 1:
            yield from map(model.run, encoded)
            return
        with ThreadPoolExecutor(self._threads) as pool:
            yield from pool.map(model.run, encoded)

    def _load(self) -> Loaded:
        with self._loading:
            if self._failure is not None:
                # Not loaded again: a damaged file stays damaged, and each attempt takes as long as a load.
                raise self._failure.with_traceback(None)
            if self._loaded is None:
                try:
                    self._loaded = self._load_model()
                except EmbeddingError as error:
                    self._failure = error
                    raise
            return self._loaded


def open_session(path: Path) -> Any:
    """An ONNX model, ready to run on one core.

    Raises:
        EmbeddingError: it is missing or damaged, or this machine cannot run it.
    """
    # Read when onnxruntime 1.31 loads; otherwise it writes a device id under ~/.cache and reports events.
    os.environ["ORT_DISABLE_TELEMETRY"] = "1"
    try:
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        options.enable_cpu_mem_arena = False  # same speed, and the memory of a long text is given back
        options.log_severity_level = 4  # nothing on standard error; a failure is an exception
        return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    except Exception as error:  # onnxruntime's errors have no common class below Exception
        raise EmbeddingError(f"the embedding model cannot be loaded: {error}") from error


def run_session(
    session: Any, outputs: list[str], inputs: dict[str, Any], *, hint: str | None = None
) -> list[Any]:
    """The outputs that are asked for.

    Raises:
        TextRefusedError: the model failed; another text, such as a shorter one, may work.
    """
    try:
        return list(session.run(outputs, inputs))
    except Exception as error:  # onnxruntime's errors have no common class below Exception
        why = " ".join(str(error).split())[:_LONGEST_ERROR]
        raise TextRefusedError(f"the embedding model failed: {why}", hint=hint) from error
