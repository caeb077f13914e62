"""Makes the vectors of memories, at once or later."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from recortex.engines.indexing.document import embedded_text
from recortex.engines.indexing.vectors import compact, cosine
from recortex.engines.languages import reads
from recortex.engines.similarity.jaccard import is_uncertain, vector_hash, vector_verdict
from recortex.errors import EmbeddingError, TextRefusedError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from recortex.domain.memory import Memory
    from recortex.domain.relation import Relation
    from recortex.ports.embedding import Named, NamedEmbedder
    from recortex.ports.store import Store

BATCH = 50
"""Texts that are embedded between two short transactions: a kill loses at most these vectors, and no
memory."""


class _Made(NamedTuple):
    """Vectors of texts.

    Attributes:
        model: the embedder that made the new ones.
        hashes: of each text's vector.
        codes: int8 codes of the new vectors, by hash.
        pieces: word pieces of the new ones, by hash, where the embedder tells them.
    """

    model: str
    hashes: list[bytes]
    codes: dict[bytes, bytes] = {}  # noqa: RUF012  never written to
    pieces: dict[bytes, bytes] = {}  # noqa: RUF012


class Embedding:
    """Makes vectors of memories that are in a store.

    The preferred embedder is the wanted one. A fallback makes vectors only for memories that have none, so
    that they are found in the meantime; its vectors are outdated as soon as the wanted embedder works again.

    Args:
        embedder: None where vectors are switched off.
        project: the project's name, which is embedded with each memory.
    """

    def __init__(self, store: Store, embedder: NamedEmbedder | None, *, project: str = "") -> None:
        self._store = store
        self._project = project
        self._embedder = embedder
        self._recovery_recorded = False  # whether the ledger knows that the wanted embedder works

    @property
    def wanted(self) -> str:
        """The embedder that every memory should have a vector of; empty if the store cannot have vectors."""
        if self._embedder is None or not self._store.vectors.available:
            return ""
        return self._embedder.preferred_name

    def embed(
        self, memories: Sequence[Memory], *, progress: Callable[[str, int, int], None] = lambda *_: None
    ) -> int:
        """Attach a vector to each memory whose kind has one; returns how many got one.

        A memory stays without a vector, and is found by its words, when no embedder can make it.
        """
        waiting = self._with_texts(memories)
        done: list[int] = []
        for start in range(0, len(waiting), BATCH):
            batch = waiting[start : start + BATCH]
            try:
                self._embed_most(batch, kept=lambda _, count: done.append(count))
            except EmbeddingError:
                break
            progress("embedding", sum(done), len(waiting))
        return sum(done)

    def catch_up(self, limit: int) -> int:
        """Embed at most `limit` memories that have no vector, such as those that a killed process left."""
        if not self.wanted:
            return 0
        ids = self._store.vectors.pending(limit)
        return self.embed(self._store.memories.get(ids)) if ids else 0

    def renew(
        self, ids: Sequence[str], *, stand_in: bool, kept: Callable[[str, int], None] = lambda *_: None
    ) -> str:
        """Give at most a batch of memories a vector of the wanted embedder.

        Args:
            ids: of memories, which may have vectors of other embedders.
            stand_in: whether a fallback may be used for memories that have no vector.
            kept: called with the embedder's name and the number of memories, in the transaction that writes
                the vectors.

        Returns:
            The name of the embedder that answered.

        Raises:
            EmbeddingError: no vector could be made, or only by a fallback that is not allowed; nothing was
                changed.
        """
        waiting = self._with_texts(self._store.memories.get(ids))
        return self._embed_most(waiting, stand_in=stand_in, kept=kept) if waiting else self.wanted

    def _with_texts(self, memories: Sequence[Memory]) -> list[tuple[Memory, str]]:
        if not self.wanted:
            return []
        return [(memory, text) for memory in memories if (text := embedded_text(memory, self._project))]

    def _embed_most(
        self,
        batch: Sequence[tuple[Memory, str]],
        *,
        stand_in: bool = True,
        kept: Callable[[str, int], None] = lambda *_: None,
    ) -> str:
        """As `_embed_batch`, by halves if a text is refused, so that the others get their vectors.

        Raises:
            TextRefusedError: every text is refused: the set-up is wrong, not the texts.
        """
        try:
            return self._embed_batch(batch, stand_in=stand_in, kept=kept)
        except TextRefusedError as error:
            if len(batch) == 1:
                raise
            made, refused = "", error
        for half in (batch[: len(batch) // 2], batch[len(batch) // 2 :]):
            try:
                made = self._embed_most(half, stand_in=stand_in, kept=kept)
            except TextRefusedError as error:
                refused = error
        if not made:
            raise refused
        return made

    def _embed_batch(
        self,
        batch: Sequence[tuple[Memory, str]],
        *,
        stand_in: bool = True,
        kept: Callable[[str, int], None] = lambda *_: None,
    ) -> str:
        """Embed and attach; returns the embedder that made the missing vectors, else the wanted one."""
        model, hashes, codes, pieces = self._vectors_of([text for _, text in batch])
        if model != self.wanted and not stand_in:
            raise EmbeddingError(f"{self.wanted} makes no vectors now, only its fallback {model} does.")
        with self._store.transaction():
            if codes:
                made = self._store.vectors.put(model, codes)
                self._store.vectors.put_pieces({made[hash_]: one for hash_, one in pieces.items()})
            if codes and model == self.wanted and not self._recovery_recorded:
                self._store.ledger.works_again("embedding model")
                self._recovery_recorded = True
            keys = self._store.vectors.keys_of(hashes)
            pairs = [
                (memory.id, keys[hash_], bytes.fromhex(memory.content_hash))
                for (memory, _), hash_ in zip(batch, hashes, strict=True)
                if hash_ in keys
            ]
            self._store.vectors.attach(pairs, first=model != self.wanted)
            kept(model, len(pairs))
            self._settle([memory.id for memory, _ in batch if reads(model, memory.text)], model)
        return model

    def _vectors_of(self, texts: Sequence[str]) -> _Made:
        """The hash of each text's vector, and the codes and pieces of the new vectors.

        A hash is made of the embedder's name and the text, so a vector that the embedder once made is found
        again, even if another embedder was used in between.
        """
        assert self._embedder is not None  # noqa: S101  `wanted` checked it
        model = self.wanted
        hashes = [vector_hash(model, text) for text in texts]
        known = self._store.vectors.keys_of(hashes)
        missing = dict.fromkeys(text for hash_, text in zip(hashes, texts, strict=True) if hash_ not in known)
        if not missing:
            return _Made(model, hashes)
        made = self._embedder.embed_named(list(missing), purpose="passage")
        if made.name != model:  # a fallback: its vectors have hashes of their own
            hashes = [
                hash_ if hash_ in known else vector_hash(made.name, text)
                for hash_, text in zip(hashes, texts, strict=True)
            ]
        self._check_length(made)
        new = [vector_hash(made.name, text) for text in missing]
        codes = dict(zip(new, map(compact, made.vectors), strict=True))
        pieces = {hash_: one for hash_, one in zip(new, made.pieces, strict=False) if isinstance(one, bytes)}
        return _Made(made.name, hashes, codes, pieces)

    def _check_length(self, made: Named) -> None:
        """Refuse vectors that cannot be compared with the embedder's own.

        Raises:
            EmbeddingError: they have another length.
        """
        length, kept = made.vectors.shape[1], self._store.vectors.dimensions(made.name)
        if kept not in {None, length}:
            raise EmbeddingError(
                f"{made.name} makes {length} dimensions now; the store has vectors of {kept} by it.",
                hint="Another model has its name: run `recortex reembed --afresh`, which makes all vectors "
                "again.",
            )

    def _settle(self, ids: Sequence[str], model: str) -> None:
        """Decide by vectors about relations for which the words alone were not clear."""
        doubted = [*filter(is_uncertain, self._store.relations.of(ids))]
        ends = {id_ for relation in doubted for id_ in (relation.source_id, relation.target_id)}
        codes = self._store.vectors.codes_of(sorted(ends), model) if ends else {}
        kept: list[Relation] = []
        for relation in doubted:
            pair = [codes[id_] for id_ in (relation.source_id, relation.target_id) if id_ in codes]
            if len(pair) < 2:  # noqa: PLR2004  a pair
                continue
            better = vector_verdict(relation, cosine(*pair))
            if better is None:
                self._store.relations.remove(relation.source_id, relation.target_id, relation.type)
            else:
                kept.append(better)
        self._store.relations.put_all(kept)
