"""Makes the vectors of exchanges, some time after they were kept; until then words find them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recortex.engines.indexing.vectors import compact
from recortex.engines.similarity.fingerprint import vector_hash
from recortex.errors import EmbeddingError, TextRefusedError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from recortex.domain.exchange import Waiting
    from recortex.ports.embedding import NamedEmbedder
    from recortex.ports.kept_store import KeptStore

BATCH = 32
"""Exchanges between two short transactions: a kill loses at most their vectors."""
RELEASED = 1_000
"""Exchanges that give up the vectors of another embedder in one transaction."""


class ExchangeEmbedding:
    """Makes vectors of the exchanges of a store, by the wanted embedder alone.

    Args:
        store: where they are.
        embedder: None where vectors are switched off.
    """

    def __init__(self, store: KeptStore, embedder: NamedEmbedder | None) -> None:
        self._store = store
        self._embedder = embedder if store.vectors.available else None
        self._refused: set[int] = set()  # keys of exchanges that the embedder refused, for this process

    def embed_batch(self, limit: int = BATCH) -> int:
        """Give the next exchanges their vectors, the latest first; returns how many got some.

        One whose text is refused is passed over until the next process.

        Raises:
            EmbeddingError: the wanted embedder makes none now; nothing was changed.
        """
        if self._embedder is None:
            return 0
        waiting = self._store.exchange_vectors.waiting(min(limit, BATCH) + len(self._refused))
        return self._embed_most([one for one in waiting if one.key not in self._refused])

    def release_others(self) -> None:
        """Let exchanges wait for vectors of the wanted embedder that have those of another."""
        if self._embedder is None:
            return
        released = RELEASED
        while released == RELEASED:
            with self._store.transaction():
                model = self._embedder.preferred_name
                released = self._store.exchange_vectors.release_others(model, RELEASED)

    def _embed_most(self, waiting: Sequence[Waiting]) -> int:
        """As `_embed`, by halves if a text is refused, so that the others get their vectors."""
        try:
            return self._embed(waiting) if waiting else 0
        except TextRefusedError:
            if len(waiting) == 1:
                self._refused.add(waiting[0].key)
                return 0
        half = len(waiting) // 2
        return self._embed_most(waiting[:half]) + self._embed_most(waiting[half:])

    def _embed(self, waiting: Sequence[Waiting]) -> int:
        model = self._embedder.preferred_name if self._embedder else ""
        hashes = {text: vector_hash(model, text) for one in waiting for text in one.texts if text}
        known = self._store.exchange_vectors.keys_of(list(hashes.values()))
        codes = self._codes(model, {text: hash_ for text, hash_ in hashes.items() if hash_ not in known})
        with self._store.transaction():
            keys = dict(known) | dict(self._store.exchange_vectors.put(model, codes) if codes else {})
            of_text = {text: keys[hash_] for text, hash_ in hashes.items()}
            self._store.exchange_vectors.attach({one.key: _keys(one, of_text) for one in waiting})
        return len(waiting)

    def _codes(self, model: str, missing: Mapping[str, bytes]) -> dict[bytes, bytes]:
        """The new vectors as int8 codes, by hash."""
        if not missing or self._embedder is None:
            return {}
        texts = sorted(missing, key=len)  # those of like length together: the model pads the shorter ones
        made = self._embedder.embed_named(texts, purpose="passage")
        if made.name != model:
            raise EmbeddingError(f"{model} makes no vectors now, only its fallback {made.name} does.")
        return {missing[text]: compact(row) for text, row in zip(texts, made.vectors, strict=True)}


def _keys(one: Waiting, of_text: Mapping[str, int]) -> tuple[int | None, int | None, int | None]:
    message, answered, outcome = (of_text.get(text) for text in one.texts)
    return message, answered, outcome
