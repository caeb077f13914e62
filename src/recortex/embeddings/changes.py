"""The shipped model of changes: whether a new statement ends a known one, read together.

Its lower layers are those of the embedding model, so that only the upper three lie in a file of their own
(`scripts/build_change_model.py`).
"""

from __future__ import annotations

import threading
from math import exp
from typing import TYPE_CHECKING, Any

import numpy as np

from recortex.domain.relation import Chances
from recortex.embeddings.folder import INPUTS, pair_tokenizer
from recortex.embeddings.folder import graph_in as graph_of
from recortex.embeddings.onnx import MODEL_FOLDER, open_session, run_session, shipped
from recortex.errors import EmbeddingError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from recortex.embeddings.onnx import WordPiece


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


SETTING = "recall.reranker"
LENGTH = 512
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
        session = open_session(graph_of(self._folder, "", setting=SETTING))
        encode = pair_tokenizer(self._folder, LENGTH, setting=SETTING)
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
                    f"The model of {SETTING} gives {len(found)} numbers for a pair, not one."
                )
            return 1 / (1 + exp(-min(max(float(found[0]), -_STEEPEST), _STEEPEST)))

        return run
