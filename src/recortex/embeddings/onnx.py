"""The shipped model: all-MiniLM-L6-v2 as int8 ONNX, run on the processor.

Texts run one at a time. Measured with `bench/embeddings.py`, batches of 8 to 32 are not faster than that on a
processor, and with dynamic quantisation a vector would depend on the other texts of its batch (cosine 0.982
at worst). One by one, a text always has the same vector; several threads share the texts.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from recortex.embeddings.pieces import PieceReader, read_table
from recortex.embeddings.session import Loaded, LocalModel, open_session, run_session
from recortex.embeddings.wordpiece import WordPiece
from recortex.errors import EmbeddingError

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    import numpy.typing as npt

    from recortex.embeddings.pieces import Table
    from recortex.ports.embedding import PieceCodes, Pieces, Purpose, Vector, Vectors

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
