"""Documents and their chunks in a store: writing and reading them, and finding chunks as memories are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from recortex.domain.search import Chunk, Document, Facts, Links
from recortex.domain.text import to_micros
from recortex.storage.database import CHUNKS, DOCUMENTS, Records, json, micros, read, stored
from recortex.storage.records.rows import EVERYTHING, member, on_path, seal_row
from recortex.storage.records.search import SignSearch
from recortex.storage.records.vectors import OF_CHUNKS, Owned, OwnVectors

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from recortex.domain.memory import Memory
    from recortex.domain.search import MemoryQuery
    from recortex.storage.database import Database
    from recortex.storage.records.rows import Clause, Keywords

_NAMES = frozenset(Chunk.__struct_fields__)
COLUMNS = tuple(name for name in CHUNKS.names if name in _NAMES)
"""The columns that a chunk is made of."""
SELECT = ", ".join(f"x.{name}" for name in COLUMNS)
OF_DOCUMENT = tuple(name for name in DOCUMENTS.names if name not in {"key", "seal"})
"""The columns that a document is made of."""
VECTORS = ("embedding_key",)
"""The columns with the keys of a chunk's vectors."""
_HISTORY = ("written_at", "last_accessed_at", "access_count", "embedding_key")
"""What a chunk takes over from one with the same text."""
_MOST_ASKED = 5_000


def chunk_of(row: Sequence[Any]) -> Chunk:
    """The chunk of a row of `COLUMNS`.

    Raises:
        CorruptStoreError: the row is not one that we wrote.
    """
    return read(Chunk, COLUMNS, row)


def document_of(row: Sequence[Any]) -> Document:
    """The document of a row, without its key and seal.

    Raises:
        CorruptStoreError: the row is not one that we wrote.
    """
    return read(Document, OF_DOCUMENT, row)


def _row_of(chunk: Chunk, terms: str, known: Mapping[str, Any]) -> dict[str, Any]:
    """The columns of a chunk, by name; `known`: those that it has from others with its text."""
    row = stored(chunk, COLUMNS) | {"terms": terms, "last_accessed_at": None, "access_count": 0}
    row |= {"embedding_key": None, **known}
    return row | {"seal": seal_row(CHUNKS, row)}


