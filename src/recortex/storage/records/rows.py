"""Memories to rows and back, and the keyword indexes of tables.

A row holds nothing twice: what follows from the text is null.
"""

from __future__ import annotations

from abc import abstractmethod
from bisect import bisect
from collections import defaultdict
from functools import cache
from itertools import accumulate
from operator import attrgetter, itemgetter
from typing import TYPE_CHECKING, Any

from recortex.codec import content_to_json, dumps, memory_from_json
from recortex.domain.kinds import KINDS, Content, Kind
from recortex.domain.memory import ConstraintLink, FileLink, FunctionLink, Memory, PatternLink, Source
from recortex.domain.search import BM25_WEIGHTS_DOUBLED, CHUNK_WEIGHTS_DOUBLED, EXCHANGE_WEIGHTS_DOUBLED
from recortex.domain.text import RULE as IN_A_FILE
from recortex.errors import InvalidInputError
from recortex.lean import NamedTuple, asdict, lazy_module, msgspec
from recortex.storage.database import (
    MEMORIES,
    PLAIN,
    Codec,
    Records,
    as_written,
    codecs,
    json,
    micros,
    parse,
    sealed_tables,
    storable,
)
from recortex.storage.database import link_tables as linked_tables

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    import blake3

    from recortex.domain.search import MemoryQuery, SearchText
    from recortex.domain.vocabulary import Actor
    from recortex.storage.database import Bindings, Database, Row, Table

    Links = Mapping[str, Sequence[Row]]
    Read = Callable[[str, Sequence[Any]], Iterable[Row]]
else:
    blake3 = lazy_module("blake3")


_SOURCE_COLUMNS = frozenset({"session", "turn", "speaker"})
_FIELDS = frozenset(Memory.__struct_fields__)
_OF_A_MEMORY = frozenset({"key", *_SOURCE_COLUMNS, *_FIELDS})
COLUMNS = tuple(name for name in MEMORIES.names if name in _OF_A_MEMORY)
"""The columns that a memory is made of."""
SELECT = ", ".join(f"m.{column}" for column in COLUMNS)

CHECKED = ("checked_at", "standing", "standing_since", "verdict")
"""The columns of what the last comparison with the code found."""

_NO_SOURCE = Source()
_SAID = tuple(name for name in Source.__struct_fields__ if name not in _SOURCE_COLUMNS)
_SPECIAL = frozenset({"summary", "content", "source"})
"""Fields whose columns depend on others: they are null where they say nothing new."""


_HASH = Codec(bytes.fromhex, bytes.hex)
_CODECS = {
    name: _HASH if name == "content_hash" else codec
    for name, codec in codecs(Memory).items()
    if name in MEMORIES.names and name not in _SPECIAL
}

_AS_STORED = tuple(name for name, codec in _CODECS.items() if codec is PLAIN)
_as_stored = itemgetter(*map(COLUMNS.index, _AS_STORED))
_of_memory = attrgetter(*_AS_STORED)
_STORED = tuple((name, codec.stored) for name, codec in _CODECS.items() if codec is not PLAIN)
_READ = tuple((name, codec.read) for name, codec in _CODECS.items() if codec is not PLAIN)
"""Fields that are as their columns, and those that are made of them: a context reads a hundred memories."""


def to_row(
    memory: Memory, search: SearchText, *, changed_by: Actor, reason: str, embedding_key: int | None
) -> dict[str, Any]:
    """The columns of a memory, by name."""
    plain = memory.content == type(memory.content).from_text(memory.text)
    said = {
        name: value
        for name in (_SAID if memory.source != _NO_SOURCE else ())
        if (value := getattr(memory.source, name)) != getattr(_NO_SOURCE, name)
    }
    return {
        **dict(zip(_AS_STORED, _of_memory(memory), strict=True)),
        **{name: store(getattr(memory, name)) for name, store in _STORED},
        "summary": None if memory.summary == memory.text else memory.summary,
        "content": None if plain else json(content_to_json(memory.content)),
        "session": memory.source.session,
        "turn": memory.source.turn,
        "speaker": memory.source.speaker,
        "source": json(said) if said else None,
        "changed_by": changed_by.value,
        "reason": reason,
        **search._asdict(),
        **dict.fromkeys(CHECKED),
        "embedding_key": embedding_key,
    }


