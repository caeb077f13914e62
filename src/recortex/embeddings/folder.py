"""Runs any ONNX model from a folder with the layout of model hubs: a graph beside its tokenizer.

Nothing is downloaded. The models that read two texts together (of changes, and a reranker) are here too.
"""

from __future__ import annotations

import json
import threading
from functools import cached_property
from math import exp
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from recortex.domain.memory import Chances
from recortex.embeddings.onnx import (
    MODEL_FOLDER,
    Loaded,
    LocalModel,
    normalised,
    open_session,
    pooled,
    read_words,
    run_session,
    shipped,
)
from recortex.errors import EmbeddingError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    import numpy.typing as npt

    from recortex.embeddings.onnx import Pooling, WordPiece
    from recortex.ports.model import Vector


POOLED = ("sentence_embedding", "embedding")
"""Outputs with one vector per text, by the names that exporters give them."""
LENGTH = 512
"""Tokens of a text that are read by default: what BERT and e5 were trained with."""
GRAPH, NESTED = "model.onnx", "onnx"
VOCABULARY, TOKENIZER, OPTIONS = "vocab.txt", "tokenizer.json", "tokenizer_config.json"
SETTING = "embedding.folder"
_HINT = (
    "Give {} a folder that holds a model as ONNX and its tokenizer.json or vocab.txt; see docs/embeddings.md."
)
_TOO_LONG = "If long texts alone fail, set embedding.max_length to what the model reads."
_CHARACTERS_PER_TOKEN = 64  # more than any tokenizer puts into a token on average
_SAMPLES, _SAMPLE = 16, 4_096  # the places of a file that its checksum is made of, and the bytes of each


