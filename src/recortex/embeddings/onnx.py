"""The shipped model: all-MiniLM-L6-v2 as int8 ONNX, run on the processor.

Texts run one at a time. Measured with `bench/embeddings.py`, batches of 8 to 32 are not faster than that on a
processor, and with dynamic quantisation a vector would depend on the other texts of its batch (cosine 0.982
at worst). One by one, a text always has the same vector; several threads share the texts.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from recortex.embeddings.session import Loaded, LocalModel, open_session, run_session
from recortex.embeddings.wordpiece import WordPiece
from recortex.errors import EmbeddingError

if TYPE_CHECKING:
    from recortex.ports.embedding import Vector

MODEL_FOLDER = Path(__file__).parent / "model"
MODEL_FILE = "minilm-l6-v2.int8.onnx"
VOCABULARY_FILE = "vocabulary.txt"
MODEL_NAME = "all-minilm-l6-v2.int8"
MAXIMUM_PIECES = 256  # what the model was trained to read; the rest of a text has no influence
DIMENSIONS = 384


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


def read_words(path: Path) -> WordPiece:
    """The word list of a model.

    Raises:
        EmbeddingError: it is missing or damaged.
    """
    try:
        return WordPiece.load(path)
    except (OSError, UnicodeDecodeError, KeyError) as error:
        raise EmbeddingError(f"the embedding model's word list cannot be read: {path.name}") from error


def _load(folder: Path) -> Loaded:
    words = read_words(folder / VOCABULARY_FILE)
    session = open_session(folder / MODEL_FILE)
    return Loaded(lambda text: words.encode(text, MAXIMUM_PIECES), lambda ids: _run(session, ids))


def _run(session: Any, ids: list[int]) -> Vector:
    import numpy as np

    row = np.array([ids], dtype=np.int64)
    inputs = {"input_ids": row, "attention_mask": np.ones_like(row)}
    vector: Vector = run_session(session, ["embedding"], inputs)[0][0]
    return vector