def _content(kind: Kind, column: str | None, text: str) -> Content:
    content = KINDS[kind]
    return content(**{content.main: text}) if column is None else parse(column, None, content)


def from_row(row: Row, more: Mapping[str, Any]) -> Memory:
    """The memory of a row selected with `SELECT`.

    Args:
        row: as selected.
        more: its files, functions, patterns and constraints; what is to be other than in the row.

    Raises:
        CorruptStoreError: the row is not one that we wrote.
    """
    with as_written(f"The memory {row[1]}"):
        data = dict(zip(COLUMNS, row, strict=True))
        values: dict[str, Any] = dict(zip(_AS_STORED, _as_stored(row), strict=True))
        values |= {name: read(data[name]) for name, read in _READ}
        values |= more
        return Memory(
            **values,
            summary=data["text"] if data["summary"] is None else data["summary"],
            content=_content(data["kind"], data["content"], data["text"]),
            source=Source(
                session=data["session"],
                turn=data["turn"],
                speaker=data["speaker"],
                **parse(data["source"], {}),
            ),
        )


def link_rows(memory: Memory) -> dict[str, list[Row]]:
    """The rows of a memory's links, without its key.

    Of a pattern or a constraint that is there twice, the last.
    """
    rows = {name: list(map(_plain, getattr(memory, name))) for name in LINKS}
    for name in ("patterns", "constraints"):
        rows[name] = [*{row[0]: row for row in rows[name]}.values()]
    return rows


def _plain(link: Any) -> Row:
    return tuple(asdict(link).values())


LINKS: dict[str, type[Any]] = {
    "files": FileLink,
    "functions": FunctionLink,
    "patterns": PatternLink,
    "constraints": ConstraintLink,
}
"""The fields of `Memory` that hold links."""


def state_of(memory: Memory) -> str:
    """A former state, whole, as JSON."""
    return json(msgspec.to_builtins(memory))


def memory_of(state: str) -> Memory:
    """The inverse of `state_of`.

    Raises:
        CorruptStoreError: the state is not one that we wrote.
    """
    with as_written("A former state"):
        return memory_from_json(parse(state, None))


# -- A `MemoryQuery` as SQL


Clause = tuple[str, tuple[Any, ...]]
RULES = ("constraint_override", "core", "feedback", "preference")
"""The kinds that an index is for: they are few, and asked for together (`engines/context.py`)."""
_RULES: Clause = (f"m.kind IN {RULES}", ())
_WRITTEN = f"(m.origin = 'user' AND replace(m.source, '\"{IN_A_FILE}\"', '') <> m.source)"
_IN_FILES: Clause = (f"(m.origin = 'repository' OR {_WRITTEN})", ())
"""What a repository's or the person's own files say: there is an index of that."""
EVERYTHING: Clause = ("1 = 1", ())
MOST_VALUES = 10_000
"""SQLite takes 32,766 variables in a statement, PostgreSQL 65,535; other parts of a statement need some
too."""

ORDER = {
    "recorded": "recorded_at",
    "updated": "updated_at",
    "accessed": "last_accessed_at",
    "importance": "priority",
    "confidence": "confidence",
}
"""The columns by which a query orders; what has none comes before all others."""


def where(query: MemoryQuery, *, after: int = 0) -> Clause:
    """The condition on `memories m`, with its bindings; `1 = 1` when everything passes.

    Args:
        query: what passes.
        after: the highest number of a binding of the statement that it is put into, where they are numbered.

    Raises:
        InvalidInputError: it has more values than an engine takes.
    """
    clauses = list(_clauses(query))
    text = " AND ".join(f"({clause})" for clause, _ in clauses) or "1 = 1"
    values = tuple(value for _, values in clauses for value in values)
    if len(values) > MOST_VALUES:
        raise InvalidInputError(
            f"The filters have {len(values):,} values; at most {MOST_VALUES:,} are looked for at once.",
            hint="Ask in several questions.",
        )
    if after:
        text, *marked = text.split("?")
        text += "".join(f"?{number}{part}" for number, part in enumerate(marked, after + 1))
    return text, values


def order(query: MemoryQuery) -> str:
    """The ORDER BY, the insertion order breaking ties."""
    direction = "DESC" if query.descending else "ASC"
    column = f"m.{ORDER[query.order]}"
    if query.order == "accessed":
        column = f"coalesce({column}, 0)"
    return f"{column} {direction}, m.key {direction}"


