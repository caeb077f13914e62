"""Finds what a question is compared with: what words or vectors find, and what stands beside the first."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from recortex.engines.indexing.traits import Trait
from recortex.engines.retrieval.fusion import fuse

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from recortex.domain.query import MemoryQuery
    from recortex.domain.search import Facts
    from recortex.engines.retrieval.asking import Search
    from recortex.engines.retrieval.vocabulary import Vocabulary
    from recortex.ports.search import SearchStore

_DIALOGUE = int(Trait.DIALOGUE)
ENOUGH = 40
"""With fewer candidates than this, and a search cut at its limit, the search is repeated with the filter
inside the query: far more than the hits that are asked for, so that scoring still has a choice."""
RADIUS = 2
"""Turns before and after a turn of dialogue that count for it; the weights of `nearby` were chosen with this
radius (bench/retrieval.py)."""
LEADING = 15
"""Turns that stand beside one of so many first candidates are candidates too: 3 % more of what answers is
among them, and with 80 no more is found than with 15 (bench/retrieval.py: LoCoMo)."""


class Candidates:
    """Finds the candidates of a search.

    Args:
        search: the store's search interface.
    """

    def __init__(self, search: SearchStore) -> None:
        self._search = search

    def found(self, search: Search, only: MemoryQuery) -> tuple[Sequence[tuple[int, float]], Sequence[Facts]]:
        """Keys with their BM25, and the facts of all that words or vectors found and that pass the filter."""
        gathering, expected = search.gathering, search.meaning.model
        inner_filter: MemoryQuery | None
        # An unfiltered search is faster, and most filters leave enough of what it finds.
        for inner_filter in (None, only):
            matched = (
                self._matched(search.vocabulary, gathering.words, inner_filter) if gathering.words else ()
            )
            # The vector is being made meanwhile: what does not need it comes first.
            read = [key for key, _ in matched]
            found = [*self._search.facts(read, only, expected)] if read else []
            search.fade(found)
            near: Sequence[int] = ()
            if search.vector is not None:
                near = self._search.nearest(
                    search.vector.raw, gathering.vectors, inner_filter, search.vector.model
                )
            place = {key: number for number, key in enumerate(fuse([read, near]))}
            found = self._complete(search, found, set(place).difference(read), only)
            # A search that reached its limit may have left out memories that pass the filter.
            cut = len(matched) >= gathering.words > 0 or len(near) >= gathering.vectors > 0
            if len(found) >= ENOUGH or not cut:
                break
        return matched, sorted(found, key=lambda one: place[one.key])

    def _complete(
        self, search: Search, found: list[Facts], more: Iterable[int], only: MemoryQuery
    ) -> list[Facts]:
        """The facts that were read and those of more keys, with vectors of the embedder that answered."""
        model = search.vector.model if search.vector else None
        keys = list(more)
        if model != search.meaning.model:  # a fallback had to answer, or none could
            keys, found = [*keys, *(one.key for one in found)], []
        return [*found, *self._search.facts(keys, only, model)] if keys else found

    def _matched(
        self, vocabulary: Vocabulary, limit: int, only: MemoryQuery | None
    ) -> Sequence[tuple[int, float]]:
        """Keys with BM25; in a small store with the sum of rarities, as BM25 of a text of mean length."""
        words, all_required, score_only = vocabulary.lookup()
        if not vocabulary.small:
            found = (
                self._search.match(words, limit, only, all_required=all_required, score_only=score_only)
                if words
                else ()
            )
            few = all_required and len(found) < min(ENOUGH, limit)
            return self._search.match(words, limit, only, score_only=score_only) if few else found
        scores: defaultdict[int, float] = defaultdict(float)
        for word in words:
            for key, _ in self._search.match([word], limit, only):
                scores[key] += vocabulary.rarity(word)
        return sorted(scores.items(), key=lambda entry: -entry[1])

    def beside(
        self, search: Search, facts: Sequence[Facts], only: MemoryQuery
    ) -> tuple[Sequence[Facts], Mapping[int, Sequence[int]]]:
        """The candidates with the turns that stand beside the first of them; the turns around each."""
        if search.vector is None:
            return facts, {}
        around = self._around(facts)
        beside = dict.fromkeys(key for one in facts[:LEADING] for key in around.get(one.key, ()))
        new = list(beside.keys() - {one.key for one in facts})
        more = self._search.facts(new, only, search.vector.model) if new else ()
        return [*facts, *more], {**around, **self._around(more)}

    def _around(self, facts: Sequence[Facts]) -> dict[int, list[int]]:
        turns = [one.key for one in facts if one.traits & _DIALOGUE and one.turn is not None]
        around: defaultdict[int, list[int]] = defaultdict(list)
        for key, neighbour in self._search.around(turns, RADIUS) if turns else ():
            around[key].append(neighbour)
        return around
