"""The local model: all-MiniLM-L6-v2 as int8 ONNX, run on the processor.

Texts run one at a time. Measured with `bench/embeddings.py`, batches of 8 to 32 are not faster than that on a
processor, and the dynamic quantisation would make a vector depend on the texts beside it (cosine 0.982 at worst).
So a text has one vector, whatever it was embedded with; several threads share the work by text.
"""

from __future__ import annotations

import os
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

from recortex.embeddings.wordpiece import WordPiece
from recortex.errors import EmbeddingError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from recortex.ports.embedding import Vectors

MODEL_FOLDER = Path(__file__).parent / "model"
MODEL_FILE = "minilm-l6-v2.int8.onnx"
VOCABULARY_FILE = "vocabulary.txt"
MODEL_NAME = "all-minilm-l6-v2.int8"
MAXIMUM_PIECES = 256  # what the model was trained to read; the rest of a text has no influence
DIMENSIONS = 384


class OnnxEmbedder:
    """Embeds with the shipped model; nothing is loaded before the first text.

    Args:
        folder: where the model and its word list lie.
        threads: how many texts are embedded at once; each takes one core.
    """

    name = MODEL_NAME
    dimensions = DIMENSIONS

    def __init__(self, folder: Path = MODEL_FOLDER, *, threads: int = 1) -> None:
        self._folder = folder
        self._threads = max(1, threads)
        self._loading = threading.Lock()
        self._loaded: tuple[WordPiece, Any] | None = None
        self._failure: EmbeddingError | None = None

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one unit vector per text, float32, shape (len(texts), 384).

        Raises:
            EmbeddingError: The model is missing, damaged, or cannot run here.
        """
        import numpy as np

        pieces, session = self._load()
        rows = [pieces.encode(text, MAXIMUM_PIECES) for text in texts]
        vectors = np.empty((len(rows), DIMENSIONS), dtype=np.float32)
        for index, vector in enumerate(self._run_all(session, rows)):
            vectors[index] = vector
        return vectors

    def _run_all(self, session: Any, rows: list[list[int]]) -> Iterator[Any]:
        if self._threads == 1 or len(rows) == 1:
            yield from (_run(session, row) for row in rows)
            return
        with ThreadPoolExecutor(self._threads) as pool:
            yield from pool.map(lambda row: _run(session, row), rows)

    def _load(self) -> tuple[WordPiece, Any]:
        with self._loading:
            if self._failure is not None:
                raise self._failure  # a damaged file stays damaged; each attempt would cost the time of a load
            if self._loaded is None:
                try:
                    self._loaded = (
                        _read_words(self._folder / VOCABULARY_FILE),
                        _open(self._folder / MODEL_FILE),
                    )
                except EmbeddingError as error:
                    self._failure = error
                    raise
            return self._loaded


def _read_words(path: Path) -> WordPiece:
    try:
        return WordPiece.load(path)
    except (OSError, UnicodeDecodeError, KeyError) as error:
        raise EmbeddingError(f"the embedding model's word list cannot be read: {path.name}") from error


def _open(path: Path) -> Any:
    # onnxruntime 1.31 otherwise writes a device id under ~/.cache and reports events; it reads this when it loads.
    os.environ["ORT_DISABLE_TELEMETRY"] = "1"
    try:
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        options.enable_cpu_mem_arena = False  # same speed, and the memory of a long text is given back
        options.log_severity_level = (
            4  # a failure arrives as an exception; nothing else goes to standard error
        )
        return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    except Exception as error:  # onnxruntime's errors have no common class below Exception
        raise EmbeddingError(f"the embedding model cannot be loaded: {error}") from error


def _run(session: Any, row: list[int]) -> Any:
    import numpy as np

    ids = np.array([row], dtype=np.int64)
    try:
        return session.run(["embedding"], {"input_ids": ids, "attention_mask": np.ones_like(ids)})[0][0]
    except Exception as error:  # onnxruntime's errors have no common class below Exception
        raise EmbeddingError(f"the embedding model failed: {error}") from error
