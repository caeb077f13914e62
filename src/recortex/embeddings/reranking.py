"""A cross-encoder from a folder: reads a question together with each answer, which no vector can.

The folder has the layout of model hubs, as for `embeddings/folder.py`: a graph with one number for each pair,
such as those of the ms-marco family, beside its tokenizer. Nothing is downloaded.
"""

from __future__ import annotations

import threading
from math import exp
from typing import TYPE_CHECKING

from recortex.embeddings.folder import INPUTS, pair_tokenizer
from recortex.embeddings.folder import graph_in as graph_of
from recortex.embeddings.session import open_session, run_session
from recortex.errors import EmbeddingError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

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