def _clauses(query: MemoryQuery) -> Iterator[Clause]:
    yield from member("m.kind", query.kinds)
    if query.kinds and set(RULES).issuperset(query.kinds):
        yield _RULES  # the condition of the index: without it, the index is not used
    yield from member("m.status", query.statuses)
    if query.statuses and "active" not in query.statuses:
        yield "m.status <> 'active'", ()  # an index's condition likewise: few memories are not active
    yield from member("m.domain", query.domains)
    yield from member("m.origin", query.origins)
    if query.tags:
        marks = _marks(query.tags)
        yield f"EXISTS (SELECT 1 FROM json_each(m.tags) tag WHERE tag.value IN ({marks}))", tuple(query.tags)
    if query.files:
        # What cites one of these files, or hangs on a symbol in one
        condition, values = on_path("path", query.files)
        cited = f"SELECT memory_key FROM memory_files WHERE /*own*/ ({condition})"
        hanging = f"SELECT memory_key FROM memory_symbols WHERE /*own*/ role = 'about' AND ({condition})"
        yield f"m.key IN ({cited}) OR m.key IN ({hanging})", values * 2
    if query.functions:
        yield _functions(query.functions)
    for table, columns, wanted in (
        ("memory_patterns", ("pattern_id", "name"), query.patterns),
        ("memory_constraints", ("constraint_id", "name"), query.constraints),
    ):
        if wanted:
            among = " OR ".join(f"{column} IN ({_marks(wanted)})" for column in columns)
            yield (
                f"m.key IN (SELECT memory_key FROM {table} WHERE /*own*/ ({among}))",
                tuple(wanted) * len(columns),
            )
    yield from _scalars(query)
    if query.in_files:
        yield _IN_FILES
    if query.not_valid_at is not None:
        at = micros(query.not_valid_at)
        yield "m.valid_from > ? OR m.valid_until <= ?", (at, at)


def _functions(names: tuple[str, ...]) -> Clause:
    """What names one of these functions, or hangs on a symbol that is called so, qualified or not."""
    marks = _marks(names)
    named = f"SELECT memory_key FROM memory_functions WHERE /*own*/ name IN ({marks})"
    hanging = (
        "SELECT memory_key FROM memory_symbols WHERE /*own*/ role = 'about' "
        f"AND (plain IN ({marks}) OR name IN ({marks}))"
    )
    return f"m.key IN ({named}) OR m.key IN ({hanging})", names * 3


KNOWN = "m.updated_at <= ? OR (m.version = 1 AND m.session <> '' AND m.valid_from <= ?)"
"""What was known at a time: what was recorded by then, and what was said in a session by then and imported
later, unless it was changed since: then its first state is told."""


def on_path(column: str, paths: Iterable[str]) -> Clause:
    """The condition that a column holds one of these paths, or one in a folder: what ends in a slash."""
    exact = [path for path in paths if not path.endswith("/")]
    folders = [path for path in paths if path.endswith("/")]
    parts = [f"{column} IN ({_marks(exact)})"] if exact else []
    parts += [f"({column} >= ? AND {column} < ?)"] * len(folders)
    bounds = [bound for folder in folders for bound in (folder, folder[:-1] + "0")]  # "0" follows "/"
    return " OR ".join(parts), (*exact, *bounds)


def _scalars(query: MemoryQuery) -> Iterator[Clause]:
    for clause, value in (
        ("m.scope = ?", query.scope and query.scope.value),
        ("m.session <> '' AND m.session = ?", query.session or None),  # the condition of the index
        ("m.pinned = ?", None if query.pinned is None else int(query.pinned)),
        ("m.priority >= ?", query.min_priority),
        ("m.priority <= ?", query.max_priority),
        ("m.confidence >= ?", query.min_confidence),
        ("m.confidence <= ?", query.max_confidence),
        ("m.recorded_at >= ?", micros(query.recorded_after)),
        ("m.recorded_at < ?", micros(query.recorded_before)),
        ("m.valid_from <= ?", at := micros(query.valid_at)),
        ("m.valid_until IS NULL OR m.valid_until > ?", at),
    ):
        if value is not None:
            yield clause, (value,)
    if (then := micros(query.as_of)) is not None:
        yield KNOWN, (then, then)


