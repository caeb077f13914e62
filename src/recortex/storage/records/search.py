"""Finding memories: what every engine does alike.

How words match and which vectors are near is the engine's own.
"""

from __future__ import annotations

import threading
from collections import defaultdict
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

from recortex.domain.exchange import Exchange, ExchangeFacts, ExchangeQuery
from recortex.domain.search import Facts, Links
from recortex.lean import NamedTuple, lazy_module
from recortex.storage.database import json
from recortex.storage.records.exchanges import SELECT as EXCHANGES_SELECT
from recortex.storage.records.exchanges import VECTORS as EXCHANGES_VECTORS
from recortex.storage.records.exchanges import exchange_of
from recortex.storage.records.exchanges import where as exchanges_where
from recortex.storage.records.memories import RelationDegrees
from recortex.storage.records.rows import EVERYTHING, SELECT, WordSearch, where
from recortex.storage.records.vectors import OF_EXCHANGES, Owned, OwnVectors, quantised

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    import numpy as np

    from recortex.domain.memory import Memory
    from recortex.domain.search import MemoryQuery
    from recortex.storage.database import Database, Row
    from recortex.storage.records.memories import MemoryRecords
    from recortex.storage.records.rows import Clause, Keywords
    from recortex.storage.records.vectors import VectorRecords
else:
    np = lazy_module("numpy")


_COMPUTED = {"patterns": "(SELECT count(*) FROM memory_patterns p WHERE /*own p*/ p.memory_key = m.key)"}
_FACTS = ", ".join(_COMPUTED.get(name, f"m.{name}") for name in Facts._fields[:-2])
"""All but the vector and its pieces."""
MANY, COARSE = 50_000, 400
"""From MANY memories on, COARSE are found by their signs and then compared by their codes. Of the true ten
nearest among a million, 90 by signs alone hold 78 %, and 46 % where all texts are much alike; of 400 the
best hold 94 and 68 (bench/scale.py)."""
FLOAT = 4
"""Bytes of a number in a question's vector."""
LOOKALIKES = 8
"""How many known memories a new one is compared with."""


