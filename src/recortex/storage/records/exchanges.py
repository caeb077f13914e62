"""What was said in sessions: writing and reading exchanges."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Any

from recortex.domain.exchange import TEAM, Exchange, ExchangeQuery, SessionSummary
from recortex.domain.text import to_micros
from recortex.lean import replace
from recortex.storage.database import EXCHANGES, Records, as_written, codecs, instant, json, micros, parse
from recortex.storage.records.rows import EVERYTHING, seal_row

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from datetime import datetime

    from recortex.storage.database import Database, Row
    from recortex.storage.records.rows import Clause, Keywords

_FIELDS = {"commit_id": "commit"} | {name: name for name in Exchange.__struct_fields__}
COLUMNS = tuple(name for name in EXCHANGES.names if name in _FIELDS)
"""The columns that an exchange is made of."""
SELECT = ", ".join(f"x.{name}" for name in COLUMNS)
VECTORS = ("answered_key", "outcome_key")
"""The columns with the keys of its vectors."""
_TEXTS = ("asked", "message", "opening", "conclusion")
_PLACE = ("session", "client", "branch", "folder", "first_turn", "root_turn", "part")
"""Where an exchange was first read, which stays when a copy of it went on for longer."""
ALL = 2**62
"""More than any store holds."""


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
        "x.commit_id <> '' AND x.commit_id IN (SELECT value FROM json_each(?))": _listed(query.commits),
    }
    asked = {condition: value for condition, value in asked.items() if value is not None}
    return " AND ".join(asked) or "1 = 1", tuple(asked.values())


def _listed(values: Sequence[str]) -> str | None:
    return json(list(values)) if values else None


class ExchangeRecords(Records):
    """The `ExchangeRecords` of a store."""

    topic = "exchanges"

    def __init__(self, database: Database, keywords: Keywords) -> None:
        super().__init__(database)
        self._keywords = keywords

    # -- writing: inside a transaction

    def put(self, exchanges: Sequence[tuple[Exchange, str]], at: datetime) -> int:
        """Keep exchanges with the words (beside their text) that they are found by; returns how many changed.

        Of one that is kept already the longer stays. Of two that are as long the later one, where both were
        read from the same session; else the kept one. It keeps the place where it was first read.
        """
        kept, changed = self._kept([exchange.id for exchange, _ in exchanges]), 0
        new: dict[str, dict[str, Any]] = {}
        for exchange, terms in exchanges:
            if exchange.id in new:
                self._insert(new)
            old = kept.get(exchange.id)
            grown = _grown(old, exchange)
            if grown is None:
                continue
            row = _row(grown, terms, old, to_micros(at))
            if old is not None and row["seal"] == old["seal"]:
                continue
            if old is None:
                new[exchange.id] = row
            else:
                row["key"] = old["key"]
                self._keywords.forget(row["key"])
                self._keywords.rows(self._sql["update"], row | self._keywords.found_by(row))
            kept[exchange.id] = row
            changed += 1
        self._insert(new)
        return changed

    def _insert(self, new: dict[str, dict[str, Any]]) -> None:
        """Write new rows, which get their keys, and forget that they are new."""
        rows = [row | self._keywords.found_by(row) for row in new.values()]
        for row, key in zip(new.values(), self._keywords.insert(self._sql["insert"], rows), strict=True):
            row["key"] = key
        new.clear()

    def delete(self, keys: Sequence[int]) -> int:
        """Remove exchanges for good, with vectors that nothing else has; returns how many there were."""
        names = ", ".join(f"x.{name}" for name in ("key", *VECTORS))
        sql = f"SELECT {names} FROM exchanges x WHERE /*own x*/ x.key IN (SELECT value FROM json_each(?))"
        there = self._database.rows(sql, (json(list(keys)),))
        for key, *_ in there:
            self._keywords.forget(key)
            self._keywords.rows(self._sql["delete"], (key,))
        drop = self._database.queries("maintenance")["drop_vector"]
        for vector in {vector for _, *vectors in there for vector in vectors} - {None}:
            self._database.rows(drop, (vector,))
        return len(there)

    def delete_found(self, clause: Clause) -> int:
        """Remove those that meet a condition on `exchanges x`."""
        condition, values = clause
        return self.delete(self._keys(condition, *values))

    def delete_session(self, session: str, *, keep: Collection[str] = ()) -> int:
        """Remove the exchanges of a session for good, but for those with these ids; returns how many."""
        condition = "x.session = ? AND NOT x.id IN (SELECT value FROM json_each(?))"
        return self.delete_found((condition, (session, json(list(keep)))))

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
        limit = ALL if query.limit is None else query.limit
        order = "coalesce(x.ended_at, 0) DESC, x.session, x.first_turn DESC, x.part DESC, x.id"
        text = f"WHERE /*own x*/ {condition} ORDER BY {order} LIMIT ? OFFSET ?"
        return self._select(text, *values, limit, query.offset)

    def sessions(self, query: ExchangeQuery) -> list[SessionSummary]:
        """The sessions that have exchanges which pass, latest first; each is told by all of its exchanges."""
        condition, values = where(query)
        limit = ALL if query.limit is None else query.limit
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
        return self._column("oldest", ALL if before is None else to_micros(before), limit)

    def beyond(self, most: int) -> list[int]:
        """Keys of the oldest that so many bytes have no room for, with vectors and indexes; about."""
        return self._column("beyond", most)

    # -- inside

    def _select(self, rest: str, *values: Any) -> list[Exchange]:
        return [
            exchange_of(row)
            for row in self._database.rows(f"SELECT {SELECT} FROM exchanges x {rest}", values)
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
    if old is None or (old["session"].startswith(TEAM) and not new.session.startswith(TEAM)):
        return new  # what this store reads itself counts before what a teammate says of it
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
    row |= {name: old[name] if old is not None and same else None for name in VECTORS}
    row |= {"terms": terms, "recorded_at": old["recorded_at"] if old is not None else now}
    return row | {"seal": seal_row(EXCHANGES, row)}


def _summary(session: str, rows: Sequence[Row]) -> SessionSummary:
    """A session by the rows of the query `said`, in their order."""
    _, client, _, _, _, _, opening, conclusion, branch, folder, _ = rows[-1]
    messages = [row[5] for row in rows if row[2] in {"person", "teammate"}]
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