def member(column: str, wanted: Iterable[Any]) -> Iterator[Clause]:
    """The condition that a column holds one of these values; none where there are no values."""
    values = tuple(str(value) for value in wanted)
    if values:
        yield f"{column} IN ({_marks(values)})", values


def _marks(values: Iterable[Any]) -> str:
    return ", ".join("?" for _ in values)


# -- row checksums ("seals"): they show when damage has changed a value into another valid one
#
# A seal is 16 bytes of BLAKE3 over the values of a row as they are stored, packed as MessagePack, whose
# bytes for a value are fixed by its specification. What changes without the row being written anew (counts
# of accesses, keys of vectors) is left out.


SEAL_BYTES = 16
_PIECE = 1_000  # memories that are checked at a time

_pack = msgspec.msgpack.Encoder().encode


class _Form(NamedTuple):
    """How the columns of a table are sealed.

    Attributes:
        texts: the values of its texts, which PostgreSQL keeps without NUL.
        real: its one real number, or empty.
        others: the values of the rest.
        added: columns that rows sealed by an earlier schema do not have.
    """

    texts: Callable[[Mapping[str, Any]], tuple[Any, ...]]
    real: str
    others: Callable[[Mapping[str, Any]], tuple[Any, ...]]
    added: tuple[str, ...]


@cache
def _form(table: Table) -> _Form:
    # Columns that a migration added are kept apart: a row from before has to fit the seal that it was given
    # then, so what they hold is sealed only where they hold something.
    first = [column for column in table.sealed_columns if not column.added]
    real = next((column.name for column in first if column.type == "REAL"), "")
    return _Form(
        _values([column.name for column in first if column.type == "TEXT"]),
        real,
        _values([column.name for column in first if column.type in {"INTEGER", "BLOB"}]),
        tuple(column.name for column in table.sealed_columns if column.added),
    )


def _values(names: Sequence[str]) -> Callable[[Mapping[str, Any]], tuple[Any, ...]]:
    """What gives the values of these columns as a tuple; itemgetter alone gives a single one bare."""
    return itemgetter(*names) if len(names) > 1 else lambda row: tuple(row[name] for name in names)


class Unfit(NamedTuple):
    """A row that is not as it was sealed.

    Attributes:
        table: where it is.
        key: its key there.
        id: of the memory that it is, or belongs to, or begins at; empty where that is not there.
        seal: what would fit.
    """

    table: str
    key: Row
    id: str
    seal: bytes


def seal_memory(row: Mapping[str, Any], links: Links) -> bytes:
    """The seal of a memory.

    Args:
        row: its columns as stored, by name.
        links: the rows of its files, functions, patterns and constraints, without its key, by those names.
            Their order is no part of the seal: their rows' numbers hold it, which a copy may give anew.
    """
    linked = [_packed(_since_sealed(name, links[name])) for name in LINKS if links.get(name)]
    return _seal(_form(MEMORIES), row, [*map(bool, map(links.get, LINKS)), *linked] if linked else [])


def seal_row(table: Table, row: Mapping[str, Any]) -> bytes:
    """The seal of a row of any other table, by its columns as stored."""
    return _seal(_form(table), row)


def _seal(form: _Form, row: Mapping[str, Any], more: Sequence[Any] = ()) -> bytes:
    texts = form.texts(row)
    packed = _pack(texts)
    # PostgreSQL keeps no NUL in a text. The seal has to be the same on both engines, or a copied store would
    # report all such rows as damaged. Looking at the packed bytes first spares the usual row the second pass.
    if b"\0" in packed or b"\\u0000" in packed:  # few: the packed length of a text may hold a zero too
        packed = _pack([storable(text) for text in texts])
    added = [[name, storable(row[name])] for name in form.added if row.get(name)]
    rest = [_real(row.get(form.real)), *form.others(row), *more, *added]
    try:
        return blake3.blake3(packed + _pack(rest)).digest(SEAL_BYTES)
    except OverflowError:  # no engine keeps such a number: the error is the engine's
        return b""


def _since_sealed(name: str, rows: Sequence[Row]) -> Sequence[Row]:
    """Rows of links without the columns that were added, where these say nothing."""
    added = _added(name)
    return (
        [row if any(row[len(row) - added :]) else row[: len(row) - added] for row in rows] if added else rows
    )


