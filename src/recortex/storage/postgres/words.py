"""The words by which rows are found in PostgreSQL: how many hold each, and which rows match.

BM25 needs those counts, and PostgreSQL does not keep them. What a transaction adds is held here until it is
committed, and is then written at once: a thousand memories touch each common word's row once, not a thousand
times.
"""

from __future__ import annotations

import threading
from collections import Counter
from hashlib import blake2b
from itertools import accumulate, takewhile
from math import log
from typing import TYPE_CHECKING, Any, NamedTuple

import apsw

from recortex.domain.search import BM25_MOST_GAIN, MOST_SCORED
from recortex.storage.database import Records, json
from recortex.storage.records.rows import EVERYTHING, MOST_FOUND, Keywords, rarest
from recortex.text.words import begins

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from recortex.storage.postgres import PgDatabase
    from recortex.storage.records.rows import Clause, Indexed


# -- splits texts into words as FTS5 does, so that both engines find the same memories with the same scores


SAID, MOST_SAID, MOST_WEIGHT = 256, 63, 255
"""A lexeme has one position, of 14 bits: its count in the text times 256, plus twice its weighted count. Both
are capped: BM25 gives hardly more for more occurrences."""
_LONGEST = 255
"""Characters of a lexeme: a tsvector takes 2,046 bytes. Of longer ones the rest stands as its digest."""
_DIGEST_BYTES = 16
_local = threading.local()
_APOSTROPHES = (b"'", "’".encode())


class Words(NamedTuple):
    """What a memory is found by.

    Attributes:
        said: each word, with its count in the text and twice its weighted count.
        length: words in all columns, as often as they occur.
    """

    said: Mapping[str, tuple[int, int]]
    length: int

    def vector(self, workspace: int) -> str:
        """A tsvector as text; every lexeme begins with the workspace."""
        return " ".join(
            f"'{quoted(lexeme(workspace, word))}':{SAID * min(count, MOST_SAID) + min(weight, MOST_WEIGHT)}"
            for word, (count, weight) in self.said.items()
        )


def words_of_columns(row: Mapping[str, Any], weights: Mapping[str, int]) -> Words:
    """The words of a row, by its columns; `weights`: twice that of each."""
    return counted((row[name], weight) for name, weight in weights.items())


def counted(parts: Iterable[tuple[str, int]]) -> Words:
    """The words of texts, each with twice BM25's weight; the first text is what counts as said."""
    counts: Counter[str] = Counter()
    weights: Counter[str] = Counter()
    length = 0
    for place, (said, doubled) in enumerate(parts):
        for word, added in _tokens(said):
            counts[word] += place == 0
            weights[word] += doubled
            length += added
    return Words({word: (counts[word], weight) for word, weight in weights.items()}, length)


def asked(word: str) -> str | None:
    """A word of a question as it is in the index; None where it has no letter or digit.

    One with an apostrophe is a phrase to FTS5: it is indexed as a whole beside its parts, where an
    apostrophe alone stands between them.
    """
    parts = _split(word.replace("\0", "").encode("utf-8", "replace"))
    return _short("'".join(parts)) if parts else None


def lexeme(workspace: int, word: str) -> str:
    """A word in the index."""
    return f"{workspace}:{word}"


def _tokens(text: str) -> Iterator[tuple[str, int]]:
    """Each token with what it adds to the length; joined ones, which FTS5 does not count, add nothing."""
    said = text.encode("utf-8", "replace")
    if "'" not in text and "’" not in text:
        yield from ((_short(token), 1) for token in _split(said))
        return
    end, last = 0, ""
    for start, after, token in _split(said, offsets=True):
        yield _short(token), 1
        if last and said[end:start] in _APOSTROPHES:
            yield _short(f"{last}'{token}"), 0
        end, last = after, token


def _short(word: str) -> str:
    if len(word) <= _LONGEST:
        return word
    rest = blake2b(word.encode(), digest_size=_DIGEST_BYTES).hexdigest()
    return word[: _LONGEST - len(rest)] + rest


def quoted(text: str) -> str:
    """A text as it stands between quotes in a tsvector or tsquery."""
    return text.replace("\\", "\\\\").replace("'", "''")


