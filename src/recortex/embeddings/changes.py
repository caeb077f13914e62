"""The shipped model of changes: whether a new statement ends a known one, read together.

Its lower layers are those of the embedding model, so that only the upper three lie in a file of their own
(`scripts/build_change_model.py`).
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

from recortex.domain.change import Chances
from recortex.embeddings.onnx import MODEL_FOLDER, shipped
from recortex.embeddings.session import open_session, run_session

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from recortex.embeddings.wordpiece import WordPiece

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
    import numpy as np

    ids, segments = encoded(words, known, new)
    row = np.array([ids], dtype=np.int64)
    mask = np.ones_like(row)
    (states,) = run_session(lower, [LOWER], {"input_ids": row, "attention_mask": mask})
    inputs = {"lower": states, "segments": np.array([segments], dtype=np.int64), "attention_mask": mask}
    stays, part, ends = run_session(upper, ["chances"], inputs)[0][0]
    return Chances(float(stays), float(part), float(ends))