@cache
def _added(name: str) -> int:
    """How many columns of a link's table were added: the last ones."""
    return sum(column.added for column in linked_tables()[name].columns)


def _packed(rows: Sequence[Row]) -> list[bytes]:
    """Rows of links, in an order of their own."""
    packed = [_pack(row) for row in rows]
    if any(b"\0" in one or b"\\u0000" in one for one in packed):
        packed = [_pack([storable(value) for value in row]) for row in rows]
    return sorted(packed)


def _real(value: Any) -> Any:
    """A number with a fraction as both engines give it back.

    SQLite keeps 1.0 as 1 on its pages, and has no -0.0.
    """
    # Adding 0.0 turns -0.0 into 0.0, the one number that would come back with other bits.
    return float(value) + 0.0 if isinstance(value, int | float) else value


def unfit_rows(read: Read, links: Mapping[str, str]) -> Iterator[Unfit]:
    """Every sealed row that is not as it was sealed.

    Args:
        read: runs a statement.
        links: the queries of the topic `memories`.
    """
    yield from _unfit_memories(read, links)
    for table in sealed_tables():
        if table.name != MEMORIES.name:
            for id_, kept, *values in read(_sealed_rows(table), ()):
                key, rest = values[: len(table.key)], values[len(table.key) :]
                fitting = seal_row(table, dict(zip(_names(table), rest, strict=True)))
                # The fitting seal goes along: a repair seals what is there without computing it again.
                if fitting != kept:
                    yield Unfit(table.name, tuple(key), id_, fitting)


def _sealed_rows(table: Table) -> str:
    """The query of a table's sealed rows: id of each or of the memory it belongs to, seal, key, columns."""
    columns = ", ".join(f"t.{name}" for name in (*table.key, *_names(table)))
    if not table.owners:
        return f"SELECT t.id, t.seal, {columns} FROM {table.name} t WHERE /*own t*/ t.seal IS NOT NULL"
    return (
        f"SELECT coalesce(m.id, ''), t.seal, {columns} FROM {table.name} t"
        f" LEFT JOIN memories m ON /*own m*/ m.key = t.{table.owners[0]} WHERE /*own t*/ t.seal IS NOT NULL"
    )


def _names(table: Table) -> tuple[str, ...]:
    return tuple(column.name for column in table.sealed_columns)


_MEMORIES = (
    f"SELECT key, seal, {', '.join(_names(MEMORIES))} FROM memories"
    " WHERE /*own*/ seal IS NOT NULL AND key > ? ORDER BY key LIMIT ?"
)


def _unfit_memories(read: Read, links: Mapping[str, str]) -> Iterator[Unfit]:
    last = 0
    # In pieces by key, not by offset: the check of a large store stays linear and small in memory.
    while rows := list(read(_MEMORIES, (last, _PIECE))):
        keys = dumps([row[0] for row in rows]).decode()
        linked = {name: _grouped(read(links[f"{name}_of"], (keys,))) for name in LINKS}
        for key, kept, *values in rows:
            row = dict(zip(_names(MEMORIES), values, strict=True))
            fitting = seal_memory(row, {name: found.get(key, ()) for name, found in linked.items()})
            if fitting != kept:
                yield Unfit(MEMORIES.name, (key,), row["id"], fitting)
        last = rows[-1][0]


def _grouped(rows: Iterable[Row]) -> dict[int, list[Row]]:
    grouped: dict[int, list[Row]] = defaultdict(list)
    for key, *values in rows:
        grouped[key].append(tuple(values))
    return grouped


MOST_FOUND = 300
"""So many exchanges are scored in a search by their rarest words; the latest where these are still too
many."""
MOST_READ = 3_000
"""Words that so many exchanges hold together count in the score, the rarest first: FTS5 reads all of them to
know how rare a word is."""


