"""The shipped model: all-MiniLM-L6-v2 as int8 ONNX, run on the processor.

Texts run one at a time. Measured with `bench/embeddings.py`, batches of 8 to 32 are not faster than that on a
processor, and with dynamic quantisation a vector would depend on the other texts of its batch (cosine 0.982
at worst). One by one, a text always has the same vector; several threads share the texts.
"""

from __future__ import annotations

import os
import threading
from abc import ABC, abstractmethod
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from recortex.embeddings.pieces import PieceReader, WordPiece, read_table
from recortex.errors import DimensionMismatchError, EmbeddingError, TextRefusedError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    import numpy as np
    import numpy.typing as npt

    from recortex.embeddings.pieces import Table
    from recortex.ports.embedding import PieceCodes, Pieces, Purpose, Vector, Vectors


# -- runs a model on this machine: loaded once, each text alone, several texts in threads


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


# -- the shipped model: all-MiniLM-L6-v2 as int8 ONNX, run on the processor


MODEL_FOLDER = Path(__file__).parent / "model"
MODEL_FILE = "minilm-l6-v2.int8.onnx"
VOCABULARY_FILE = "vocabulary.txt"
PIECES_FILE = "pieces.npz"
MODEL_NAME = "all-minilm-l6-v2.int8"
MAXIMUM_PIECES = 256  # what the model was trained to read; the rest of a text has no influence
DIMENSIONS = 384
_STATES = "encoder.layer.5.output.LayerNorm.out"  # the output with a vector for each piece


class _Run(NamedTuple):
    """What the model says of one text: of the whole, and of each piece, shape (pieces, dimensions)."""

    ids: list[int]
    vector: Vector
    states: npt.NDArray[np.float32]


class OnnxEmbedder(LocalModel):
    """Embeds with the shipped model; nothing is loaded before the first text.

    Args:
        folder: where the model and its word list lie.
        threads: how many texts are embedded at once; each takes one core.
    """

    name = MODEL_NAME
    dimensions = DIMENSIONS

    def __init__(self, folder: Path = MODEL_FOLDER, *, threads: int = 1) -> None:
        super().__init__(lambda: _load(folder), threads=threads)
        self._pieces = PieceReader(lambda: _table(folder), lambda text: self._load().encode(text))

    def embed(self, texts: Sequence[str], *, purpose: Purpose = "passage") -> Vectors:
        """Return one unit vector per text, float32, shape (len(texts), dimensions); the same for any purpose.

        Raises:
            EmbeddingError: The model is missing, damaged, or cannot run here.
        """
        return self.embed_pieces(texts, purpose=purpose)[0]

    def embed_pieces(
        self, texts: Sequence[str], *, purpose: Purpose = "passage"
    ) -> tuple[Vectors, Sequence[Pieces | PieceCodes]]:
        """As `embed`, with the pieces of each text, which differ by purpose.

        Raises:
            EmbeddingError: As `embed`.
        """
        reader, runs = self._pieces, list[_Run](self._runs(texts))
        vectors = self._stacked([one.vector for one in runs])
        if purpose == "query":
            return vectors, [reader.of_question(one.ids, one.states) for one in runs]
        told = zip(texts, runs, strict=True)
        return vectors, [reader.of_passage(text, one.ids, one.states) for text, one in told]


def read_words(path: Path) -> WordPiece:
    """The word list of a model.

    Raises:
        EmbeddingError: it is missing or damaged.
    """
    try:
        return WordPiece.load(path)
    except (OSError, UnicodeDecodeError, KeyError) as error:
        raise EmbeddingError(f"the embedding model's word list cannot be read: {path.name}") from error


@lru_cache(maxsize=2)
def shipped(folder: Path) -> tuple[WordPiece, Any]:
    """The word list and the model of a folder, loaded once in a process: two things are made of its layers.

    Raises:
        EmbeddingError: one of them is missing or damaged, or this machine cannot run the model.
    """
    return read_words(folder / VOCABULARY_FILE), open_session(folder / MODEL_FILE)


def _load(folder: Path) -> Loaded:
    words, session = shipped(folder)
    return Loaded(lambda text: words.encode(text, MAXIMUM_PIECES), lambda ids: _run(session, ids))


def _table(folder: Path) -> Table:
    try:
        return read_table(folder / PIECES_FILE)
    except (OSError, KeyError, ValueError) as error:
        raise EmbeddingError(f"the embedding model's table cannot be read: {PIECES_FILE}") from error


def _run(session: Any, ids: list[int]) -> _Run:
    import numpy as np

    row = np.array([ids], dtype=np.int64)
    inputs = {"input_ids": row, "attention_mask": np.ones_like(row)}
    vectors, states = run_session(session, ["embedding", _STATES], inputs)
    return _Run(ids, vectors[0], states[0])


# -- pools, cuts, checks and normalises vectors


_NUMBERS = "fiu"  # numpy's kinds of real numbers
Pooling = Literal["mean", "cls", "last"]
"""How the vectors of tokens become one: their mean, that of the first, or that of the last."""


def normalised(rows: npt.ArrayLike) -> Vectors:
    """The rows at unit length.

    Raises:
        TextRefusedError: a row is not finite, or is zero; other texts may work.
    """
    import numpy as np

    values = np.asarray(rows, dtype=np.float64)
    if not np.isfinite(values).all():
        raise TextRefusedError("A vector has a value that is not finite.")
    peaks = np.abs(values).max(axis=1, keepdims=True, initial=0.0)
    if not peaks.all():
        raise TextRefusedError("A vector is zero: it has no direction.")
    values = values / peaks  # otherwise squares of very large or small numbers would be infinite or zero
    return np.asarray(values / np.linalg.norm(values, axis=1, keepdims=True), dtype=np.float32)


def cut(rows: Vectors, dimensions: int) -> Vectors:
    """The first dimensions of each row, scaled to unit length again; meant for Matryoshka models.

    Raises:
        DimensionMismatchError: the rows are shorter than that.
        TextRefusedError: nothing is left of a row.
    """
    if rows.shape[1] < dimensions:
        raise DimensionMismatchError(
            f"The model makes {rows.shape[1]} dimensions; embedding.dimensions asks for {dimensions}.",
            hint=f"Set embedding.dimensions to {rows.shape[1]} or less, or to 0 for all.",
        )
    return normalised(rows[:, :dimensions])


def pooled(output: Any, pooling: Pooling) -> npt.NDArray[np.float64]:
    """One row: of shape (1, dimensions) as it is; of (1, tokens, dimensions) pooled.

    Raises:
        EmbeddingError: the output is no array of numbers, or has another shape.
        TextRefusedError: the text has no token.
    """
    import numpy as np

    if not isinstance(output, np.ndarray) or output.dtype.kind not in _NUMBERS:
        raise EmbeddingError("The model's output is no array of numbers.")
    if output.ndim == 2 and len(output) == 1:  # noqa: PLR2004  axes
        return output
    if output.ndim != 3 or len(output) != 1:  # noqa: PLR2004
        raise EmbeddingError(f"The model's output has the shape {output.shape}.")
    if not output.shape[1]:
        raise TextRefusedError("The model finds no token in a text.")
    if pooling == "mean":
        return output.mean(axis=1, dtype="float64")  # type: ignore[no-any-return]  # numpy calls it anything
    return output[:, 0 if pooling == "cls" else -1]
