"""Exchanges: what was said in sessions, found by words and by three vectors each."""

from __future__ import annotations

from abc import abstractmethod
from bisect import bisect
from collections import defaultdict
from dataclasses import fields, replace
from itertools import accumulate, groupby
from typing import TYPE_CHECKING, Any

from recortex.domain.exchange import Exchange, ExchangeFacts, ExchangeQuery, SessionSummary, Waiting
from recortex.domain.time import to_micros
from recortex.storage.database import Records
from recortex.storage.records import row_checksums
from recortex.storage.records.filters import EVERYTHING
from recortex.storage.records.search import FLOAT, NOTHING
from recortex.storage.records.signs_in_memory import SignsInMemory
from recortex.storage.records.values import as_written, codecs, instant, json, micros, parse
from recortex.storage.tables import EXCHANGES

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from datetime import datetime

    from recortex.storage.database import Database, Rows
    from recortex.storage.records.filters import Clause
    from recortex.storage.records.values import Row
    from recortex.storage.records.vectors import VectorRecords

_FIELDS = {"commit_id": "commit"} | {field.name: field.name for field in fields(Exchange)}
COLUMNS = tuple(name for name in EXCHANGES.names if name in _FIELDS)
"""The columns that an exchange is made of."""
_SELECT = ", ".join(f"x.{name}" for name in COLUMNS)
_VECTORS = ("message_key", "answered_key", "outcome_key")
_TEXTS = ("asked", "message", "opening", "conclusion")
_PLACE = ("session", "client", "branch", "folder", "first_turn", "root_turn", "part")
"""Where an exchange was first read, which stays when a copy of it went on for longer."""
_ALL = 2**62
"""More than any store holds."""
MOST_FOUND = 500
"""So many exchanges are scored in a search by words; the rarest words say which, the latest where these are
still too many."""
MOST_READ = 5_000
"""Words that so many exchanges hold together count in the score, the rarest first: FTS5 reads all of them to
know how rare a word is."""
_WIDER = (3, 30)
"""So many times more vectors are compared than exchanges are wanted, until enough of those pass the filter:
an exchange has three."""


def exchange_of(row: Sequence[Any]) -> Exchange:
    """The exchange of a row of `COLUMNS`.

    Raises:
        CorruptStoreError: the row is not one that we wrote.
    """
    of = codecs(Exchange)
    with as_written("A stored exchange"):
        named = zip((_FIELDS[name] for name in COLUMNS), row, strict=True)
        return Exchange(**{name: of[name].read(value) for name, value in named})


def where(query: ExchangeQuery | None) -> Clause:
    """The condition on `exchanges x`, with its values."""
    if query is None:
        return EVERYTHING
    asked = {
        "x.session = ?": query.session or None,
        "x.branch = ?": query.branch or None,
        "x.folder = ?": query.folder or None,
        "x.ended_at >= ?": micros(query.since),
        "x.ended_at < ?": micros(query.until),
        "x.part <= ?": None if query.work else 0,
    }
    asked = {condition: value for condition, value in asked.items() if value is not None}
    return " AND ".join(asked) or "1 = 1", tuple(asked.values())


def rarest(counts: Sequence[int]) -> tuple[int, int]:
    """How many of the first words find exchanges, and how many are read at all.

    Args:
        counts: how many exchanges hold each word, in ascending order.
    """
    sums = list(accumulate(counts))
    return max(bisect(sums, MOST_FOUND), 1), bisect(sums, MOST_READ)