def _split(text: bytes, *, offsets: bool = False) -> Any:
    """The tokens of a text by SQLite's tokenizer as FTS5 uses it; with offsets (first byte, end, token)."""
    if not hasattr(_local, "tokenizer"):  # one for each thread: a connection of SQLite serves one at a time
        _local.flags = apsw.FTS5_TOKENIZE_DOCUMENT
        words = ["unicode61", "remove_diacritics", "2"]
        _local.tokenizer = apsw.Connection(":memory:").fts5_tokenizer("porter", words)
    return _local.tokenizer(text, _local.flags, None, include_offsets=offsets, include_colocated=False)


# -- how many rows hold each word


_TOTALS = ""
"""Stands for the totals among the words' counts; no word is empty."""


_TABLES = {
    "memories": ("words", "word_totals"),
    "exchanges": ("exchange_words", "exchange_totals"),
    "chunks": ("chunk_words", "chunk_totals"),
}
"""What is counted, and in which tables: how many hold each word, and the totals."""


MOST_BEGINNING = 64
"""Words that one with any ending may stand for."""


class Totals(NamedTuple):
    """Of all memories, exchanges or chunks of a workspace."""

    rows: int
    length: int


class WordCounts(Records):
    """The counts of a workspace, this thread's uncommitted ones included.

    Args:
        database: the workspace.
        rows: what is counted: `memories`, `exchanges` or `chunks`.
    """

    topic = "words"

    def __init__(self, database: PgDatabase, rows: str = "memories") -> None:
        super().__init__(database)
        for place, name in zip(("words", "totals", "rows"), (*_TABLES[rows], rows), strict=True):
            self._sql = {query: sql.replace(f"/*{place}*/", name) for query, sql in self._sql.items()}
        self._name = f"word counts of {rows}"
        self._pg = database
        self._local = threading.local()

    def add(self, words: Iterable[str], length: int, *, sign: int = 1) -> None:
        """Count the words of a row that is added (1) or removed (-1); inside a transaction."""
        pending = self._pending()
        for word in words:
            pending[word] += sign
        self._local.rows += sign
        self._local.length += sign * length
        self._pg.at_commit(self._name, self._write)

    def count(self, words: Words) -> dict[str, Any]:
        """Count a row that comes; returns its columns `words` and `length`."""
        self.add(words.said, words.length)
        return {"words": words.vector(self._pg.workspace), "length": words.length}

    def take_out(self, rows: Iterable[tuple[int, Sequence[str]]]) -> None:
        """Take rows out of the counts, by their lengths and lexemes; inside a transaction."""
        for length, lexemes in rows:
            self.add([lexeme.partition(":")[2] for lexeme in lexemes], length, sign=-1)

    def count_rows(self, words: Sequence[str]) -> dict[str, int]:
        """How many rows hold each of these words."""
        kept = dict(self._rows("frequencies", json(list(words))))
        pending = self._pending()
        return {word: kept.get(word, 0) + pending[word] for word in words}

    def beginning(self, start: str) -> dict[str, int]:
        """The words that begin so, those of most rows first, with the number of rows that hold each."""
        kept = self._rows("beginning", start, start + "\U0010ffff", MOST_BEGINNING)
        pending = self._pending()
        new = {word for word, count in pending.items() if count > 0 and word.startswith(start)}
        found = {word: count + pending[word] for word, count in kept}
        return {word: pending[word] for word in new} | found

    def among(self, words: Sequence[str]) -> tuple[Totals, dict[str, int]]:
        """Numbers of rows, of their words, and of rows with each of the words, at one moment."""
        rows = self._rows("among", json(list(words)))
        kept = {word: (holding, length) for word, holding, length in rows}
        pending = self._pending()
        total, length = kept.get(_TOTALS, (0, 0))
        counts = {word: kept.get(word, (0, 0))[0] + pending[word] for word in words}
        return Totals(total + self._local.rows, length + self._local.length), counts

    def _pending(self) -> Counter[str]:
        """The counts that this thread's transaction added; those of one that was rolled back are dropped."""
        marks = self._pg.transaction_mark()
        if getattr(self._local, "mark", self) is not marks:
            self._local.mark, self._local.words = marks, Counter()
            self._local.rows = self._local.length = 0
        words: Counter[str] = self._local.words
        return words

    def _write(self) -> None:
        changed = {word: count for word, count in self._pending().items() if count}
        if changed:
            self._rows("count_words", list(changed), list(changed.values()))
        fewer = [word for word, count in changed.items() if count < 0]
        if fewer:  # a word that no memory holds any more would reveal what a deleted one said
            self._rows("forget_words", fewer)
        self._rows("count_totals", self._local.rows, self._local.length)


