"""Finding memories in PostgreSQL.

Words through tsvector with FTS5's words and its BM25, likeness through pgvector.
"""

from __future__ import annotations

from itertools import accumulate, takewhile
from math import log
from typing import TYPE_CHECKING, Any, NamedTuple

from recortex.domain.search import BM25_MOST_GAIN, begins
from recortex.ports.search import MOST_SCORED
from recortex.storage.postgres.memories import asked, lexeme, quoted
from recortex.storage.records.filters import where
from recortex.storage.records.search import LOOKALIKES, SearchRecords
from recortex.storage.records.values import json

if TYPE_CHECKING:
    from collections.abc import Sequence

    from recortex.domain.search import MemoryQuery
    from recortex.storage.database import Database
    from recortex.storage.postgres.memories import PgMemories, WordCounts
    from recortex.storage.postgres.pool import PgDatabase
    from recortex.storage.postgres.vector_index import PgVectors

LIVING = frozenset({"active", "proposed", "quarantined"})
_LEAST_IDF = 1e-6
"""FTS5's: a word that half of the rows hold still counts a little."""


_FIRST = 2_000
"""When a new memory is compared, its rarest words are searched first, until they find so many memories."""
MOST_COMPARED = 100_000
"""Memories that are scored to find what a new one is like; the latest, where its words are in more."""


class Asked(NamedTuple):
    """The words of a search.

    Attributes:
        lexemes: count in the score; only the first `finding` of them find memories.
        terms: of the query that finds, one for each lexeme; words that begin alike share one.
        rarities: of the lexemes, as BM25 weighs them.
        mean: mean length of a memory, in words.
        found: how many memories each lexeme is in.
        finding: see `lexemes`.
        all_required: a memory must hold all lexemes that find.
    """

    lexemes: list[str]
    terms: list[str]
    rarities: list[float]
    mean: float
    found: list[int]
    finding: int
    all_required: bool = False

    @property
    def values(self) -> tuple[Any, ...]:
        """Lexemes, rarities, mean length, and the query that finds."""
        either = (" & " if self.all_required else " | ").join(dict.fromkeys(self.terms[: self.finding]))
        return (self.lexemes, self.rarities, self.mean, either)

    def most(self, limit: int | None = None) -> int | None:
        """How many may be scored, `MOST_SCORED` unless said; None where there cannot be more."""
        limit = MOST_SCORED if limit is None else limit
        found = self.found[: self.finding]
        return limit if (min(found) if self.all_required else sum(found)) > limit else None

    def rarest_first(self) -> Asked:
        """The same with the lexemes ordered by rarity; only those that few rows hold find any."""
        order = sorted(range(len(self.lexemes)), key=self.found.__getitem__)
        found = [self.found[place] for place in order]
        return Asked(
            lexemes=[self.lexemes[place] for place in order],
            terms=[self.terms[place] for place in order],
            rarities=[self.rarities[place] for place in order],
            mean=self.mean,
            found=found,
            finding=max(sum(1 for _ in takewhile(_FIRST.__ge__, accumulate(found))), 1),
        )

    def held(self) -> Asked:
        """The same without the lexemes that nothing holds."""
        places = [place for place, found in enumerate(self.found) if found]
        return self._replace(
            lexemes=[self.lexemes[place] for place in places],
            terms=[self.terms[place] for place in places],
            rarities=[self.rarities[place] for place in places],
            found=[self.found[place] for place in places],
            finding=len(places),
        )

    def needed(self, worst: float) -> int:
        """How many lexemes must find memories, so that one without any of them scores less than `worst`."""
        return next(
            (
                finding
                for finding in range(1, len(self.lexemes))
                if BM25_MOST_GAIN * sum(self.rarities[finding:]) < worst
            ),
            len(self.lexemes),
        )


