"""The shipped model: all-MiniLM-L6-v2 as int8 ONNX, run on the processor.

Texts run one at a time. Measured with `bench/embeddings.py`, batches of 8 to 32 are not faster than that on a
processor, and with dynamic quantisation a vector would depend on the other texts of its batch (cosine 0.982
at worst). One by one, a text always has the same vector; several threads share the texts.
"""

from __future__ import annotations

import os
import threading
import unicodedata
from abc import ABC, abstractmethod
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property, lru_cache
from itertools import chain, count
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from recortex.domain.maintenance import LABEL
from recortex.domain.text import lazy
from recortex.errors import DimensionMismatchError, EmbeddingError, TextRefusedError
from recortex.lean import NamedTuple, lazy_module

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    import numpy as np
    import numpy.typing as npt

    from recortex.ports.model import PieceCodes, Pieces, Purpose, Vector, Vectors

    Rows = npt.NDArray[np.float32]
    Flags = npt.NDArray[np.bool_]
    import numpy as np
else:
    np = lazy_module("numpy")


# -- vectors of the word pieces of a text, by which a question is compared with a text word by word


MOST = 96
"""Pieces of a text that are kept, from its beginning. Of what is asked of sessions' messages by its meaning,
96 find 59 % within ten hits, 64 find 53, and 32 find 49; three more stretches of 256 pieces find no more."""


class Table(NamedTuple):
    """What a model's pieces are turned by.

    Attributes:
        centre: the mean of pieces of unit length, shape (model's dimensions,).
        rotation: shape (model's dimensions, numbers that are kept).
        telling: for each piece of the word list, whether it says what a text is about: no punctuation, no
            English function word, no mark.
    """

    centre: Rows
    rotation: Rows
    telling: Flags


def read_table(path: Path) -> Table:
    """Read a table that `bench/piece_table.py` made.

    Raises:
        OSError: it cannot be read.
        KeyError, ValueError: it is none.
    """
    row = np.load(path, allow_pickle=False)  # one record: an archive takes five times as long to be opened
    rotation = row["rotation"].astype(np.float32) * np.float32(row["scale"])
    telling = np.unpackbits(row["telling"]).astype(bool)
    return Table(row["centre"].astype(np.float32), rotation, telling)


class PieceReader:
    """Makes pieces of what a model says of each token.

    Args:
        read: gives the table, once it is needed.
        encode: the ids of a text, with a mark at each end.
    """

    def __init__(self, read: Callable[[], Table], encode: Callable[[str], Sequence[int]]) -> None:
        self._read = read
        self._encode = encode

    @cached_property
    def _table(self) -> Table:
        return self._read()

    def of_question(self, ids: Sequence[int], states: Rows) -> Pieces:
        """Every piece of a question.

        Args:
            ids: of the tokens, marks included.
            states: the model's vector of each, shape (tokens, dimensions).
        """
        telling = self._table.telling[np.asarray(ids[1:-1], dtype=np.int64)]
        return self._turned(_unit(states[1:-1])), telling if telling.any() else ~telling

    def of_passage(self, text: str, ids: Sequence[int], states: Rows) -> PieceCodes:
        """The telling pieces of a text without its label, each once, as the mean of where it occurs."""
        begins = self._encode(label[0])[:-1] if (label := LABEL.match(text)) else ids[:1]
        places = np.arange(min(len(begins), len(ids) - 1), len(ids) - 1)
        told = np.asarray(ids, dtype=np.int64)[places]
        telling = self._table.telling[told]
        if telling.any():
            told, places = told[telling], places[telling]
        _, first, which = np.unique(told, return_index=True, return_inverse=True)
        found = _unit(states[places])
        again = np.ones(len(places), np.bool_)
        again[first] = False
        sums = found[first]
        np.add.at(sums, which[again], found[again])
        rows = self._turned(_unit(sums[np.argsort(first)][:MOST]))
        return bytes(np.packbits(rows > 0, axis=1).tobytes())

    def _turned(self, rows: Rows) -> Rows:
        # Not as a product of matrices, which would wake the threads of the linear algebra library: they wait
        # for more work so eagerly that a recall takes three times as long (bench/latency.py).
        return _unit(np.einsum("pd,dn->pn", rows - self._table.centre, self._table.rotation))


def _unit(rows: npt.NDArray[np.floating[Any]]) -> Rows:
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.asarray(rows / np.maximum(lengths, 1e-12), dtype=np.float32)


# -- BERT's uncased WordPiece in the standard library: text to the ids that the embedding model was trained