class ExchangeRecords(Records):
    """The `ExchangeRecords` of a store."""

    topic = "exchanges"

    def __init__(self, database: Database, index: Rows) -> None:
        super().__init__(database)
        self._index = index

    # -- writing: inside a transaction

    def put(self, exchanges: Sequence[tuple[Exchange, str]], at: datetime) -> int:
        """Keep exchanges with the words (beside their text) that they are found by; returns how many changed.

        Of one that is kept already the longer stays. Of two that are as long the later one, where both were
        read from the same session; else the kept one. It keeps the place where it was first read.
        """
        kept, changed = self._kept([exchange.id for exchange, _ in exchanges]), 0
        for exchange, terms in exchanges:
            old = kept.get(exchange.id)
            grown = _grown(old, exchange)
            if grown is None:
                continue
            row = _row(grown, terms, old, to_micros(at))
            if old is not None and row["seal"] == old["seal"]:
                continue
            row |= {"key": old["key"]} if old is not None else {}
            if old is not None:
                self.forget_words(old["key"])
            found = self._index.rows(self._sql["update" if old else "insert"], row | self.found_by(row))
            kept[exchange.id] = {"key": found[0][0] if found else row["key"], **row}
            changed += 1
        return changed

    def delete(self, keys: Sequence[int]) -> int:
        """Remove exchanges for good, with vectors that nothing else has; returns how many there were."""
        names = ", ".join(f"x.{name}" for name in ("key", *_VECTORS))
        sql = f"SELECT {names} FROM exchanges x WHERE /*own x*/ x.key IN (SELECT value FROM json_each(?))"
        there = self._database.rows(sql, (json(list(keys)),))
        for key, *_ in there:
            self.forget_words(key)
            self._index.rows(self._sql["delete"], (key,))
        drop = self._database.queries("maintenance")["drop_vector"]
        for vector in {vector for _, *vectors in there for vector in vectors} - {None}:
            self._database.rows(drop, (vector,))
        return len(there)

    def delete_found(self, clause: Clause) -> int:
        """Remove those that meet a condition on `exchanges x`."""
        condition, values = clause
        return self.delete(self._keys(condition, *values))

    def delete_session(self, session: str) -> int:
        """Remove the exchanges of a session for good; returns how many there were."""
        return self.delete_found(("x.session = ?", (session,)))

    # -- reading

    def get(self, ids: Sequence[str]) -> list[Exchange]:
        """The exchanges with these ids, in that order; an id without one is left out."""
        among = "WHERE /*own x*/ x.id IN (SELECT value FROM json_each(?))"
        by_id = {one.id: one for one in self._select(among, json(list(ids)))}
        return [by_id[id_] for id_ in ids if id_ in by_id]

    def ids_beginning(self, prefix: str, *, of_sessions: bool = False) -> list[str]:
        """At most three ids of exchanges, or of sessions, that begin so."""
        query = "sessions_beginning" if of_sessions else "beginning"
        return self._column(query, prefix, prefix + "\uffff")

    def growing(self, session: str) -> tuple[Exchange | None, Exchange | None]:
        """The last exchange of a session, and the last stretch of work within it."""
        last = next(iter(self._select(self._sql["last"], session)), None)
        if last is None:
            return None, None
        parts = self._select(self._sql["last_part"], session, last.first_turn)
        return last, next(iter(parts), None)

    def around(self, exchange: Exchange, before: int, after: int) -> list[Exchange]:
        """The neighbours of an exchange in its session, in order; stretches of work count."""
        place = (exchange.session, exchange.first_turn, exchange.part)
        earlier = self._select(self._sql["before"], *place, before)
        return [*reversed(earlier), *self._select(self._sql["after"], *place, after)]

    def find(self, query: ExchangeQuery) -> list[Exchange]:
        """The exchanges that pass, latest first."""
        condition, values = where(query)
        limit = _ALL if query.limit is None else query.limit
        order = "coalesce(x.ended_at, 0) DESC, x.session, x.first_turn DESC, x.part DESC, x.id"
        text = f"WHERE /*own x*/ {condition} ORDER BY {order} LIMIT ? OFFSET ?"
        return self._select(text, *values, limit, query.offset)

    def sessions(self, query: ExchangeQuery) -> list[SessionSummary]:
        """The sessions that have exchanges which pass, latest first; each is told by all of its exchanges."""
        condition, values = where(query)
        limit = _ALL if query.limit is None else query.limit
        sql = self._sql["sessions"].replace("1 = 1", condition)
        names = [row[0] for row in self._database.rows(sql, (*values, limit, query.offset))]
        said = groupby(self._rows("said", json(names)), key=lambda row: row[0])
        by_name = {session: _summary(session, list(rows)) for session, rows in said}
        return [by_name[name] for name in names if name in by_name]

    def count(self, query: ExchangeQuery) -> int:
        """How many exchanges pass, the limit aside."""
        condition, values = where(query)
        return int(
            self._database.value(f"SELECT count(*) FROM exchanges x WHERE /*own x*/ {condition}", values)
        )

    def oldest(self, limit: int, *, before: datetime | None = None) -> list[int]:
        """Keys of those that ended first; where that is not known, that were kept first."""
        return self._column("oldest", _ALL if before is None else to_micros(before), limit)

    def beyond(self, most: int) -> list[int]:
        """Keys of the oldest that so many bytes have no room for, with vectors and indexes; about."""
        return self._column("beyond", most)

    # -- what an engine adds

    def found_by(self, row: Mapping[str, Any]) -> dict[str, Any]:  # noqa: ARG002
        """More columns of a row that is written, for an engine that keeps words itself."""
        return {}

    def forget_words(self, key: int) -> None:
        """Before an exchange is changed or deleted, for an engine that counts words itself."""

    # -- inside

    def _select(self, rest: str, *values: Any) -> list[Exchange]:
        return [
            exchange_of(row)
            for row in self._database.rows(f"SELECT {_SELECT} FROM exchanges x {rest}", values)
        ]

    def _keys(self, condition: str, *values: Any) -> list[int]:
        sql = f"SELECT x.key FROM exchanges x WHERE /*own x*/ ({condition}) ORDER BY x.key"
        return [row[0] for row in self._database.rows(sql, values)]

    def _kept(self, ids: Sequence[str]) -> dict[str, dict[str, Any]]:
        """Rows by their ids."""
        sql = (
            f"SELECT {', '.join(EXCHANGES.names)} FROM exchanges"
            " WHERE /*own*/ id IN (SELECT value FROM json_each(?))"
        )
        rows = self._database.rows(sql, (json(list(ids)),))
        named = [dict(zip(EXCHANGES.names, row, strict=True)) for row in rows]
        return {row["id"]: row for row in named}