class PgSearch(SearchRecords):
    """The `SearchStore` of a workspace."""

    def __init__(
        self, database: PgDatabase, memories: PgMemories, vectors: PgVectors, counts: WordCounts
    ) -> None:
        super().__init__(database, memories, vectors, vectors)
        self._workspace = database.workspace
        self._counts = counts

    def frequencies(self, words: Sequence[str]) -> list[int]:
        """For each word, how many memories contain it."""
        return frequencies_of(self._counts, words)

    def holding(self, words: Sequence[str], keys: Sequence[int]) -> dict[str, frozenset[int]]:
        """For each word, those of the memories that contain it."""
        return holding(self._database, self._workspace, self._sql["holding"], words, keys)

    def match(
        self,
        words: Sequence[str],
        limit: int,
        only: MemoryQuery | None,
        *,
        all_required: bool = False,
        score_only: Sequence[str] = (),
    ) -> list[tuple[int, float]]:
        """Keys of memories with any of the words, or all, best first; of equals the oldest first."""
        search = self._asked(words, all_required=all_required, score_only=score_only)
        if search is None:
            return []
        if only is None:
            bindings = (limit, *search.values, search.most())
            return [(key, score) for key, score in self._database.rows(self._sql["match"], bindings)]
        condition, values = where(only)
        sql = self._sql["match_among"].replace("LIMIT ALL", f"LIMIT {MOST_SCORED}")
        sql = sql.replace("1 = 1", condition)
        return [(key, score) for key, score in self._database.rows(sql, (limit, *search.values, *values))]

    def candidates(self, words: Sequence[str], *, terms: bool = False) -> list[tuple[str, str]]:
        """Living memories that share some of these words: (id, text), the most alike first."""
        search = self._asked(words)
        if search is None:
            return []
        search = search.rarest_first()
        found = self._lookalikes(search, terms)
        needed = search.needed(found[-1][-1] if len(found) == LOOKALIKES else 0.0)
        if needed > search.finding:
            found = self._lookalikes(search._replace(finding=needed), terms)
        return [(id_, text) for id_, text, status, _ in found if status in LIVING]

    def candidates_of_all(self, asked: Sequence[Sequence[str]]) -> list[list[tuple[str, str]]]:
        """As `candidates`, for each of many new memories."""
        return [self.candidates(words) for words in asked]

    def _lookalikes(self, search: Asked, terms: bool) -> list[tuple[Any, ...]]:
        most = MOST_COMPARED if sum(search.found[: search.finding]) > MOST_COMPARED else None
        return self._rows("lookalikes", LOOKALIKES, *search.values, most, terms)

    def _asked(
        self, words: Sequence[str], *, all_required: bool = False, score_only: Sequence[str] = ()
    ) -> Asked | None:
        return asked_for(
            self._counts, self._workspace, words, all_required=all_required, score_only=score_only
        )


def frequencies_of(counts: WordCounts, words: Sequence[str]) -> list[int]:
    """For each word, how many rows contain it; with any ending, the sum over the words that begin so."""
    known = [asked(word) or "" for word in words]
    found = counts.of([one for one in known if one])
    return [
        sum(counts.beginning(one).values()) if one and begins(word) else found.get(one, 0)
        for word, one in zip(words, known, strict=True)
    ]


def holding(
    database: Database, workspace: int, sql: str, words: Sequence[str], keys: Sequence[int]
) -> dict[str, frozenset[int]]:
    """For each word, those of the keys whose rows hold it."""
    known, among = {word: asked(word) for word in words}, json(list(keys))
    return {
        word: frozenset(row[0] for row in database.rows(sql, (f"'{quoted(lexeme(workspace, one))}'", among)))
        if one
        else frozenset()
        for word, one in known.items()
    }


def asked_for(
    counts: WordCounts,
    workspace: int,
    words: Sequence[str],
    *,
    all_required: bool = False,
    score_only: Sequence[str] = (),
) -> Asked | None:
    """The words to find by, and those that only count in the score; None where no word is searchable."""
    wanted, also = ([(one, word) for word in given if (one := asked(word))] for given in (words, score_only))
    if not wanted:
        return None
    (total, length), found = counts.among([one for one, _ in (*wanted, *also)])
    finding, scoring = (
        [
            _Lexeme(held, one if begins(word) else "", count, _rarity(min(sum(alike.values()), total), total))
            for one, word in given
            for alike in [_alike(counts, one, found[one], word)]
            for held, count in alike.items()
        ]
        for given in (wanted, also)
    )
    lexemes = [*finding, *scoring]
    return Asked(
        lexemes=[lexeme(workspace, one.word) for one in lexemes],
        terms=[one.term(workspace) for one in lexemes],
        rarities=[one.rarity for one in lexemes],
        mean=max(length / max(total, 1), 1e-9),
        found=[one.found for one in lexemes],
        finding=len(finding),
        all_required=all_required,
    )


def _alike(counts: WordCounts, one: str, found: int, word: str) -> dict[str, int]:
    """A word, or those that begin so, and how many rows hold each; together they are one word to BM25."""
    return (counts.beginning(one) if begins(word) else {}) or {one: found}


class _Lexeme(NamedTuple):
    """A word that is scored; `start` is how the others begin that count as the same."""

    word: str
    start: str
    found: int
    rarity: float

    def term(self, workspace: int) -> str:
        return f"'{quoted(lexeme(workspace, self.start or self.word))}'{':*' if self.start else ''}"


def _rarity(count: int, total: int) -> float:
    """The inverse document frequency as FTS5 has it."""
    return max(log((total - count + 0.5) / (count + 0.5)), _LEAST_IDF) if count else 0.0
