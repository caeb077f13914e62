"""Memories, their versions, statistics, and the symbols of code that they hang on."""

from __future__ import annotations

from collections import Counter, defaultdict
from contextlib import contextmanager
from itertools import chain
from typing import TYPE_CHECKING, Any

from recortex.domain.maintenance import Daily, Generation, Given, MemoryStatistics, Standing
from recortex.domain.memory import KEPT_VERSIONS, SymbolLink, Version
from recortex.domain.search import Neighbour, matches
from recortex.domain.text import to_micros
from recortex.lean import replace, sha256
from recortex.storage.database import (
    BY_NAME,
    EXCHANGES,
    MEMORIES,
    VERSIONS,
    Records,
    json,
    link_tables,
    owned_tables,
    read,
    stored,
)
from recortex.storage.records.ledger import LedgerRecords
from recortex.storage.records.rows import (
    CHECKED,
    KNOWN,
    LINKS,
    ORDER,
    SELECT,
    from_row,
    link_rows,
    memory_of,
    order,
    seal_memory,
    seal_row,
    state_of,
    to_row,
    where,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
    from datetime import datetime

    from recortex.domain.exchange import Exchange
    from recortex.domain.memory import Memory, Role
    from recortex.domain.reports import Check
    from recortex.domain.search import MemoryQuery, SearchText
    from recortex.domain.vocabulary import Actor
    from recortex.storage.database import Database, Row, Rows, Table
    from recortex.storage.records.rows import Clause, Keywords

    Has = Callable[[str, str], bool]


VERSION = ("memory", "version", "recorded_from", "recorded_to", "changed_by", "reason")
"""Of a `Version`, in the order of the query `versions_of`, which gives the memory as JSON."""
_ALL = 2**62
"""More than any store holds."""


# -- counts the relations that point at each memory, so that hubs are known without counting all


class RelationDegrees(Records):
    """How many memories are pointed at by how many active relations.

    Whatever changes relations does so inside `changing`, in a transaction.
    """

    topic = "degrees"

    def centralities(self, keys: Sequence[int]) -> dict[int, float]:
        """The in-degree of each of these memories as a part of the greatest; one without is left out."""
        degrees = self._of(keys)
        if not degrees:
            return {}
        greatest = self._number("greatest") if self._made() else max(dict(self._rows("distribution")))
        return {key: degree / greatest for key, degree in degrees.items()}

    def ends(self, key: int) -> list[int]:
        """The memories that are related to one."""
        return self._column("ends", key)

    @contextmanager
    def changing(self, keys: Collection[int]) -> Iterator[None]:
        """Note what becomes of the degrees of memories inside."""
        if not self._made():  # not yet in a store of an older version, a copy, or a recovered one
            self._each("add", [(0, 0), *self._rows("distribution")])
        before = self._of(keys)
        yield
        after = self._of(keys)
        changed = Counter(after[key] for key in after if after[key] != before.get(key))
        changed.subtract(before[key] for key in before if before[key] != after.get(key))
        self._each("add", [(degree, count) for degree, count in changed.items() if count])

    def _of(self, keys: Collection[int]) -> dict[int, int]:
        return dict(self._rows("degrees", json(sorted(keys)))) if keys else {}

    def _made(self) -> bool:
        return bool(self._number("made"))


# -- memories and their versions


class MemoryRecords(Records):
    """Create, read, change and delete memories; every change leaves the former state behind."""

    topic = "memories"

    def __init__(self, database: Database, keywords: Keywords) -> None:
        super().__init__(database)
        self._keywords = keywords
        self._degrees = RelationDegrees(database)
        self._ledger = LedgerRecords(database)

    # -- reading

    def get(self, ids: Sequence[str]) -> list[Memory]:
        """The memories with these ids, in that order; an id without one is left out."""
        if not ids:
            return []
        found = self._select("m.id IN (SELECT value FROM json_each(?))", (json(list(ids)),))
        by_id = {memory.id: memory for memory in found}
        return [by_id[id_] for id_ in ids if id_ in by_id]

    def ids_beginning(self, prefix: str) -> list[str]:
        """At most three ids that begin so."""
        return self._column("ids_beginning", prefix, prefix + "\uffff")

    def added_after(self, key: int, limit: int) -> list[tuple[int, str]]:
        """The memories that were added after the one with that key, with keys, in their order."""
        return [(kept, id_) for kept, id_ in self._rows("added_after", key, limit)]

    def find(self, query: MemoryQuery) -> list[Memory]:
        """The memories that pass, ordered and cut as the query says."""
        if query.as_of is not None:
            return self._find_as_of(query, query.as_of)
        condition, values = where(query)
        ordered = f"ORDER BY {order(query)}"
        if query.limit is None and not query.offset:
            return self._select(condition, values, ordered)
        # Only the keys of all that pass are sorted, not their texts.
        passing = f"SELECT m.key FROM memories m WHERE /*own m*/ {condition} {ordered} LIMIT ? OFFSET ?"
        limit = _ALL if query.limit is None else query.limit
        return self._select(f"m.key IN ({passing})", (*values, limit, query.offset), ordered)

    def count(self, query: MemoryQuery) -> int:
        """How many memories pass, the limit aside."""
        if query.as_of is not None:
            return len(self._find_as_of(replace(query, limit=None, offset=0), query.as_of))
        condition, values = where(query)
        sql = f"SELECT count(*) FROM memories m WHERE /*own m*/ {condition}"
        return int(self._database.value(sql, values))

    def any_untimely(self, at: datetime) -> bool:
        """Whether an active memory is not true in the world at a time."""
        return bool(self._database.value(self._sql["any_untimely"], (to_micros(at),)))

    def contradicting(self, ids: Sequence[str]) -> list[tuple[str, str]]:
        """Pairs of active memories that contradict each other, at least one of each among these."""
        return [(one, other) for one, other in self._rows("contradicting", json(list(ids)))] if ids else []

    def counts(self) -> dict[str, dict[str, int]]:
        """How many memories there are by kind and status."""
        table: dict[str, dict[str, int]] = defaultdict(dict)
        for kind, status, count in self._rows("count_by_kind"):
            table[kind][status] = count
        return dict(table)

    def same(self, *statements: Sequence[str]) -> list[str | None]:
        """The id of a living memory with one of the hashes of each statement, the first one preferred."""
        rows = self._rows("same_hash", json(list(chain.from_iterable(statements))))
        places = {id_: place for place, (_, id_) in enumerate(rows)}  # the oldest first
        known = {bytes(hash_).hex(): id_ for hash_, id_ in reversed(rows)}
        return [
            known.get(hashes[0])
            or min((known[one] for one in hashes if one in known), key=places.__getitem__, default=None)
            for hashes in statements
        ]

    def neighbours(self, session: str, first: int, last: int) -> list[Neighbour]:
        """The turns of a session from `first` to `last`, inclusive."""
        return [Neighbour(*row) for row in self._rows("neighbours", session, first, last)]

    def history(self, memory_id: str) -> list[Version]:
        """The states of a memory, newest first."""
        (current,) = self.get([memory_id]) or (None,)
        if current is None:
            return []
        key = self._key(memory_id)
        changed_by, reason, *_ = self._rows("behind", key)[0]
        state = (current, current.version, to_micros(current.updated_at), None, changed_by, reason)
        return [read(Version, VERSION, state), *map(version_of, self._rows("versions_of", key))]

    def as_of(self, memory_id: str, at: datetime) -> Memory | None:
        """The state that was known at that time; what was said in a session is known since then."""
        found = self._select(f"m.id = ? AND ({KNOWN})", (memory_id, to_micros(at), to_micros(at)))
        if found:
            return found[0]
        return next(map(memory_of, self._column("held_at_by", memory_id, to_micros(at))), None)

    def former(self, query: MemoryQuery, at: datetime) -> list[Memory]:
        """The states that were known at that time, hold no longer, and pass the query."""
        states = map(memory_of, self._column("held_at", to_micros(at)))
        return [memory for memory in states if matches(query, memory)]

    # -- writing: inside a transaction

    def insert(
        self, memory: Memory, search: SearchText, *, actor: Actor, reason: str = "", place: bytes = b""
    ) -> int:
        """Keep a new memory, and the hash of the place where it was learned; returns its key."""
        (key,) = self.insert_all([(memory, search, place)], actor=actor, reason=reason)
        return key

    def insert_all(
        self, new: Sequence[tuple[Memory, SearchText, bytes]], *, actor: Actor, reason: str = ""
    ) -> list[int]:
        """The same for many, each with its search text and place; returns their keys in the same order."""
        rows, linked = [], [link_rows(memory) for memory, *_ in new]
        for (memory, search, _), its in zip(new, linked, strict=True):
            row = self._row(memory, search, changed_by=actor, reason=reason, embedding_key=None)
            row["seal"] = seal_memory(row, its)
            rows.append(row)
        keys = self._keywords.insert(self._sql["insert_memory"], rows)
        for name in LINKS:
            links_of = zip(keys, linked, strict=True)
            self._each(f"insert_{name}", [(key, *row) for key, its in links_of for row in its[name]])
        learned = [(key, place) for key, (*_, place) in zip(keys, new, strict=True) if place]
        self._each("learned", learned)
        self._ledger.note_changed(keys)
        return keys

    def update(
        self, old: Memory, new: Memory, search: SearchText, *, actor: Actor, reason: str, keep_vector: bool
    ) -> Memory:
        """Put a new state in place of the old one, which becomes a version; returns the state as kept."""
        key = self._key(old.id)
        *former, recorded_at = (behind := self._rows("behind", key)[0])[:4]
        # After a clock went back, a version would end before it began.
        at = max(new.updated_at, old.updated_at)
        self._snapshot(key, old, to_micros(at), former)
        kept = replace(new, updated_at=at, version=old.version + 1)
        vector = former[2] if keep_vector else None
        # Before the row changes: PostgreSQL's counts are taken back by the words that it has now.
        self._keywords.forget(key)
        row = self._row(kept, search, changed_by=actor, reason=reason, embedding_key=vector)
        row |= {"id": old.id, "recorded_at": recorded_at}  # which no update changes
        # What the last comparison with the code found holds as long as the same files are cited.
        if kept.files == old.files:
            row |= dict(zip(CHECKED, behind[4:], strict=True))
        linked = link_rows(kept)
        row |= {"key": key, "seal": seal_memory(row, linked)}
        self._keywords.rows(self._sql["update_memory"], row)
        for table in link_tables().values():
            self._database.rows(f"DELETE FROM {table.name} WHERE /*own*/ memory_key = ?", (key,))
        self._insert_links(linked, key)
        self._ledger.note_changed([key])
        return kept

    def insert_versions(self, memory_id: str, versions: Sequence[Version]) -> None:
        """Keep former states that came with an export."""
        key = self._key(memory_id)
        for one in versions:
            until = to_micros(one.recorded_to or one.memory.updated_at)
            self._snapshot(key, one.memory, until, (one.changed_by.value, one.reason, None))

    def delete(self, memory_id: str) -> int:
        """Remove a memory with its versions and relations; returns the key that it had."""
        key = self._key(memory_id)
        self._keywords.forget(key)
        with self._degrees.changing({key, *self._degrees.ends(key)}):
            self._keywords.rows(self._sql["delete_memory"], (key,))
        return key

    def sessions(self) -> list[str]:
        """The sessions that memories were learned in, the latest first."""
        return self._column("sessions")

    def touch(self, ids: Sequence[str], at: datetime) -> None:
        """Count an access to each."""
        self._rows("touch", to_micros(at), json(list(ids)))

    def add_evidence(self, memory_id: str, place: bytes) -> bool:
        """Note where a memory was learned; False when that place is known."""
        return bool(self._rows("add_evidence", place, memory_id))

    def learned_at(self, place: bytes) -> list[str]:
        """The ids of the memories that were learned at a place."""
        return self._column("learned_at", place)

    def drop_evidence(self, memory_id: str, place: bytes) -> None:
        """Forget that a memory was learned at a place."""
        self._rows("drop_evidence", memory_id, place)

    # -- validation

    def unchecked(self, before: datetime, limit: int) -> list[str]:
        """Ids of active memories that were not validated since, those that never were first.

        What the project's own files say is none of them, nor code that is kept beside its description.
        """
        return self._column("unchecked", to_micros(before), limit)

    def verdicts(self, ids: Sequence[str]) -> dict[str, str]:
        """What the last validation found, by id; those that never were validated are left out."""
        return dict(self._rows("verdicts", json(list(ids))))

    def check(self, checks: Sequence[Check], at: datetime) -> None:
        """Keep what a validation found; this is no new state of a memory."""
        now = to_micros(at)
        rows = [(now, one.verdict, one.cited, one.id, to_micros(one.updated_at)) for one in checks]
        self._each("check", rows)

    # -- inside

    def _row(self, memory: Memory, search: SearchText, **more: Any) -> dict[str, Any]:
        row = to_row(memory, search, **more)
        row.update(self._keywords.found_by(row))
        return row

    def _select(self, condition: str, values: Sequence[Any], tail: str = "") -> list[Memory]:
        rows = self._database.rows(
            f"SELECT {SELECT} FROM memories m WHERE /*own m*/ {condition} {tail}", values
        )
        return self.from_rows(rows)

    def from_rows(self, rows: Sequence[Row], confidence: Mapping[int, float] | None = None) -> list[Memory]:
        """Memories of rows selected with `rows.SELECT`, their links read in four queries.

        Args:
            rows: as selected.
            confidence: by key, where it is not to be as stored.
        """
        if not rows:
            return []
        keys = json([row[0] for row in rows])
        linked = {name: self._links(name, keys) for name in LINKS}
        made = []
        for row in rows:
            more: dict[str, Any] = {name: found.get(row[0], ()) for name, found in linked.items()}
            if confidence and row[0] in confidence:
                more["confidence"] = confidence[row[0]]
            made.append(from_row(row, more))
        return made

    def _links(self, name: str, keys: str) -> dict[int, tuple[Any, ...]]:
        grouped: dict[int, list[Any]] = defaultdict(list)
        for key, *values in self._rows(f"{name}_of", keys):
            grouped[key].append(LINKS[name](*values))
        return {key: tuple(found) for key, found in grouped.items()}

    def _find_as_of(self, query: MemoryQuery, at: datetime) -> list[Memory]:
        condition, values = where(replace(query, limit=None, offset=0))
        found = [*self._select(condition, values), *self.former(query, at)]
        column = ORDER[query.order]
        found.sort(key=lambda one: (stored(one, [column])[column] or 0, one.id), reverse=query.descending)
        end = None if query.limit is None else query.offset + query.limit
        return found[query.offset : end]

    def _snapshot(self, key: int, old: Memory, until: int, former: Sequence[Any]) -> None:
        changed_by, reason, embedding_key = former
        row = {
            "memory_key": key,
            "version": old.version,
            "recorded_from": to_micros(old.updated_at),
            "recorded_to": until,
            "state": state_of(old),
            "changed_by": changed_by,
            "reason": reason,
        }
        sealed = {**row, "embedding_key": embedding_key, "seal": seal_row(VERSIONS, row)}
        self._named("snapshot", sealed)
        self._rows("retain", key, old.version + 1 - KEPT_VERSIONS)

    def _key(self, memory_id: str) -> int:
        return self._number("key_of", memory_id)

    def _insert_links(self, linked: dict[str, list[Row]], key: int) -> None:
        for name, rows in linked.items():
            if rows:
                self._each(f"insert_{name}", [(key, *row) for row in rows])


def version_of(row: Row) -> Version:
    """A former state: its JSON, number, interval, and who changed it why, as stored.

    Raises:
        CorruptStoreError: the row is not one that we wrote.
    """
    state, *others = row
    return read(Version, VERSION, (memory_of(state), *others))


# -- statistics of memories: the columns that ageing and ranking need, without the texts


MOST_RANKED, MOST_TOLD, MOST_LATEST = 5_000, 3_000, 500
"""A store of at most so many memories is ranked whole; of a larger one so many that the person told, and so
many of the latest. Of some thousand a rank takes less time than git takes to tell what is being worked on."""


class StatisticsRecords(Records):
    """Reads the statistics of memories."""

    topic = "statistics"

    def fading(self, before: int) -> list[MemoryStatistics]:
        """Active memories, not pinned, whose state and last access are not after that instant.

        What the project's own files say is none of them: it holds while it stands there.
        """
        return self._statistics("fading", before)

    def resting(self, before: int) -> list[MemoryStatistics]:
        """Archived memories, not pinned, whose state and last access are not after that instant."""
        return self._statistics("resting", before)

    def unconfirmed(self, before: int) -> list[MemoryStatistics]:
        """Proposed memories, not pinned, whose state and last access are not after that instant."""
        return self._statistics("unconfirmed", before)

    def presentable(self, at: int) -> list[MemoryStatistics]:
        """Active memories that are true in the world at that instant.

        Of untrusted origin only those that the project's own instruction files say.
        """
        return self._statistics("presentable", at)

    def foremost(
        self, at: int, *, about: Sequence[int], ids: Sequence[str], sessions: Sequence[str]
    ) -> list[MemoryStatistics]:
        """Those of `presentable` that may come first: all, unless the store is large.

        Of a large one the latest of each kind and priority that the person told or approved; of all memories
        the latest, those recalled most, and those that most relations point at; and those that are named.

        Args:
            at: the instant.
            about: keys of memories about what is being worked on.
            ids: of memories that proved useful.
            sessions: in which what is at hand was worked on.
        """
        if self._number("more_than", MOST_RANKED + 1) <= MOST_RANKED:
            return self.presentable(at)
        told = self._column("told", _share(self._column("told_of_each"), MOST_TOLD))
        named = json([*told, *about]), json(list(ids)), json(list(sessions))
        return self._statistics("foremost", at, MOST_LATEST, *named)

    def find_by_ids(self, ids: Sequence[str]) -> list[MemoryStatistics]:
        """Those memories, whatever their status."""
        return self._statistics("named", json(list(ids)))

    def paths(self) -> list[str]:
        """Every path that a memory is linked to."""
        return self._column("paths")

    def about(self, paths: Sequence[str]) -> list[int]:
        """The keys of memories that are linked to one of these paths, in their order."""
        return self._column("about", json(list(paths))) if paths else []

    def find_active(self) -> list[Standing]:
        """What tells how important each active memory is that is not pinned, but for what was given of it."""
        return [Standing(*row) for row in self._rows("standing")]

    def given(self, since: int, until: int) -> dict[str, Given]:
        """What sessions got of each memory from an instant to another, by its id."""
        return {id_: Given(times, int(places)) for id_, times, places in self._rows("given", since, until)}

    def daily(self, since: int) -> Daily:
        """What happened on each day; what was given only from an instant on."""
        added, contradicted = self._rows("added_by_day"), self._rows("contradictions_by_day")
        given = self._rows("given_by_day", since)
        return Daily(
            {int(day): int(times) for day, times in added},
            {int(day): int(times) for day, times in contradicted},
            {int(day): (int(times), int(used), int(tokens)) for day, times, used, tokens in given},
        )

    def generation(self) -> Generation:
        """What tells whether anything changed."""
        return Generation(*self._rows("generation")[0])

    def _statistics(self, condition: str, *values: int | str) -> list[MemoryStatistics]:
        sql = f"{self._sql['columns']} {self._sql[condition]}"
        return list(map(MemoryStatistics._make, self._database.rows(sql, values)))


def _share(sizes: Sequence[int], wanted: int) -> int:
    """How many to take of each group, so that it is as many as are wanted in all, or a few more."""
    left, share = wanted, 0
    for place, size in enumerate(sorted(sizes)):
        share = -(-left // (len(sizes) - place))
        if size >= share:
            break
        left -= size  # what a small group has not is taken of the others
    return max(share, 1)


# -- the symbols of code that memories hang on, as they were when they were linked


class SymbolRecords(Records):
    """Links of memories to symbols; they are no part of a memory, and have no versions."""

    topic = "symbols"

    def find_links(self, ids: Sequence[str]) -> dict[str, list[SymbolLink]]:
        """The links of memories, by the ids of those that have some."""
        found: dict[str, list[SymbolLink]] = defaultdict(list)
        for id_, *values in self._rows("of", json(list(ids))):
            found[id_].append(SymbolLink(*values))
        return dict(found)

    def put(self, memory: Memory, links: Sequence[SymbolLink], role: Role = "about") -> None:
        """Put these links of one role in place of those that a memory has."""
        self._rows("drop", memory.id, role)
        self._each("put", [(memory.id, *_values(one)) for one in links])

    def looked(self, memory: Memory, said: str) -> None:
        """Note that a memory was looked at as it is; `said`: a hash of what it says of code."""
        self._rows("looked", memory.id, to_micros(memory.updated_at), said)

    def find_hashes(self, ids: Sequence[str]) -> dict[str, str]:
        """What memories said of code when they were looked at, as hashes, by their ids."""
        return dict(self._rows("said", json(list(ids))))

    def unlinked(self, limit: int) -> list[str]:
        """Ids of active and proposed memories that were not looked at as they are, the newest first."""
        return self._column("unlinked", limit)

    def linked(self, limit: int) -> list[str]:
        """Ids of active and proposed memories that hang on a symbol."""
        return self._column("linked", limit)

    def hanging(self, path: str, names: Collection[str]) -> list[tuple[str, Role, str]]:
        """The active memories on symbols of a file with plain names: id, role, qualified name."""
        return [(id_, role, name) for id_, role, name in self._rows("hanging", path, json(sorted(names)))]


def _values(link: SymbolLink) -> tuple[str | int | bytes, ...]:
    place = (link.path, link.name, link.plain, link.kind, link.arity, link.hash, link.first, link.last)
    return (*place, link.lines, link.commit, link.key, link.role, link.copies)


# -- which rows hold a text that is to be erased, and what a file would still show of it


WINDOW = 40
"""Bytes of a text that are looked for at a time: short enough to lie within a page, long enough to be no
accident."""
LEAST_SAID = 16
"""Characters of a memory's text that takes the exchanges with it that hold it; a shorter one is no proof."""
_VALUES = {"text": "?1", "json": "?2"}
"""The text as it is, and as it stands inside JSON."""


def holding(database: Rows, text: str, has: Has = lambda *_: True) -> list[str]:
    """Ids of the memories that hold a text in any case, now or formerly, in any column that may hold it.

    Args:
        database: where to look.
        text: to look for.
        has: whether a table has a column: a backup may be of an older schema.
    """
    conditions = [*_conditions(MEMORIES, "m", has)]
    conditions += [
        f"EXISTS (SELECT 1 FROM {table.name} o"
        f" WHERE /*own o*/ o.{table.owners[0]} = m.key AND ({' OR '.join(found)}))"
        for table in owned_tables()
        if (found := [*_conditions(table, "o", has)])
    ]
    if has("sync_log", "body"):  # it has states that are older than those that the store keeps
        said = " OR ".join(_conditions(BY_NAME["sync_log"], "o", has))
        conditions.append(f"m.id IN (SELECT o.record FROM sync_log o WHERE /*own o*/ ({said}))")
    sql = f"SELECT m.id FROM memories m WHERE /*own m*/ ({' OR '.join(conditions)}) ORDER BY m.key"
    return [row[0] for row in database.rows(sql, (text, json(text)[1:-1]))]


def forget_replicated(database: Rows, ids: Sequence[str]) -> None:
    """Take what memories, their relations and exchanges say out of the log of what a team shares."""
    for id_ in ids:
        said = "UPDATE sync_log SET body = NULL WHERE /*own*/ body IS NOT NULL AND instr(record, ?) > 0"
        database.rows(said, (id_,))


def shared_holding(database: Rows, text: str) -> list[str]:
    """Ids of the exchanges of which a version that a team shares holds a text, now or formerly."""
    said = " OR ".join(_conditions(BY_NAME["sync_log"], "o", lambda *_: True))
    # The log is searched in JSON alone, and PostgreSQL refuses a value that no condition names.
    said = said.replace(_VALUES["json"], _VALUES["text"])
    sql = (
        "SELECT DISTINCT substr(o.record, 10) FROM sync_log o"
        f" WHERE /*own o*/ substr(o.record, 1, 9) = 'exchange:' AND ({said})"
    )
    return [row[0] for row in database.rows(sql, (json(text)[1:-1],))]


def text_condition(text: str, has: Has = lambda *_: True, table: Table = EXCHANGES) -> Clause:
    """The condition that a row `x` of a table holds a text, with its values; `has` as in `holding`."""
    return " OR ".join(_conditions(table, "x", has)), (text, json(text)[1:-1])


def unsaid(texts: Sequence[str], text: str = "") -> list[str]:
    """Those of the texts that take the exchanges with them that hold them; `text` does in any case."""
    return [one for one in texts if len(one) >= LEAST_SAID or one == text]


def _conditions(table: Table, alias: str, has: Has) -> Iterator[str]:
    for column in table.searched:
        if has(table.name, column.name):
            value = _VALUES[column.holds]
            yield f"instr(folded(coalesce({alias}.{column.name}, '')), folded({value})) > 0"


def grave(exchange: str) -> int:
    """The key of an exchange's tombstone: below 0, where no memory has one, and the same for the same id."""
    return -1 - int(sha256(exchange.encode()).hexdigest()[:15], 16)


def among(exchanges: Sequence[str]) -> Clause:
    """The condition that a row `x` is one of these exchanges, with its values."""
    return "x.id IN (SELECT value FROM json_each(?))", (json(list(exchanges)),)


def texts_of(exchanges: Sequence[Exchange]) -> Iterator[str]:
    """What exchanges say, a text each."""
    for one in exchanges:
        yield from filter(None, (one.asked, one.message, one.opening, one.conclusion, *one.failed))


def windows(text: str) -> Iterator[bytes]:
    """The parts of a text that are looked for in files, as it is and as it stands inside JSON."""
    for shape in (text, text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")):
        data = shape.encode()
        yield data[:WINDOW]
        yield from (data[start : start + WINDOW] for start in range(WINDOW, len(data) - WINDOW + 1, WINDOW))