# -- which rows match


_LEAST_IDF = 1e-6
"""FTS5's: a word that half of the rows hold still counts a little."""


_FIRST = 2_000
"""When a new memory is compared, its rarest words are searched first, until they find so many memories."""


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

    def most(self, limit: int) -> int | None:
        """How many may be scored; None where there cannot be more."""
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

    def drop_missing(self) -> Asked:
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


class PgKeywords(Keywords):
    """The keyword index of one table of a workspace."""

    def __init__(self, database: PgDatabase, indexed: Indexed) -> None:
        super().__init__(database, indexed)
        self._workspace = database.workspace
        self._counts = WordCounts(database, indexed.table)

    def found_by(self, row: Mapping[str, Any]) -> dict[str, Any]:
        """The words of a row, by its columns; they are counted."""
        return self._counts.count(words_of_columns(row, self._indexed.weights))

    def forget(self, key: int) -> None:
        """Take a row's words out of the counts, before it is changed or deleted."""
        self._counts.take_out(self._rows("words_of", key))

    def frequencies(self, words: Sequence[str]) -> list[int]:
        """For each word, how many rows contain it; with any ending, the sum over the words that begin so."""
        known = [asked(word) or "" for word in words]
        found = self._counts.count_rows([one for one in known if one])
        return [
            sum(self._counts.beginning(one).values()) if one and begins(word) else found.get(one, 0)
            for word, one in zip(words, known, strict=True)
        ]

    def holding(self, words: Sequence[str], keys: Sequence[int]) -> dict[str, frozenset[int]]:
        """For each word, those of the keys whose rows contain it."""
        among = json(list(keys))
        return {
            word: frozenset(self._column("holding", f"'{quoted(lexeme(self._workspace, one))}'", among))
            if (one := asked(word))
            else frozenset()
            for word in words
        }

    def match(
        self,
        words: Sequence[str],
        limit: int,
        clause: Clause,
        *,
        all_required: bool = False,
        score_only: Sequence[str] = (),
    ) -> list[tuple[int, float]]:
        """Keys of rows with any of the words, or all, best first; of equals the oldest first."""
        search = self.asked(words, all_required=all_required, score_only=score_only)
        return [] if search is None else self._matching(search, limit, clause, MOST_SCORED)

    def match_rarest(self, words: Mapping[str, int], limit: int, clause: Clause) -> list[tuple[int, float]]:
        """The same; the rarest words find, and more only where these find too few; all score."""
        search = self.asked(list(words))
        search = search and search.drop_missing().rarest_first()
        if not search or not search.lexemes:
            return []
        finding, read = rarest(search.found)
        found = self._matching(search._replace(finding=finding), limit, clause, MOST_FOUND)
        if len(found) < limit and finding < len(search.found):
            more = search._replace(finding=max(read, finding + 1))
            found += self._matching(more, limit, clause, MOST_FOUND)
        return sorted(dict(found).items(), key=lambda entry: (-entry[1], entry[0]))[:limit]

    def _matching(self, search: Asked, limit: int, clause: Clause, most: int) -> list[tuple[int, float]]:
        if clause == EVERYTHING:
            rows = self._rows("match", limit, *search.values, search.most(most))
        else:
            condition, values = clause
            sql = self._sql["match_among"].replace("LIMIT ALL", f"LIMIT {most}").replace("1 = 1", condition)
            rows = self.rows(sql, (limit, *search.values, *values))
        return [(key, score) for key, score in rows]

    def asked(
        self, words: Sequence[str], *, all_required: bool = False, score_only: Sequence[str] = ()
    ) -> Asked | None:
        """The words to find by, and those that only count in the score; None where no word is searchable."""
        counts, workspace = self._counts, self._workspace
        wanted, also = (
            [(one, word) for word in given if (one := asked(word))] for given in (words, score_only)
        )
        if not wanted:
            return None
        (total, length), found = counts.among([one for one, _ in (*wanted, *also)])
        finding, scoring = (
            [
                _Lexeme(
                    held, one if begins(word) else "", count, _rarity(min(sum(alike.values()), total), total)
                )
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
