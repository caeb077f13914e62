"""Giving memories their vectors: now, or later for those that had to wait."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recortex.engines.indexing.embedded import embedded_text
from recortex.engines.indexing.vectors import compact, cosine
from recortex.engines.similarity.fingerprint import vector_hash
from recortex.engines.similarity.settling import open_to_question, settled
from recortex.errors import EmbeddingError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from recortex.domain.memory import Memory
    from recortex.ports.embedding import NamedEmbedder
    from recortex.ports.store import Store

BATCH = 64
"""Texts embedded between two short transactions: a kill loses at most so many vectors, and no memory."""


class Embedding:
    """Makes vectors of memories that are in a store.

    Args:
        embedder: None where vectors are switched off.
        project: the project's name, which is embedded with each memory (D).
    """

    def __init__(self, store: Store, embedder: NamedEmbedder | None, *, project: str = "") -> None:
        self._store = store
        self._project = project
        self._embedder = embedder

    def embed(
        self, memories: Sequence[Memory], *, progress: Callable[[str, int, int], None] = lambda *_: None
    ) -> int:
        """Attach a vector to each memory whose kind has one; returns how many got one.

        A memory stays without a vector, and is found by its words, when no embedder can make it.
        """
        texts = {memory.id: text for memory in memories if (text := embedded_text(memory, self._project))}
        waiting = [memory for memory in memories if memory.id in texts]
        if self._embedder is None or not self._store.vectors.available:
            return 0
        done = 0
        for start in range(0, len(waiting), BATCH):
            batch = waiting[start : start + BATCH]
            try:
                self._embed_batch(batch, [texts[memory.id] for memory in batch])
            except EmbeddingError:
                return done
            done += len(batch)
            progress("embedding", done, len(waiting))
        return done

    def catch_up(self, limit: int) -> int:
        """Embed at most so many of those that wait, such as what a killed process left behind."""
        if self._embedder is None:
            return 0
        ids = self._store.vectors.pending(self._embedder.active_name, limit)
        return self.embed(self._store.memories.get(ids)) if ids else 0

    def _embed_batch(self, batch: Sequence[Memory], texts: Sequence[str]) -> None:
        assert self._embedder is not None  # noqa: S101  `embed` looked
        model = self._embedder.active_name
        hashes = [vector_hash(model, text) for text in texts]
        known = self._store.vectors.keys_of(hashes)
        missing = {hash_: text for hash_, text in zip(hashes, texts, strict=True) if hash_ not in known}
        if missing:
            made = self._embedder.embed_named(list(missing.values()))
            if made.name != model:  # another embedder had to step in: its vectors are kept apart
                hashes = [vector_hash(made.name, text) for text in texts]
                missing = {vector_hash(made.name, text): text for text in missing.values()}
                model = made.name
            codes = {hash_: compact(row) for hash_, row in zip(missing, made.vectors, strict=True)}
            with self._store.transaction():
                self._store.vectors.put(model, codes)
        with self._store.transaction():
            keys = self._store.vectors.keys_of(hashes)
            self._store.vectors.attach(
                [
                    (memory.id, keys[hash_], bytes.fromhex(memory.content_hash))
                    for memory, hash_ in zip(batch, hashes, strict=True)
                    if hash_ in keys
                ]
            )
            self._settle([memory.id for memory in batch], model)

    def _settle(self, ids: Sequence[str], model: str) -> None:
        """Let the vectors decide where words alone left open whether two memories are alike."""
        for relation in filter(open_to_question, self._store.relations.of(ids)):
            codes = self._store.vectors.codes_of([relation.source_id, relation.target_id], model)
            if len(codes) < 2:  # noqa: PLR2004  a pair
                continue
            better = settled(relation, cosine(*codes.values()))
            if better is None:
                self._store.relations.remove(relation.source_id, relation.target_id, relation.type)
            else:
                self._store.relations.put(better)