class DocumentRecords(Records):
    """The `DocumentRecords` of a store."""

    topic = "documents"
    readers: ClassVar = {"documents": (document_of, OF_DOCUMENT), "chunks": (chunk_of, COLUMNS)}

    def __init__(self, database: Database, keywords: Keywords) -> None:
        super().__init__(database)
        self._keywords = keywords
        self._of_chunks = database.queries("chunks")

    # -- writing: inside a transaction

    def put(self, document: Document, chunks: Sequence[tuple[Chunk, str]]) -> None:
        """Keep a document with its chunks, and the words that each is found by, in place of what it was.

        A chunk whose text is known keeps its vector, its accesses and the time when it was written, also
        where it is known from another document: one that was renamed.
        """
        self._put_row(document)
        kept = {id_: (key, seal) for key, id_, seal in self._rows_of(document.path)}
        alike = self._alike([chunk.hash for chunk, _ in chunks])
        new: list[dict[str, Any]] = []
        for chunk, terms in chunks:
            key, seal = kept.pop(chunk.id, (None, None))
            row = _row_of(chunk, terms, alike.get(chunk.hash, {}))
            if key is None:
                new.append(row | self._keywords.found_by(row))
            elif row["seal"] != seal:
                self._keywords.forget(key)
                changed = row | {"key": key} | self._keywords.found_by(row)
                self._keywords.rows(self._of_chunks["update"], changed)
        self._keywords.insert(self._of_chunks["insert"], new)
        self._delete_chunks([key for key, _ in kept.values()])

    def delete(self, paths: Sequence[str]) -> int:
        """Remove documents, their chunks, and vectors that nothing else has; returns how many there were."""
        there = [path for path in paths if self._rows("key", path)]
        for path in there:
            self._delete_chunks([key for key, *_ in self._rows_of(path)])
            self._rows("delete", path)
        return len(there)

    def delete_holding(self, documents: Clause, chunks: Clause) -> int:
        """Remove the documents and the chunks that meet a condition on `documents x`, and on `chunks x`.

        Returns how many chunks there were. A document stays that lost a chunk: it is not read again before
        its file changes.
        """
        before = self.count()[1]
        sql = f"SELECT x.path FROM documents x WHERE /*own x*/ ({documents[0]})"
        self.delete([row[0] for row in self._database.rows(sql, documents[1])])
        sql = f"SELECT x.key FROM chunks x WHERE /*own x*/ ({chunks[0]})"
        self._delete_chunks([row[0] for row in self._database.rows(sql, chunks[1])])
        return before - self.count()[1]

    def touch(self, ids: Sequence[str], at: datetime) -> None:
        """Count an access to each of these chunks."""
        self._database.run_many(self._of_chunks["touch"], [(id_, to_micros(at)) for id_ in ids])

    # -- reading

    def count(self) -> tuple[int, int]:
        """How many documents and how many chunks there are."""
        documents, chunks = self._rows("counts")[0]
        return int(documents), int(chunks)

    def all(self, *, within: Sequence[str] = ()) -> list[Document]:
        """The documents by their paths; only those at these, or in these folders, which end in a slash."""
        condition, values = on_path("d.path", within) if within else ("1 = 1", ())
        columns = ", ".join(f"d.{name}" for name in OF_DOCUMENT)
        sql = f"SELECT {columns} FROM documents d WHERE /*own d*/ ({condition}) ORDER BY d.path"
        return [document_of(row) for row in self._database.rows(sql, values)]

    def by_other_rules(self, rules: str) -> set[str]:
        """The paths of documents from which secrets were taken out by other privacy rules than these."""
        return set(self._column("by_other_rules", rules))

    def chunks(self, ids: Sequence[str]) -> list[Chunk]:
        """The chunks with these ids, in that order; an id without one is left out."""
        found = self._chunks("x.id IN (SELECT value FROM json_each(?))", json(list(ids)))
        by_id = {one.id: one for one in found}
        return [by_id[id_] for id_ in ids if id_ in by_id]

    def chunks_of(self, path: str) -> list[Chunk]:
        """The chunks of a document, in its order."""
        return self._chunks("x.path = ?", path)

    def ids_beginning(self, prefix: str) -> list[str]:
        """At most three ids of chunks that begin so."""
        rows = self._database.rows(self._of_chunks["beginning"], (prefix, prefix + "\uffff"))
        return [row[0] for row in rows]

    # -- inside

    def _put_row(self, document: Document) -> None:
        row = stored(document, OF_DOCUMENT)
        row["seal"] = seal_row(DOCUMENTS, row)
        known = self._column("key", document.path)
        self._named("update" if known else "insert", row | ({"key": known[0]} if known else {}))

    def _rows_of(self, path: str) -> list[tuple[Any, ...]]:
        """Key, id and seal of each chunk of a document."""
        sql = "SELECT x.key, x.id, x.seal FROM chunks x WHERE /*own x*/ x.path = ? ORDER BY x.place"
        return self._database.rows(sql, (path,))

    def _alike(self, hashes: Sequence[str]) -> dict[str, dict[str, Any]]:
        """What is known of chunks with these texts, by their hashes; with a vector if one of them has one."""
        found: dict[str, dict[str, Any]] = {}
        for start in range(0, len(hashes), _MOST_ASKED):
            asked = json(list(hashes[start : start + _MOST_ASKED]))
            for hash_, *values in self._database.rows(self._of_chunks["alike"], (asked,)):
                found[hash_] = dict(zip(_HISTORY, values, strict=True))
        return found

    def _delete_chunks(self, keys: Sequence[int]) -> None:
        drop = self._database.queries("maintenance")["drop_vector"]
        for key in keys:
            sql = "SELECT x.embedding_key FROM chunks x WHERE /*own x*/ x.key = ?"
            vector = self._database.value(sql, (key,))
            self._keywords.forget(key)
            self._keywords.rows(self._of_chunks["delete"], (key,))
            if vector is not None:
                self._database.rows(drop, (vector,))

    def _chunks(self, condition: str, *values: Any) -> list[Chunk]:
        sql = f"SELECT {SELECT} FROM chunks x WHERE /*own x*/ {condition} ORDER BY x.path, x.place"
        return [chunk_of(row) for row in self._database.rows(sql, values)]


