"""Interfaces of models: embedders, and language models with the record of their calls."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, Protocol, TypeAlias, runtime_checkable

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import datetime

    import numpy as np
    import numpy.typing as npt

    from recortex.domain.maintenance import Answer, Limit, ModelCall, Request, Spending, Unavailable
    from recortex.domain.memory import Chances

    Vector: TypeAlias = npt.NDArray[np.float32]
    Vectors: TypeAlias = npt.NDArray[np.float32]
    Pieces: TypeAlias = tuple[npt.NDArray[np.float32], npt.NDArray[np.bool_]]
    """The word pieces of a question, by which it is compared with passages word by word.

    Rows of unit length, shape (pieces, numbers); and for each piece whether it says what the question is
    about, as at least one does.
    """


class LanguageModel(Protocol):
    """A language model behind a budget. It raises no error but those of the store that holds its ledger."""

    @property
    def notices(self) -> Sequence[str]:
        """What a person should know of how it is set up, such as a model without a known price."""

    def ask(self, request: Request) -> Answer | Unavailable:
        """Ask, within the time and the budget that are set.

        Not to be called inside a transaction of the store.
        """


class ModelCalls(Protocol):
    """The ledger of calls. Each method is its own short transaction."""

    def reserve(self, call: ModelCall, limit: Limit) -> int | None:
        """Note a call with the most that it can cost, if the UTC day has room for it.

        Returns:
            Its number; None where there is no room: it is then noted as refused, at no cost.
        """

    def settle(self, number: int, call: ModelCall) -> None:
        """Put what a call really cost, and what came of it, in place of the reserve."""

    def total_today(self, now: datetime) -> Spending:
        """What was spent on the UTC day of `now`."""

    def recent(self, limit: int) -> list[ModelCall]:
        """The last calls, newest first."""


# -- interfaces of embedders, which turn texts into vectors


Purpose: TypeAlias = Literal["passage", "query"]
"""Whether a text is to be found or is a question. Many models were trained with a prefix for each."""


PieceCodes: TypeAlias = bytes
"""The pieces of a passage that say what it is about, each once: the signs of its numbers, a bit each."""


class Embedder(Protocol):
    """Makes vectors of texts. Vectors of embedders with different names are never compared.

    A query's vector and a passage's, of one name, are made to be compared with each other.
    """

    @property
    def name(self) -> str:
        """The model's name, stored with each vector: all that makes vectors incomparable is part of it."""

    @property
    def dimensions(self) -> int:
        """The length of each vector; 0 where it is not known before the first one."""

    def embed(self, texts: Sequence[str], *, purpose: Purpose = "passage") -> Vectors:
        """Return float32 rows of unit length, shape (len(texts), dimensions), in the order of the texts.

        Raises:
            EmbeddingError: No vector could be made.
        """


@runtime_checkable
class PieceEmbedder(Protocol):
    """An embedder that may tell the pieces of each text as well."""

    def embed_pieces(
        self, texts: Sequence[str], *, purpose: Purpose = "passage"
    ) -> tuple[Vectors, Sequence[Pieces | PieceCodes]]:
        """As `Embedder.embed`, with `Pieces` of each question or `PieceCodes` of each passage, or nothing.

        Raises:
            EmbeddingError: No vector could be made.
        """


class Named(Protocol):
    """Vectors of one call, and the name of the embedder that made all of them."""

    @property
    def name(self) -> str:
        """The embedder's name."""

    @property
    def vectors(self) -> Vectors:
        """One row for each text."""

    @property
    def pieces(self) -> Sequence[Pieces | PieceCodes]:
        """The pieces of each text; nothing where the embedder does not tell them."""


class NamedEmbedder(Protocol):
    """An embedder that may be one of several; which one answered is told with the vectors."""

    @property
    def preferred_name(self) -> str:
        """The name of the embedder that is wanted: whose vectors memories should have."""

    @property
    def active_name(self) -> str:
        """The name of the embedder that answered last."""

    def embed_named(self, texts: Sequence[str], *, purpose: Purpose = "passage") -> Named:
        """Return the vectors and who made them.

        Raises:
            EmbeddingError: No embedder could.
        """

    def begin(self, texts: Sequence[str], *, purpose: Purpose = "passage") -> Callable[[], Named]:
        """Start to make vectors beside other work.

        Returns:
            What waits for them. It raises `EmbeddingError` where no embedder could make them.
        """


# -- interface of what reads a question together with each answer


class Reranker(Protocol):
    """Says how well each of some texts answers a question."""

    def scores(self, question: str, texts: Sequence[str]) -> Sequence[float]:
        """For each text from 0 to 1.

        Raises:
            EmbeddingError: it cannot be run here.
        """


# -- interface of what reads two statements together


class ChangeReader(Protocol):
    """Reads pairs of a known and a new statement."""

    def chances(self, pairs: Sequence[tuple[str, str]]) -> Sequence[Chances]:
        """For each pair, the chances of what the new statement does to the known one.

        Raises:
            EmbeddingError: they cannot be read here.
        """