class SearchRecords(WordSearch):
    """The part of a `SearchStore` that is the same in every engine.

    Args:
        vectors: opens those of the memories, which a question without a vector does without.
    """

    topic = "search"

    def __init__(
        self,
        database: Database,
        keywords: Keywords,
        memories: MemoryRecords,
        vectors: Callable[[], VectorRecords],
    ) -> None:
        super().__init__(database, keywords)
        self._memories = memories
        self.centralities = RelationDegrees(database).centralities
        self._open_vectors = vectors

    @cached_property
    def _vectors(self) -> VectorRecords:
        return self._open_vectors()

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
        clause = where(only) if only else EVERYTHING
        return self._keywords.match(words, limit, clause, all_required=all_required, score_only=score_only)

    def known_speakers(self, words: Sequence[str]) -> list[str]:
        """The speakers among the words."""
        return self._column("known_speakers", json(list(words)))

    def nearest(self, vector: bytes, limit: int, only: MemoryQuery | None, model: str) -> list[int]:
        """Keys by likeness, nearest first: by the index, else by the signs, which are bits.

        Empty where likeness cannot be computed.
        """
        model_key = self._vectors.model_key(model, len(vector) // FLOAT)
        if model_key is None:
            return []
        found = self._vectors.nearest(model_key, vector, limit, where(only) if only else EVERYTHING)
        return self._by_signs(model_key, vector, limit, only) if found is None else found

    def _by_signs(self, model_key: int, vector: bytes, limit: int, only: MemoryQuery | None) -> list[int]:
        """As `nearest`, where no index answers."""
        query, bindings = "nearest", [limit, model_key, self._vectors.signs(_above_zero(vector))]
        if coarse := self._coarse(limit):
            query = "nearest_of_many"
            bindings.append(self._vectors.column(quantised(vector)))
        sql = self._sql[query].replace("/*coarse*/", str(coarse))
        if only is not None:
            condition, values = where(only, after=len(bindings))
            among = f"SELECT m.embedding_key FROM memories m WHERE /*own m*/ {condition}"
            sql = sql.replace(
                "model = ?2", f"model = ?2 AND key IN ({among} AND m.embedding_key IS NOT NULL)"
            )
            bindings += values
        return [row[0] for row in self._database.rows(sql, bindings)]

    def _coarse(self, limit: int) -> int:
        """How many are found by their signs, to be compared by their codes; 0 where the signs decide."""
        return max(COARSE, limit) if self.searchable() >= MANY else 0

    def vectors(self, keys: Sequence[int], model: str) -> dict[int, bytes]:
        """The vectors of memories by one embedder, as int8 codes."""
        model_key = self._vectors.model_key(model)
        if model_key is None:
            return {}
        rows = self._rows("vectors", json(list(keys)), model_key)
        return {key: self._vectors.code(vector) for key, vector in rows}

    def pieces(self, keys: Sequence[int], model: str) -> dict[int, bytes]:
        """The word pieces of memories whose vector is by that embedder."""
        model_key = self._vectors.model_key(model)
        rows = self._rows("pieces", json(list(keys)), model_key) if model_key is not None else ()
        return {key: bytes(pieces) for key, pieces in rows}

    def facts(self, keys: Sequence[int], only: MemoryQuery, model: str | None) -> list[Facts]:
        """What is scored of those memories that pass the filter."""
        model_key = self._vectors.model_key(model) if model else None
        if model_key is None:
            return list(map(Facts._make, self._fact_rows(keys, only, "NULL, NULL")))
        return self._facts_with_vectors(keys, only, model_key)

    def _facts_with_vectors(self, keys: Sequence[int], only: MemoryQuery, model_key: int) -> list[Facts]:
        code = self._vectors.code
        return [
            Facts._make((*row[:-2], vector and code(vector), pieces and bytes(pieces)))
            for row in self._vector_rows(keys, only, model_key)
            for vector, pieces in (row[-2:],)
        ]

    def _vector_rows(self, keys: Sequence[int], only: MemoryQuery, model_key: int) -> list[Row]:
        join = "LEFT JOIN embeddings e ON /*own e*/ e.key = m.embedding_key AND e.model = ?"
        join += " LEFT JOIN embedding_pieces p ON /*own p*/ p.key = e.key"
        return self._fact_rows(keys, only, f"{self._vectors.COLUMN}, p.pieces", join, model_key)

    def _fact_rows(
        self, keys: Sequence[int], only: MemoryQuery, columns: str, join: str = "", *first: Any
    ) -> list[Row]:
        """The columns of `Facts`, with others in place of the vector and its pieces."""
        condition, values = where(only)
        among = "m.key IN (SELECT value FROM json_each(?))"
        sql = f"SELECT {_FACTS}, {columns} FROM memories m {join} WHERE /*own m*/ {among} AND {condition}"
        return self._database.rows(sql, (*first, json(list(keys)), *values))

    def around(self, keys: Sequence[int], radius: int) -> list[tuple[int, int]]:
        """Turns of the same session near each, as pairs."""
        rows = self._rows("around", json(list(keys)), radius, radius)
        return [(key, neighbour) for key, neighbour in rows]

    def links(self, keys: Sequence[int]) -> Mapping[int, Links]:
        """The files and patterns of memories."""
        wanted = json(list(keys))
        files = self._grouped(self._sql["files"], wanted)
        patterns = self._grouped(self._sql["patterns"], wanted)
        return {key: Links(tuple(files[key]), tuple(patterns[key])) for key in {*files, *patterns}}

    def memories(
        self, keys: Sequence[int], confidence: Mapping[int, float] | None = None
    ) -> dict[int, Memory]:
        """Memories by key, with this confidence where one is given."""
        among = "m.key IN (SELECT value FROM json_each(?))"
        rows = self._database.rows(
            f"SELECT {SELECT} FROM memories m WHERE /*own m*/ {among}", (json(list(keys)),)
        )
        made = self._memories.from_rows(rows, confidence)
        return {row[0]: memory for row, memory in zip(rows, made, strict=True)}

    def _grouped(self, sql: str, keys: str) -> defaultdict[int, list[Any]]:
        grouped: defaultdict[int, list[Any]] = defaultdict(list)
        for key, value in self._database.rows(sql, (keys,)):
            grouped[key].append(value)
        return grouped


def _above_zero(vector: bytes) -> bytes:
    """A byte for each little-endian float32: 1 above zero."""
    return bytes((np.frombuffer(vector, "<f4") > 0).tobytes())


# -- the signs of vectors in memory, to find those that differ least from a question's


_WORD = 8
_STRETCH = 131_072
"""Vectors that are compared at a time: what is computed of so many stays in the processor's cache, which
takes a quarter of the time for a million."""


class _Loaded(NamedTuple):
    """The signs of an embedder's vectors.

    Attributes:
        keys: of the vectors, the oldest first.
        words: 64 signs of every vector each.
        last: the signs of the newest vector.
    """

    keys: Any
    words: Sequence[Any]
    last: bytes


class SignsInMemory:
    """Finds vectors by their signs: 60,000 of 384 in about a millisecond.

    Only what came since is read before each search. A vector that was deleted may be found; the newest one
    is compared, so that one which was given a deleted one's key is noticed.

    Args:
        read: gives keys and packed signs of an embedder's vectors from a key on, in the keys' order.
        first: the least key that such a vector may have.
    """

    def __init__(self, read: Callable[[int, int], Sequence[tuple[int, bytes]]], first: int) -> None:
        self._read = read
        self._first = first
        self._loaded: dict[int, _Loaded] = {}
        self._lock = threading.Lock()

    def closest(
        self, model: int, signs: bytes, wanted: int, *, among: Sequence[int] | None = None
    ) -> list[int]:
        """Keys of at most so many vectors whose signs differ least, those first.

        Args:
            model: the embedder's key.
            signs: of the question, packed.
            wanted: at most so many.
            among: only these keys.
        """
        loaded = self._up_to_date(model)
        if loaded is None:
            return []
        passing = None if among is None else np.isin(loaded.keys, np.array(among, np.int64))
        places = closest(loaded.words, packed_words([signs]), wanted, passing)
        return [int(key) for key in loaded.keys[places]]

    def _up_to_date(self, model: int) -> _Loaded | None:
        with self._lock:
            old = self._loaded.get(model)
            rows = self._read(model, int(old.keys[-1]) if old else self._first)
            if old and rows[:1] == [(int(old.keys[-1]), old.last)]:
                rows = rows[1:]
            elif old:
                old, rows = None, self._read(model, self._first)
            if not rows:
                if old is None:
                    self._loaded.pop(model, None)
                return old
            keys, words = np.array([key for key, _ in rows], np.int64), packed_words([one for _, one in rows])
            if old:
                keys = np.concatenate((old.keys, keys))
                words = [np.concatenate(pair) for pair in zip(old.words, words, strict=True)]
            self._loaded[model] = _Loaded(keys, words, rows[-1][1])
            return self._loaded[model]


def closest(words: Sequence[Any], asked: Sequence[Any], wanted: int, passing: Any = None) -> Any:
    """The places of at most so many vectors whose signs differ least, those first, of equals the oldest.

    Args:
        words: 64 signs of every vector each.
        asked: the same of the question.
        wanted: at most so many.
        passing: which vectors count; None: all.
    """
    differing = np.zeros(len(words[0]), np.uint16)
    for start in range(0, len(differing), _STRETCH):
        part = slice(start, start + _STRETCH)
        for kept, one in zip(words, asked, strict=True):
            differing[part] += _bits(kept[part] ^ one)
    if passing is not None:
        places = np.flatnonzero(passing)
    elif wanted < len(differing):
        # How many of the first ones differ in so many signs or fewer: what differs in more signs than as many
        # of them as are wanted is none of the closest of all.
        within = np.cumsum(np.bincount(differing[: max(_STRETCH, wanted)]))
        places = np.flatnonzero(differing <= np.searchsorted(within, wanted))
    else:
        places = np.arange(len(differing))
    return places[np.argsort(differing[places], kind="stable")][:wanted]


def words_of(above_zero: Any) -> list[Any]:
    """Signs as numbers of 64 bits, as `SignsInMemory` has them: an array for each 64 signs of every vector.

    Args:
        above_zero: booleans, a row for each vector.
    """
    return packed_words([row.tobytes() for row in np.packbits(above_zero, axis=1, bitorder="little")])


def packed_words(signs: Sequence[bytes]) -> list[Any]:
    """Packed signs as numbers of 64 bits: an array for each place, with one number of each vector."""
    size = -(-len(signs[0]) // _WORD) * _WORD
    data = b"".join(one.ljust(size, b"\0") for one in signs)
    table = np.frombuffer(data, np.uint64).reshape(len(signs), size // _WORD)
    return [np.ascontiguousarray(column) for column in table.T]


def _bits(words: Any) -> Any:
    """How many bits are set in each."""
    if hasattr(np, "bitwise_count"):  # since NumPy 2.0
        return np.bitwise_count(words)
    return np.unpackbits(words.view(np.uint8)).reshape(len(words), -1).sum(axis=1, dtype=np.uint8)


# -- finds records of one kind by the signs of their vectors: exchanges, and chunks of documents


_WIDER = (2, 30)
"""So many times more vectors are compared than records are wanted, until enough of those pass the filter:
an exchange has two."""
_ALL = 2**62


class SignSearch(WordSearch):
    """Nearest neighbours among the vectors of one table, whose name is the topic; `x` stands for its rows.

    Args:
        keywords: the table's index.
        vectors: of the store.
    """

    owned: ClassVar[Owned]

    def __init__(self, database: Database, keywords: Keywords, vectors: VectorRecords) -> None:
        super().__init__(database, keywords)
        self._vectors = vectors
        self._near = database.queries("vectors")
        self._signs = SignsInMemory(self._signs_from, self.owned.between.after + 1)
        self._asked: set[int] = set()

    def holders(self, vector: bytes, limit: int, clause: Clause, model: str) -> list[int]:
        """Keys of the rows one of whose vectors differs least in its signs from a question's.

        Args:
            vector: of the question, as little-endian float32.
            limit: at most so many.
            clause: the condition on the rows, with its values.
            model: the embedder; empty where none of its vectors is kept.
        """
        model_key = self._vectors.model_key(model, len(vector) // FLOAT)
        if model_key is None:
            return []
        signs = self._vectors.signs(_above_zero(vector))
        condition, values = clause
        having = self._sql["having"].replace("1 = 1", condition)
        for wanted in (limit * times for times in _WIDER):
            keys = self._closest(model_key, signs, wanted)
            rows = self._database.rows(having, (json(keys), *values))
            found = list(dict.fromkeys(row[0] for row in rows))
            if len(found) >= limit or len(keys) < wanted:
                return found[:limit]
        return self._closest_passing(model_key, signs, clause)[:limit]

    def by_key(self, keys: Sequence[int]) -> dict[int, Any]:
        """The records with these keys."""
        among = "x.key IN (SELECT value FROM json_each(?))"
        sql = f"SELECT x.key, {self.owned.select} FROM {self.topic} x WHERE /*own x*/ {among}"
        rows = self._database.rows(sql, (json(list(keys)),))
        return {key: self.owned.read(row) for key, *row in rows}

    def scored(
        self, columns: Sequence[str], keys: Sequence[int], clause: Clause, model: str | None
    ) -> list[Row]:
        """These columns of those of `keys` that pass, with the codes of each vector by a model, or None."""
        condition, values = clause
        model_key = self._vectors.model_key(model) if model else None
        selected = [f"x.{name}" for name in columns]
        aliases = (
            {f"e{place}": name for place, name in enumerate(self.owned.columns)}
            if model_key is not None
            else {}
        )
        selected += [self._vectors.COLUMN.replace("e.", f"{alias}.") for alias in aliases] or [
            "NULL" for _ in self.owned.columns
        ]
        joins = " ".join(
            f"LEFT JOIN embeddings {alias} ON /*own {alias}*/ {alias}.key = x.{name} AND {alias}.model = ?"
            for alias, name in aliases.items()
        )
        sql = (
            f"SELECT {', '.join(selected)} FROM {self.topic} x {joins}"
            f" WHERE /*own x*/ x.key IN (SELECT value FROM json_each(?)) AND {condition}"
        )
        rows = self._database.rows(sql, (*[model_key] * len(aliases), json(list(keys)), *values))
        code, start = self._vectors.code, len(columns)
        return [(*row[:start], *(one and code(one) for one in row[start:])) for row in rows]

    def _closest(self, model: int, signs: Any, wanted: int) -> list[int]:
        """Keys of the vectors whose signs differ least, by the database or by a copy in memory.

        The copy pays from the second question of a process on.
        """
        if model not in self._asked:
            self._asked.add(model)
            rows = self._database.rows(self._near["closest"], (wanted, model, signs, *self.owned.between))
            return [row[0] for row in rows]
        return self._signs.closest(model, self._vectors.packed(signs), wanted)

    def _closest_passing(self, model: int, signs: Any, clause: Clause) -> list[int]:
        """Keys of all rows that pass, the closest first: where few do, what is close is none of them."""
        condition, values = clause
        sql = f"SELECT x.key, {', '.join(f'x.{name}' for name in self.owned.columns)} FROM {self.topic} x"
        holders = defaultdict[int, list[int]](list)
        for key, *own in self._database.rows(f"{sql} WHERE /*own x*/ {condition} ORDER BY x.key", values):
            for vector in {*own} - {None}:
                holders[vector].append(key)
        keys = self._signs.closest(model, self._vectors.packed(signs), _ALL, among=list(holders))
        return list(dict.fromkeys(key for vector in keys for key in holders[vector]))

    def _signs_from(self, model: int, newest: int) -> list[tuple[int, bytes]]:
        rows = self._database.rows(self._near["signs_between"], (model, newest, self.owned.between.below))
        return [(key, self._vectors.packed(signs)) for key, signs in rows]


# -- finding exchanges by words and by their two vectors; the symbols of code that memories hang on


_EXCHANGES = Owned(EXCHANGES_VECTORS, OF_EXCHANGES, 0xFF, EXCHANGES_SELECT, exchange_of)


class ExchangeSearchRecords(SignSearch):
    """The part of an `ExchangeSearch` that is the same in every engine."""

    topic = "exchanges"
    owned = _EXCHANGES

    def size(self) -> int:
        """About how many exchanges are indexed."""
        return self._keywords.size()

    def match(
        self, words: Mapping[str, int], limit: int, only: ExchangeQuery | None
    ) -> list[tuple[int, float]]:
        """Keys with their BM25 score over the parts (higher is better), best first.

        The rarest words find, and more only where these find too few; as many score as can be read in time.
        """
        return self._keywords.match_rarest(words, limit, exchanges_where(only))

    def nearest(self, vector: bytes, limit: int, only: ExchangeQuery | None, model: str) -> list[int]:
        """Keys of exchanges one of whose vectors differs least in its signs from the query's.

        Empty where likeness cannot be computed.
        """
        return self.holders(vector, limit, exchanges_where(only), model)

    def facts(
        self, keys: Sequence[int], only: ExchangeQuery | None, model: str | None
    ) -> list[ExchangeFacts]:
        """What is scored of those of `keys` that pass, with vectors where a model is named."""
        scored = ExchangeFacts._fields[: -len(EXCHANGES_VECTORS)]
        return [ExchangeFacts(*row) for row in self.scored(scored, keys, exchanges_where(only), model)]

    def exchanges(self, keys: Sequence[int]) -> dict[int, Exchange]:
        """The exchanges with these keys."""
        return self.by_key(keys)

    def beginning_at(self, places: Sequence[tuple[str, int]]) -> dict[tuple[str, int], Exchange]:
        """The exchanges that begin at these turns of sessions, without stretches of work."""
        sql = f"SELECT {EXCHANGES_SELECT} FROM exchanges x {self._sql['at']}"
        rows = [row for place in places for row in self._database.rows(sql, place)]
        return {(one.session, one.first_turn): one for one in map(exchange_of, rows)}

    def added_after(self, key: int, limit: int) -> list[tuple[int, Exchange]]:
        """What the person said that was kept after the one with that key, with keys, in their order."""
        sql = f"SELECT x.key, {EXCHANGES_SELECT} FROM exchanges x {self._sql['added_after']}"
        return [(kept, exchange_of(row)) for kept, *row in self._database.rows(sql, (key, limit))]


class ExchangeVectorRecords(OwnVectors):
    """The two vectors of exchanges."""

    topic = "exchanges"
    owned = _EXCHANGES