MAXIMUM_CHARACTERS = 16_384  # 256 pieces of ordinary text take about 1,200 characters
MAXIMUM_WORD = 100  # a longer word is unknown, as in BERT
REMEMBERED_WORDS = 50_000
BASIC_PLANE = 0xFFFF
# Characters that are words of their own, with the gap at 2B820 that BERT has.
_IDEOGRAPH = lazy(
    "[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0002a6df\U0002a700-\U0002b81f"
    "\U0002b920-\U0002ceaf\U0002f800-\U0002fa1f]"
)


class _Characters(dict[int, str]):
    """A table for `str.translate` that is filled by a function when a character first occurs.

    Only the basic plane is cached, so that it stays small.
    """

    def __init__(self, translated: Callable[[str], str]) -> None:
        super().__init__()
        self._translated = translated

    def __missing__(self, code: int) -> str:
        value = self._translated(chr(code))
        if code <= BASIC_PLANE:
            self[code] = value
        return value


def _cleaned(character: str) -> str:
    """Drop control characters, replace white space by spaces, put spaces around ideographs."""
    if character in "\t\n\r":
        return " "
    if character == "\ufffd" or unicodedata.category(character) in {"Cc", "Cf", "Co", "Cs"}:
        return ""
    if character.isspace():
        return " "
    return f" {character} " if not character.isascii() and _IDEOGRAPH.match(character) else character


def _folded(character: str) -> str:
    """Drop accents of decomposed text, convert to lower case, put spaces around punctuation."""
    category = unicodedata.category(character)
    if category == "Mn":
        return ""
    ascii_symbol = character.isascii() and character.isprintable() and not character.isalnum()
    if category.startswith("P") or (ascii_symbol and character != " "):
        return f" {character} "
    return character.lower()


_CLEAN, _FOLD = _Characters(_cleaned), _Characters(_folded)


def words(text: str) -> list[str]:
    """Split text into BERT's words.

    Cleaned, without accents, lower case, punctuation and ideographs alone.
    """
    cleaned = text[:MAXIMUM_CHARACTERS].translate(_CLEAN)
    if not cleaned.isascii():
        cleaned = unicodedata.normalize("NFD", cleaned)
    return cleaned.translate(_FOLD).split()


class WordPiece:
    """The longest-match-first tokenizer over a word list.

    Args:
        vocabulary: piece to id; continuing pieces begin with `##`. `[UNK]`, `[CLS]` and `[SEP]` must be
            there.
    """

    def __init__(self, vocabulary: dict[str, int]) -> None:
        self._ids = vocabulary
        self._known: dict[str, tuple[int, ...]] = {}
        self._unknown, self._start, self._end = (vocabulary[name] for name in ("[UNK]", "[CLS]", "[SEP]"))

    @classmethod
    def load(cls, path: Path) -> WordPiece:
        """Read a word list of one piece per line, the line number being the id.

        Raises:
            OSError: The file cannot be read.
            UnicodeDecodeError: The file is not a word list.
            KeyError: A special piece is missing.
        """
        ids = dict(zip(path.read_text(encoding="utf-8").split("\n"), count()))
        ids.pop("", None)  # behind the last line break
        return cls(ids)

    def encode(self, text: str, limit: int) -> list[int]:
        """Return the ids of a text, start and end marks included, at most `limit` of them."""
        room = max(limit - 2, 0)
        ids: list[int] = []
        for word in words(text):
            found = self._known.get(word)
            if found is None:
                if len(self._known) >= REMEMBERED_WORDS:
                    self._known.clear()
                found = self._known[word] = self._split(word)
            ids.extend(found)
            if len(ids) >= room:
                break
        return list(chain((self._start,), ids[:room], (self._end,)))

    def _split(self, word: str) -> tuple[int, ...]:
        if len(word) > MAXIMUM_WORD:
            return (self._unknown,)
        ids, start, mark = [], 0, ""
        while start < len(word):
            end = len(word)
            while end > start and mark + word[start:end] not in self._ids:
                end -= 1
            if end == start:
                return (self._unknown,)
            ids.append(self._ids[mark + word[start:end]])
            start, mark = end, "##"
        return tuple(ids)


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
        options.enable_mem_pattern = False  # texts differ in length: 7 MB less of plans that none uses again
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
WEIGHTS_FILE = "minilm-l6-v2.int8.data"
"""The graph names it; it is mapped into memory."""
VOCABULARY_FILE = "vocabulary.txt"
PIECES_FILE = "pieces.npy"
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