def _grown(old: Mapping[str, Any] | None, new: Exchange) -> Exchange | None:
    """What is to be kept of an exchange that was read again; None: the old one stays."""
    if old is None:
        return new
    longer = (new.last_turn - new.first_turn) - (old["last_turn"] - old["first_turn"])
    if old["session"] == new.session:
        return new if longer >= 0 else None
    if longer <= 0:
        return None
    last_turn = old["first_turn"] + new.last_turn - new.first_turn
    return replace(new, **{name: old[name] for name in _PLACE}, last_turn=last_turn)


def _row(exchange: Exchange, terms: str, old: Mapping[str, Any] | None, now: int) -> dict[str, Any]:
    """The columns of an exchange, by name; its vectors stay while its texts do."""
    of = codecs(Exchange)
    row: dict[str, Any] = {
        name: of[_FIELDS[name]].stored(getattr(exchange, _FIELDS[name])) for name in COLUMNS
    }
    same = old is not None and all(row[name] == old[name] for name in _TEXTS)
    row |= {name: old[name] if old is not None and same else None for name in _VECTORS}
    row |= {"terms": terms, "recorded_at": old["recorded_at"] if old is not None else now}
    return row | {"seal": row_checksums.of_row(EXCHANGES, row)}


def _summary(session: str, rows: Sequence[Row]) -> SessionSummary:
    """A session by the rows of the query `said`, in their order."""
    _, client, _, _, _, _, opening, conclusion, branch, folder, _ = rows[-1]
    messages = [row[5] for row in rows if row[2] == "person"]
    with as_written("A stored exchange"):
        files = [file for row in rows for file in parse(row[-1], (), tuple[str, ...])]
        return SessionSummary(
            session=session,
            client=client,
            started_at=instant(min((row[3] for row in rows if row[3] is not None), default=None)),
            ended_at=instant(max((row[4] for row in rows if row[4] is not None), default=None)),
            exchanges=len(messages),
            asked=next(filter(None, [*messages, *(row[5] for row in rows)]), ""),
            concluded=conclusion or opening,
            branch=branch,
            folder=folder,
            files=tuple(dict.fromkeys(files)),
        )


