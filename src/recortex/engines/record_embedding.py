"""Vectors of exchanges and of parts of documents, made after these were kept; until then words find them."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Generic, TypeVar

from recortex.engines.indexing import compact
from recortex.engines.similarity import vector_hash
from recortex.errors import EmbeddingError, TextRefusedError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from recortex.ports.model import NamedEmbedder
    from recortex.ports.search import OwnVectors
    from recortex.ports.store import KeptStore

Kept = TypeVar("Kept")
BATCH = 32
"""Records between two short transactions: a kill loses at most their vectors."""
PART = "\0"
"""Parts two parts of a text, whose vector is the mean of both."""
RELEASED = 1_000
"""Records that give up the vectors of another embedder in one transaction."""


class RecordEmbedding(Generic[Kept]):
    """Makes vectors of the exchanges of a store, or of its chunks, by the wanted embedder alone.

    Args:
        store: where they are.
        vectors: of the store: those of exchanges, or of chunks.
        texts: what the vectors of a record are made of; an empty text has none.
        embedder: None where vectors are switched off.
    """

    def __init__(
        self,
        store: KeptStore,
        vectors: OwnVectors[Kept],
        texts: Callable[[Kept], tuple[str, ...]],
        embedder: NamedEmbedder | None,
    ) -> None:
        self._store = store
        self._vectors = vectors
        self._texts = texts
        self._embedder = embedder if store.vectors.available else None
        self._refused: set[int] = set()  # keys of records that the embedder refused, for this process

    def embed_batch(self, limit: int = BATCH) -> int:
        """Give the next records their vectors; returns how many got some.

        One whose text is refused is passed over until the next process.

        Raises:
            EmbeddingError: the wanted embedder makes none now; nothing was changed.
        """
        if self._embedder is None:
            return 0
        # Those that were refused still wait, and would otherwise fill every batch.
        waiting = self._vectors.waiting(min(limit, BATCH) + len(self._refused))
        return self._embed_most([one for one in waiting if one[0] not in self._refused])

    def release_others(self) -> None:
        """Let records wait for vectors of the wanted embedder that have those of another."""
        if self._embedder is None:
            return
        released = RELEASED
        # In several transactions, so that other writers get their turn.
        while released == RELEASED:
            with self._store.transaction():
                model = self._embedder.preferred_name
                released = self._vectors.release_others(model, RELEASED)

    def _embed_most(self, waiting: Sequence[tuple[int, Kept]]) -> int:
        """As `_embed`, by halves if a text is refused, so that the others get their vectors."""
        try:
            return self._embed(waiting) if waiting else 0
        except TextRefusedError:
            if len(waiting) == 1:
                self._refused.add(waiting[0][0])
                return 0
        half = len(waiting) // 2
        return self._embed_most(waiting[:half]) + self._embed_most(waiting[half:])

    def _embed(self, waiting: Sequence[tuple[int, Kept]]) -> int:
        model = self._embedder.preferred_name if self._embedder else ""
        texts = {key: self._texts(one) for key, one in waiting}
        hashes = {text: vector_hash(model, text) for some in texts.values() for text in some if text}
        # A text that stands in several records, or came before, has its vector already.
        known = self._vectors.keys_of(list(hashes.values()))
        codes = self._codes(model, {text: hash_ for text, hash_ in hashes.items() if hash_ not in known})
        with self._store.transaction():
            keys = dict(known) | dict(self._vectors.put(model, codes) if codes else {})
            of_text = {text: keys[hash_] for text, hash_ in hashes.items()}
            self._vectors.attach({key: tuple(map(of_text.get, some)) for key, some in texts.items()})
        return len(waiting)

    def _codes(self, model: str, missing: Mapping[str, bytes]) -> dict[bytes, bytes]:
        """The new vectors as int8 codes, by hash."""
        if not missing or self._embedder is None:
            return {}
        texts = sorted(missing, key=len)  # those of like length together: the model pads the shorter ones
        parts = [text.split(PART) for text in texts]
        made = self._embedder.embed_named([one for some in parts for one in some], purpose="passage")
        # Vectors of the fallback cannot be compared with those of the wanted model, so the records go on
        # waiting.
        if made.name != model:
            raise EmbeddingError(f"{model} makes no vectors now, only its fallback {made.name} does.")
        rows = iter(made.vectors)
        means = [sum(islice(rows, len(some))) for some in parts]  # their length does not matter
        return {missing[text]: compact(row) for text, row in zip(texts, means, strict=True)}