# -- finding chunks by words and by vectors


_CHUNKS = Owned(VECTORS, OF_CHUNKS, 0x55, SELECT, chunk_of)
_SCORED = ("key", "written_at", "access_count")
_KIND = "core"
"""The kind of memory as which a chunk is scored: one that does not fade. What a file says is true while it
says so."""


def where(only: MemoryQuery | None) -> Clause:
    """The condition on `chunks x`, with its values: those filters that a document can pass."""
    if only is None:
        return EVERYTHING
    clauses = list(member("x.domain", only.domains))
    if only.files:
        condition, values = on_path("x.path", only.files)
        clauses.append((f"({condition})", values))
    for condition, at in (
        ("x.written_at >= ?", only.recorded_after),
        ("x.written_at < ?", only.recorded_before),
    ):
        if at is not None:
            clauses.append((condition, (micros(at),)))
    text = " AND ".join(condition for condition, _ in clauses)
    return text or "1 = 1", tuple(value for _, values in clauses for value in values)


class ChunkSearchRecords(SignSearch):
    """The part of a `ChunkSearch` that is the same in every engine: a `SearchStore` whose rows are chunks."""

    topic = "chunks"
    owned = _CHUNKS

    def match(
        self,
        words: Sequence[str],
        limit: int,
        only: MemoryQuery | None,
        *,
        all_required: bool = False,
        score_only: Sequence[str] = (),
    ) -> list[tuple[int, float]]:
        """Keys of chunks with any of the words, or all, with their BM25 score, best first."""
        return self._keywords.match(
            words, limit, where(only), all_required=all_required, score_only=score_only
        )

    def nearest(self, vector: bytes, limit: int, only: MemoryQuery | None, model: str) -> list[int]:
        """Keys of chunks whose vectors differ least in their signs from the query's."""
        return self.holders(vector, limit, where(only), model)

    def vectors(self, keys: Sequence[int], model: str) -> dict[int, bytes]:
        """The vectors of chunks by one embedder, as int8 codes."""
        model_key = self._vectors.model_key(model)
        rows = () if model_key is None else self._rows("vectors", json(list(keys)), model_key)
        return {key: self._vectors.code(vector) for key, vector in rows}

    def facts(self, keys: Sequence[int], only: MemoryQuery, model: str | None) -> list[Facts]:
        """What is scored of those chunks that pass the filter."""
        return [self._facts(*row) for row in self.scored(_SCORED, keys, where(only), model)]

    def links(self, keys: Sequence[int]) -> dict[int, Links]:
        """The file that each chunk is of."""
        return {key: Links((path,)) for key, path in self._rows("files", json(list(keys)))}

    def chunks(self, keys: Sequence[int]) -> dict[int, Chunk]:
        """The chunks with these keys."""
        return self.by_key(keys)

    def pieces(self, keys: Sequence[int], model: str) -> Mapping[int, bytes]:  # noqa: ARG002
        """None: they are not kept of documents."""
        return {}

    def known_speakers(self, words: Sequence[str]) -> tuple[str, ...]:  # noqa: ARG002
        """None: documents have no speakers."""
        return ()

    def around(self, keys: Sequence[int], radius: int) -> tuple[tuple[int, int], ...]:  # noqa: ARG002
        """None: chunks are no turns of a dialogue."""
        return ()

    def hubs(self, keys: Sequence[int]) -> Mapping[int, float]:  # noqa: ARG002
        """None: chunks have no relations."""
        return {}

    def memories(
        self,
        keys: Sequence[int],  # noqa: ARG002
        confidence: Mapping[int, float] | None = None,  # noqa: ARG002
    ) -> Mapping[int, Memory]:
        """None: `chunks` reads them."""
        return {}

    def _facts(self, key: int, written_at: int, access_count: int, vector: bytes | None) -> Facts:
        # By place, which takes half as long: a recall makes hundreds.
        at, none = written_at, None
        return Facts(key, _KIND, "", none, "", at, at, none, 1.0, 5, 0, 0, none, access_count, vector=vector)


class ChunkVectorRecords(OwnVectors):
    """The `ChunkVectors` of a store."""

    topic = "chunks"
    owned = _CHUNKS