class ExchangeSearchRecords(Records):
    """The part of an `ExchangeSearch` that is the same in every engine."""

    topic = "exchanges"

    def __init__(self, database: Database, vectors: VectorRecords) -> None:
        super().__init__(database)
        self._vectors = vectors
        self._signs = SignsInMemory(self._signs_of)
        self._asked: set[int] = set()

    def size(self) -> int:
        """About how many exchanges are indexed."""
        return self._number("size")

    @abstractmethod
    def frequencies(self, words: Sequence[str]) -> list[int]:
        """For each word, how many exchanges contain it."""

    @abstractmethod
    def match(self, words: Sequence[str], limit: int, only: ExchangeQuery | None) -> list[tuple[int, float]]:
        """Keys with their BM25 score over the parts (higher is better), best first."""

    def nearest(self, vector: bytes, limit: int, only: ExchangeQuery | None, model: str) -> list[int]:
        """Keys of exchanges one of whose vectors differs least in its signs from the query's.

        Empty where likeness cannot be computed.
        """
        model_key = self._vectors.model_key(model, len(vector) // FLOAT)
        if model_key is None:
            return []
        signs = self._vectors.signs(bytes(value > 0 for value in memoryview(vector).cast("f")))
        condition, values = where(only)
        having = self._sql["having"].replace("1 = 1", condition)
        for wanted in (limit * times for times in _WIDER):
            keys = self._closest(model_key, signs, wanted)
            rows = self._database.rows(having, (json(keys), *values))
            found = list(dict.fromkeys(row[0] for row in rows))
            if len(found) >= limit or len(keys) < wanted:
                return found[:limit]
        return self._closest_passing(model_key, signs, (condition, values))[:limit]

    def facts(
        self, keys: Sequence[int], only: ExchangeQuery | None, model: str | None
    ) -> list[ExchangeFacts]:
        """What is scored of those of `keys` that pass, with vectors where a model is named."""
        condition, values = where(only)
        model_key = self._vectors.model_key(model) if model else None
        columns, joins, first = "NULL, NULL, NULL", "", NOTHING
        if model_key is not None:
            aliases = dict(zip(("em", "ea", "eo"), _VECTORS, strict=True))
            columns = ", ".join(self._vectors.COLUMN.replace("e.", f"{alias}.") for alias in aliases)
            joins = " ".join(
                f"LEFT JOIN embeddings {alias} ON /*own {alias}*/ {alias}.key = x.{key} AND {alias}.model = ?"
                for alias, key in aliases.items()
            )
            first = (model_key,) * len(aliases)
        sql = (
            f"SELECT x.key, x.session, x.opener, x.part, x.root_turn, x.ended_at, {columns}"
            f" FROM exchanges x {joins}"
            f" WHERE /*own x*/ x.key IN (SELECT value FROM json_each(?)) AND {condition}"
        )
        rows = self._database.rows(sql, (*first, json(list(keys)), *values))
        start = len(ExchangeFacts._fields) - len(_VECTORS)
        return [
            ExchangeFacts(*row[:start], *(one and self._vectors.code(one) for one in row[start:]))
            for row in rows
        ]

    def exchanges(self, keys: Sequence[int]) -> dict[int, Exchange]:
        """The exchanges with these keys."""
        among = "x.key IN (SELECT value FROM json_each(?))"
        sql = f"SELECT x.key, {_SELECT} FROM exchanges x WHERE /*own x*/ {among}"
        return {key: exchange_of(row) for key, *row in self._database.rows(sql, (json(list(keys)),))}

    def beginning_at(self, places: Sequence[tuple[str, int]]) -> dict[tuple[str, int], Exchange]:
        """The exchanges that begin at these turns of sessions, without stretches of work."""
        sql = f"SELECT {_SELECT} FROM exchanges x {self._sql['at']}"
        rows = [row for place in places for row in self._database.rows(sql, place)]
        return {(one.session, one.first_turn): one for one in map(exchange_of, rows)}

    def _closest(self, model: int, signs: Any, wanted: int) -> list[int]:
        """Keys of the exchanges' vectors whose signs differ least, by the database or by a copy in memory.

        The copy pays from the second question of a process on.
        """
        if model not in self._asked:
            self._asked.add(model)
            return self._column("closest", wanted, model, signs)
        return self._signs.closest(model, self._vectors.packed(signs), wanted)

    def _closest_passing(self, model: int, signs: Any, clause: Clause) -> list[int]:
        """Keys of all exchanges that pass, the closest first: where few do, what is close is none of them."""
        condition, values = clause
        sql = f"SELECT x.key, {', '.join(f'x.{name}' for name in _VECTORS)} FROM exchanges x"
        holders = defaultdict[int, list[int]](list)
        for key, *own in self._database.rows(f"{sql} WHERE /*own x*/ {condition} ORDER BY x.key", values):
            for vector in {*own} - {None}:
                holders[vector].append(key)
        keys = self._signs.closest(model, self._vectors.packed(signs), _ALL, among=list(holders))
        return list(dict.fromkeys(key for vector in keys for key in holders[vector]))

    def _signs_of(self, model: int, newest: int) -> list[tuple[int, bytes]]:
        rows = self._rows("signs", model, newest)
        return [(key, self._vectors.packed(signs)) for key, signs in rows]


class ExchangeVectorRecords(Records):
    """The `ExchangeVectors` of a store.

    Args:
        vectors: keeps them. They are none of the memories': their hashes are turned over, their keys below 0.
    """

    topic = "exchanges"

    def __init__(self, database: Database, vectors: VectorRecords) -> None:
        super().__init__(database)
        self._vectors = vectors

    def waiting(self, limit: int) -> list[Waiting]:
        """Exchanges without vectors, the latest first."""
        rows = self._database.rows(
            f"SELECT x.key, {_SELECT} FROM exchanges x {self._sql['waiting']}", (limit,)
        )
        said = ((key, exchange_of(row)) for key, *row in rows)
        return [Waiting(key, one) for key, one in said]

    def count_waiting(self) -> int:
        """How many exchanges have no vectors."""
        return self._number("count_waiting")

    def count_outdated(self, model: str) -> int:
        """How many exchanges have vectors of other embedders than that one."""
        return self._number("count_outdated", model)

    def keys_of(self, hashes: Collection[bytes]) -> dict[bytes, int]:
        """The keys of those vectors that are kept already, by the hash of the embedded text."""
        found = self._vectors.keys_of([_turned(hash_) for hash_ in hashes])
        return {_turned(hash_): key for hash_, key in found.items()}

    def put(self, model: str, codes: Mapping[bytes, bytes]) -> dict[bytes, int]:
        """Keep vectors as int8 codes by hash; inside a transaction."""
        turned = {_turned(hash_): code for hash_, code in codes.items()}
        found = self._vectors.put(model, turned, for_exchanges=True)
        return {_turned(hash_): key for hash_, key in found.items()}

    def attach(self, vectors: Mapping[int, tuple[int | None, int | None, int | None]]) -> None:
        """Give exchanges the keys of their vectors, at least one each; inside a transaction."""
        self._each("attach", [(key, *keys) for key, keys in vectors.items()])

    def release_others(self, model: str, limit: int) -> int:
        """Take exchanges the vectors of other embedders than that one: they wait for new ones.

        Returns how many, at most `limit`; inside a transaction.
        """
        keys = self._column("outdated", model, limit)
        self.attach(dict.fromkeys(keys, (None, None, None)))
        return len(keys)


_TURN = bytes(255 - byte for byte in range(256))


def _turned(hash_: bytes) -> bytes:
    """A hash that no memory's text has, and back."""
    return hash_.translate(_TURN)
