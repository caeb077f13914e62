"""What recall needs from the place where memories are kept: gather candidates, look at them, read the few that answer."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from recortex.domain.memory import Memory
    from recortex.domain.query import MemoryQuery


MOST_SCORED = 20_000
"""Memories that one search by words scores: 12 ms in SQLite, whatever the size of the store (bench/scale.py)."""


class Facts(NamedTuple):
    """What is scored of a candidate, read from its row without the text.

    Attributes:
        session: empty where the memory is no part of a dialogue.
        turn: position in the session, or None.
        valid_from: microseconds since 1970 UTC, as the other instants.
        last_accessed_at: None where it was never recalled.
        confidence: the stored base, 0 to 1; decay is computed from it.
        traits: what `engines.indexing.traits` saw in the text when it was written.
        patterns: how many code patterns it is linked to.
        vector: by the embedder that was asked for: int8 or little-endian float32 values.
    """

    key: int
    kind: str
    session: str
    turn: int | None
    speaker: str
    valid_from: int
    recorded_at: int
    last_accessed_at: int | None
    confidence: float
    priority: int
    traits: int
    pinned: int = 0
    validated_at: int | None = None
    access_count: int = 0
    patterns: int = 0
    vector: bytes | None = None


class Links(NamedTuple):
    """Paths of the files and ids of the patterns that a memory is linked to."""

    files: tuple[str, ...] = ()
    patterns: tuple[str, ...] = ()


class SearchStore(Protocol):
    """Memories by likeness. Keys are the store's own integers; no method raises for a key that is gone."""

    def searchable(self) -> int:
        """How many memories are indexed, whatever their status; may be an estimate."""

    def frequencies(self, words: Sequence[str]) -> Sequence[int]:
        """For each word, how many memories contain it (stemmed as the index does); 0 for what is no word.

        Above 10,000 it may be an estimate.
        """

    def known_speakers(self, words: Sequence[str]) -> Sequence[str]:
        """Those speakers, as stored, whose whole name is one of the words; case is ignored."""

    def match(
        self,
        words: Sequence[str],
        limit: int,
        only: MemoryQuery | None,
        *,
        every: bool = False,
        also: Sequence[str] = (),
    ) -> Sequence[tuple[int, float]]:
        """Keys that contain at least one of the words, or every one, with their BM25 (higher is better), best first.

        The words of `also` find no memory, but count in the score of those that are found. Of more than `MOST_SCORED`
        memories that are found, the latest so many are scored. Columns weigh 1 (text), 2 (terms) and 0.5 (context). `only` restricts to the memories that pass it
        (its order, limit, offset and `as_of` aside); None searches everything, which is faster.
        """

    def nearest(self, vector: bytes, limit: int, only: MemoryQuery | None, model: str) -> Sequence[int]:
        """Keys whose vectors' signs differ least from the query's, nearest first: a coarse pass; `only` as in `match`.

        `model` names the embedder: vectors of another one are not looked at. `vector` holds little-endian float32 values. Empty where vectors cannot be searched.
        """

    def vectors(self, keys: Sequence[int], model: str) -> Mapping[int, bytes]:
        """The vector by that embedder of each memory that has one: int8 or little-endian float32 values, all of one kind."""

    def facts(self, keys: Sequence[int], only: MemoryQuery, model: str | None) -> Sequence[Facts]:
        """The facts of those of `keys` that pass the filter, in any order; with vectors where a model is named."""

    def around(self, keys: Sequence[int], radius: int) -> Sequence[tuple[int, int]]:
        """Pairs (key, neighbour's key): turns of the same session at most `radius` turns away, the key itself left out."""

    def links(self, keys: Sequence[int]) -> Mapping[int, Links]:
        """The files and patterns of those memories that have some."""

    def hubs(self, keys: Sequence[int]) -> Mapping[int, float]:
        """The centrality (`engines.graph.centrality`) of those of which it is above a half: no other changes decay."""

    def memories(self, keys: Sequence[int]) -> Mapping[int, Memory]:
        """The memories with these keys."""