class Indexed(NamedTuple):
    """A table whose rows are found by words.

    Attributes:
        table: its name.
        alias: of a row in conditions.
        function: of PostgreSQL, which scores its rows.
        flag: an argument of that function alone: whether the text alone counts.
        weights: twice the weight that BM25 gives a word, by the column that holds it.
        counted: rows with a word are counted up to this number, and estimated above by the latest, in SQLite:
            counting 10,000 takes half a millisecond (bench/scale.py).
    """

    table: str
    alias: str
    function: str
    flag: str
    weights: Mapping[str, int]
    counted: int

    def fill(self, sql: Mapping[str, str]) -> dict[str, str]:
        """The queries of the topic `keywords` for this table."""
        weights = ", ".join(str(weight / 2) for weight in self.weights.values())
        known = {"table": self.table, "alias": self.alias, "function": self.function}
        known |= {"flag": self.flag, "weights": weights}
        filled = dict(sql)
        for name, value in known.items():
            filled = {query: text.replace(f"{{{name}}}", value) for query, text in filled.items()}
        return filled


INDEXED = {
    one.table: one
    for one in (
        Indexed("memories", "m", "matching", "false,", BM25_WEIGHTS_DOUBLED, 10_000),
        Indexed("exchanges", "x", "matching_exchanges", "", EXCHANGE_WEIGHTS_DOUBLED, 100),
        Indexed("chunks", "x", "matching_chunks", "", CHUNK_WEIGHTS_DOUBLED, 10_000),
    )
}


class Keywords(Records):
    """The keyword index of one table.

    Attributes:
        changes: how often this process changed or deleted a row.

    Args:
        indexed: the table.
    """

    topic = "keywords"
    changes = 0

    def __init__(self, database: Database, indexed: Indexed) -> None:
        super().__init__(database)
        self._sql = indexed.fill(self._sql)
        self._indexed = indexed

    def rows(self, sql: str, bindings: Bindings = ()) -> list[Row]:
        """All rows of a statement that reads or writes the index, directly or through a trigger."""
        return self._database.rows(sql, bindings)

    def insert(self, sql: str, rows: Sequence[Mapping[str, Any]]) -> list[int]:
        """Write new rows by a statement that returns the key of one; returns theirs, in the same order."""
        return [int(self.rows(sql, row)[0][0]) for row in rows]

    def found_by(self, row: Mapping[str, Any]) -> dict[str, Any]:  # noqa: ARG002
        """More columns of a row that is written, for an engine that keeps words itself."""
        return {}

    def forget(self, key: int) -> None:  # noqa: ARG002
        """Before a row is changed or deleted, for what holds or counts words itself."""
        self.changes += 1

    def size(self) -> int:
        """About how many rows are indexed."""
        return self._number("size")

    @abstractmethod
    def frequencies(self, words: Sequence[str]) -> list[int]:
        """For each word, how many rows contain it; of a common one about how many."""

    @abstractmethod
    def holding(self, words: Sequence[str], keys: Sequence[int]) -> dict[str, frozenset[int]]:
        """For each word, those of the keys whose rows contain it."""

    @abstractmethod
    def match(
        self,
        words: Sequence[str],
        limit: int,
        clause: Clause,
        *,
        all_required: bool = False,
        score_only: Sequence[str] = (),
    ) -> list[tuple[int, float]]:
        """Keys of rows with any of the words, or all, with their BM25 score, best first; then the oldest."""

    @abstractmethod
    def match_rarest(self, words: Mapping[str, int], limit: int, clause: Clause) -> list[tuple[int, float]]:
        """The same for words with their frequencies.

        The rarest words find, and more only where these find too few; as many score as can be read in time.
        """


def rarest(counts: Sequence[int]) -> tuple[int, int]:
    """How many of the first words find rows, and how many are read at all.

    Args:
        counts: how many rows hold each word, in ascending order.
    """
    sums = list(accumulate(counts))
    return max(bisect(sums, MOST_FOUND), 1), bisect(sums, MOST_READ)


class WordSearch(Records):
    """Finds rows of one table by words.

    Args:
        keywords: its index.
    """

    def __init__(self, database: Database, keywords: Keywords) -> None:
        super().__init__(database)
        self._keywords = keywords

    def searchable(self) -> int:
        """About how many rows are indexed."""
        return self._keywords.size()

    def frequencies(self, words: Sequence[str]) -> list[int]:
        """For each word, how many rows contain it; of a common one about how many."""
        return self._keywords.frequencies(words)

    def holding(self, words: Sequence[str], keys: Sequence[int]) -> dict[str, frozenset[int]]:
        """For each word, those of the rows that contain it."""
        return self._keywords.holding(words, keys)