class FolderEmbedder(LocalModel):
    """Embeds with the model of a folder; nothing is loaded before the first text.

    Args:
        folder: holds the graph and the tokenizer.
        file: the graph in the folder; empty: `model.onnx`, there or in `onnx/`, or the only one there is.
        pooling: mean of all tokens, the first (`cls`) or the last one; ignored if the graph pools.
        length: tokens of a text that are read.
        threads: how many texts are embedded at once; each takes one core.
    """

    def __init__(
        self,
        folder: Path,
        *,
        file: str = "",
        pooling: Pooling = "mean",
        length: int = LENGTH,
        threads: int = 1,
    ) -> None:
        super().__init__(self._open, threads=threads)
        self._folder = folder
        self._file = file
        self._pooling: Pooling = pooling
        self._length = length
        self._width = 0

    @cached_property
    def name(self) -> str:
        """The folder's name, a checksum of its files, and the options that change vectors.

        No more than 64 KB are read for it.
        """
        length = "" if self._length == LENGTH else f".{self._length}"
        try:
            # Eight hexadecimal digits over sizes and samples of the graph, its weights and the tokenizer.
            graph = graph_in(self._folder, self._file)
            from blake3 import blake3

            digest = blake3()
            weights = sorted(path for path in graph.parent.glob(f"{graph.name}*") if path != graph)
            words = [
                self._folder / name for name in (TOKENIZER, VOCABULARY) if (self._folder / name).is_file()
            ]
            for path in (graph, *weights, *words):
                size = path.stat().st_size
                digest.update(f"{size}\0".encode())
                with path.open("rb") as file:
                    for place in range(_SAMPLES):
                        file.seek(max(size - _SAMPLE, 0) * place // (_SAMPLES - 1))
                        digest.update(file.read(_SAMPLE))
            checksum = str(digest.hexdigest()[:8])
        except (OSError, EmbeddingError):
            checksum = "missing"
        return f"onnx/{self._folder.resolve().name}-{checksum}.{self._pooling}{length}"

    @property
    def dimensions(self) -> int:
        """The length of each vector; 0 before the first one."""
        return self._width

    def _open(self) -> Loaded:
        graph = graph_in(self._folder, self._file)
        encode = _tokenizer(self._folder, self._length)
        session = open_session(graph)
        # Most exporters use 64-bit inputs, some 32-bit ones.
        inputs = {
            one.name: "int32" if one.type == "tensor(int32)" else "int64" for one in session.get_inputs()
        }
        if unknown := sorted(inputs.keys() - INPUTS.keys()):
            raise EmbeddingError(
                f"The model needs an input {unknown[0]!r}, which is not known.", hint=_HINT.format(SETTING)
            )
        outputs = [one.name for one in session.get_outputs()]
        # A pooled output if there is one; else the first, which holds a vector for each token.
        output = next((name for name in POOLED if name in outputs), outputs[0])

        def run(tokens: Tokens) -> Vector:
            fed = {name: INPUTS[name](tokens).astype(kind) for name, kind in inputs.items()}
            row = pooled(run_session(session, [output], fed, hint=_TOO_LONG)[0], self._pooling)
            vector: Vector = normalised(row)[0]
            self._width = len(vector)
            return vector

        return Loaded(encode, run)


class Tokens(NamedTuple):
    """A text as a model reads it: ids, and to which segment each belongs."""

    ids: list[int]
    segments: list[int]


def graph_in(folder: Path, file: str, *, setting: str = SETTING) -> Path:
    """The graph of a folder.

    Args:
        folder: holds it.
        file: its name; empty: the usual one, or the only one.
        setting: which names the folder, for what is said of it.

    Raises:
        EmbeddingError: there is none, or more than one and none is named.
    """
    if not folder.is_dir():
        raise EmbeddingError(f"{setting} is no folder: {folder}.", hint=_HINT.format(setting))
    if file:
        chosen = folder / file
        if not chosen.resolve().is_relative_to(folder.resolve()) or not chosen.is_file():
            raise EmbeddingError(f"embedding.model names no file of {setting}.", hint=_HINT.format(setting))
        return chosen
    for place in (folder, folder / NESTED):
        graphs = sorted(place.glob("*.onnx"))
        usual = [graph for graph in graphs if graph.name == GRAPH]
        if usual or len(graphs) == 1:
            return (usual or graphs)[0]
        if graphs:
            raise EmbeddingError(
                f"There are {len(graphs)} models in the folder of {setting}.",
                hint="Name one of them with embedding.model, such as "
                f"{graphs[0].relative_to(folder).as_posix()}.",
            )
    raise EmbeddingError(f"There is no *.onnx in the folder of {setting}.", hint=_HINT.format(setting))


def _tokenizer(folder: Path, length: int) -> Callable[[str], Tokens]:
    if (folder / TOKENIZER).is_file():
        tokenizer, most = _fast_tokenizer(folder / TOKENIZER, length, SETTING), length * _CHARACTERS_PER_TOKEN

        def encoded(text: str) -> Tokens:
            found = tokenizer.encode(_readable(text[:most]))
            return Tokens(found.ids, found.type_ids)

        return encoded
    words = _words(folder, SETTING)

    def encode(text: str) -> Tokens:
        ids = words.encode(text, length)
        return Tokens(ids, [0] * len(ids))

    return encode


def pair_tokenizer(folder: Path, length: int, *, setting: str) -> Callable[[str, str], Tokens]:
    """What makes of a question and a text what a model reads of both together.

    Args:
        folder: holds the tokenizer.
        length: the most tokens; the text is cut first.
        setting: which names the folder, for what is said of it.

    Raises:
        EmbeddingError: there is no tokenizer, or it cannot be read.
    """
    if (folder / TOKENIZER).is_file():
        tokenizer, most = _fast_tokenizer(folder / TOKENIZER, length, setting), length * _CHARACTERS_PER_TOKEN

        def encoded(question: str, text: str) -> Tokens:
            found = tokenizer.encode(_readable(question[:most]), _readable(text[:most]))
            return Tokens(found.ids, found.type_ids)

        return encoded
    words = _words(folder, setting)

    def encode(question: str, text: str) -> Tokens:
        first = words.encode(question, length // 2)
        second = words.encode(text, length - len(first) + 1)[1:]  # without the sign that begins a text
        return Tokens([*first, *second], [0] * len(first) + [1] * len(second))

    return encode


def _words(folder: Path, setting: str) -> WordPiece:
    if not (folder / VOCABULARY).is_file():
        raise EmbeddingError(
            f"There is no tokenizer.json and no vocab.txt in the folder of {setting}.",
            hint=_HINT.format(setting),
        )
    if _cased(folder / OPTIONS):
        raise EmbeddingError(
            "The words of this vocab.txt are cased; only BERT's uncased ones can be read.",
            hint="Put the model's tokenizer.json into the folder.",
        )
    return read_words(folder / VOCABULARY)


def _readable(text: str) -> str:
    return text.encode("utf-8", "replace").decode()


def _fast_tokenizer(path: Path, length: int, setting: str) -> Any:
    try:
        from tokenizers import Tokenizer
    except ImportError:
        raise EmbeddingError(
            "A tokenizer.json is read by the package tokenizers, which is not installed.",
            hint="pip install 'recortex[models]'",
        ) from None
    try:
        tokenizer = Tokenizer.from_file(str(path))
    except Exception as error:  # tokenizers raises bare Exception
        raise EmbeddingError("The tokenizer.json cannot be read.", hint=_HINT.format(setting)) from error
    tokenizer.no_padding()
    tokenizer.enable_truncation(max_length=length)
    return tokenizer


def _cased(options: Path) -> bool:
    try:
        return json.loads(options.read_text(encoding="utf-8")).get("do_lower_case") is False
    except (OSError, ValueError, AttributeError):
        return False


def _row(values: list[int]) -> npt.NDArray[np.int64]:
    return np.array([values], dtype=np.int64)


INPUTS: dict[str, Callable[[Tokens], npt.NDArray[np.int64]]] = {
    "input_ids": lambda tokens: _row(tokens.ids),
    "attention_mask": lambda tokens: _row([1] * len(tokens.ids)),
    "token_type_ids": lambda tokens: _row(tokens.segments),
    "position_ids": lambda tokens: _row(list(range(len(tokens.ids)))),
}
"""The inputs that a graph may have, by the names that exporters give them."""


# -- the shipped model of changes: whether a new statement ends a known one, read together
#
# Its lower layers are those of the embedding model, so that only the upper three lie in a file of their own
# (`scripts/build_change_model.py`).


CHANGES_FILE = "changes.int8.onnx"
LOWER = "encoder.layer.2.output.LayerNorm.out"
"""The output of the embedding model on which this one builds."""
LONGEST = 96
"""Pieces of both statements together; each may take what the other leaves of it."""


def encoded(words: WordPiece, known: str, new: str) -> tuple[list[int], list[int]]:
    """The pieces of two statements one after the other, and to which each belongs: 0 known, 1 new.

    A full stop at the end says nothing of what holds, and is not read.
    """
    first, second = (words.encode(text.strip().rstrip(".!"), LONGEST) for text in (known, new))
    room = LONGEST - min(len(second), LONGEST // 2)
    first = first if len(first) <= room else [*first[: room - 1], first[-1]]
    rest = second[1:]  # without the sign that begins a text
    room = LONGEST - len(first)
    rest = rest if len(rest) <= room else [*rest[: room - 1], rest[-1]]
    return [*first, *rest], [0] * len(first) + [1] * len(rest)


class ChangeModel:
    """Reads pairs of statements; nothing is loaded before the first one.

    Args:
        folder: where the models and the word list lie.
    """

    def __init__(self, folder: Path = MODEL_FOLDER) -> None:
        self._folder = folder
        self._loading = threading.Lock()
        self._loaded: tuple[WordPiece, Any, Any] | None = None

    def chances(self, pairs: Sequence[tuple[str, str]]) -> list[Chances]:
        """For each pair of a known and a new statement, the chances of what the new one does to it.

        Raises:
            EmbeddingError: a model is missing, damaged, or cannot run here.
        """
        words, lower, upper = self._load()
        return [_read(words, lower, upper, known, new) for known, new in pairs]

    def _load(self) -> tuple[WordPiece, Any, Any]:
        with self._loading:
            if self._loaded is None:
                self._loaded = (*shipped(self._folder), open_session(self._folder / CHANGES_FILE))
            return self._loaded


def _read(words: WordPiece, lower: Any, upper: Any, known: str, new: str) -> Chances:
    ids, segments = encoded(words, known, new)
    row = np.array([ids], dtype=np.int64)
    mask = np.ones_like(row)
    (states,) = run_session(lower, [LOWER], {"input_ids": row, "attention_mask": mask})
    inputs = {"lower": states, "segments": np.array([segments], dtype=np.int64), "attention_mask": mask}
    stays, part, ends = run_session(upper, ["chances"], inputs)[0][0]
    return Chances(float(stays), float(part), float(ends))


# -- A cross-encoder from a folder: reads a question together with each answer, which no vector can


RERANKER = "recall.reranker"
PAIR_LENGTH = 512
"""Tokens of a question and an answer together, which such models read."""
_STEEPEST = 60.0


class CrossEncoder:
    """Scores pairs with the model of a folder; nothing is loaded before the first one.

    Args:
        folder: holds the graph and the tokenizer.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._loading = threading.Lock()
        self._run: Callable[[str, str], float] | None = None

    def scores(self, question: str, texts: Sequence[str]) -> list[float]:
        """For each text how well it answers, from 0 to 1.

        Raises:
            EmbeddingError: the model is missing, damaged, or cannot run here.
        """
        with self._loading:
            self._run = self._run or self._open()
        return [self._run(question, text) for text in texts]

    def _open(self) -> Callable[[str, str], float]:
        session = open_session(graph_in(self._folder, "", setting=RERANKER))
        encode = pair_tokenizer(self._folder, PAIR_LENGTH, setting=RERANKER)
        kinds = {
            one.name: "int32" if one.type == "tensor(int32)" else "int64" for one in session.get_inputs()
        }
        if unknown := sorted(kinds.keys() - INPUTS.keys()):
            raise EmbeddingError(f"The cross-encoder needs an input {unknown[0]!r}, which is not known.")
        output = session.get_outputs()[0].name

        def run(question: str, text: str) -> float:
            tokens = encode(question, text)
            fed = {name: INPUTS[name](tokens).astype(kind) for name, kind in kinds.items()}
            found = run_session(session, [output], fed)[0].reshape(-1)
            if len(found) != 1:
                raise EmbeddingError(
                    f"The model of {RERANKER} gives {len(found)} numbers for a pair, not one."
                )
            return 1 / (1 + exp(-min(max(float(found[0]), -_STEEPEST), _STEEPEST)))

        return run
