"""Interface of what reads a question together with each answer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence


class Reranker(Protocol):
    """Says how well each of some texts answers a question."""

    def scores(self, question: str, texts: Sequence[str]) -> Sequence[float]:
        """For each text from 0 to 1.

        Raises:
            EmbeddingError: it cannot be run here.
        """
