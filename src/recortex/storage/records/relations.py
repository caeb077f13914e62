"""Relations between memories."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from recortex.domain.relation import Relation
from recortex.domain.time import from_micros, to_micros
from recortex.domain.vocabulary import RelationStatus, RelationType
from recortex.storage.records import row_checksums
from recortex.storage.records.rows import as_written, json
from recortex.storage.tables import RELATIONS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from recortex.storage.database import Database
    from recortex.storage.records.rows import Row


_COLUMNS = tuple(column.name for column in RELATIONS.sealed_columns)


class RelationRecords:
    """Create, read and delete relations."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._sql = database.queries("relations")

    def put(self, relation: Relation) -> bool:
        """Keep a relation, or bring an equal one up to date; False when one of its ends is not there."""
        return self.put_all([relation]) == 1

    def put_all(self, relations: Sequence[Relation]) -> int:
        """The same for many in a few statements; returns how many have both ends."""
        if not relations:
            return 0
        sources, targets = [one.source_id for one in relations], [one.target_id for one in relations]
        keys = dict(self._database.rows(self._sql["keys"], (json(sorted({*sources, *targets})),)))
        since = self._since(*({keys[id_] for id_ in ends if id_ in keys} for ends in (sources, targets)))
        rows = [
            _row(keys[one.source_id], keys[one.target_id], one, since)
            for one in relations
            if one.source_id in keys and one.target_id in keys
        ]
        self._write("relate", rows)
        return len(rows)

    def _since(self, sources: set[int], targets: set[int]) -> dict[tuple[int, int, str], int]:
        """When each relation from these keys of memories to those began.

        It is kept when a relation is written again.
        """
        rows = self._database.rows(self._sql["since"], (json(sorted(sources)), json(sorted(targets))))
        return {(source, target, type_): created_at for source, target, type_, created_at in rows}

    def remove(self, source_id: str, target_id: str, type_: RelationType | None = None) -> list[RelationType]:
        """Remove the relations from one memory to another, of one type or of all.

        Returns the types removed.
        """
        rows = self._database.rows(
            self._sql["unrelate"], (source_id, target_id, type_.value if type_ else "")
        )
        return [RelationType(row[0]) for row in rows]

    def of(self, ids: Sequence[str]) -> list[Relation]:
        """Every relation that begins or ends at one of these memories."""
        return [
            relation_of(row) for row in self._database.rows(self._sql["relations_of"], (json(list(ids)),))
        ]

    def suggested(self, type_: RelationType, limit: int) -> list[Relation]:
        """Relations of a type between active memories that wait for a person, the latest first."""
        return [relation_of(row) for row in self._database.rows(self._sql["suggested"], (type_.value, limit))]

    def all(self) -> list[Relation]:
        """Every relation, oldest first."""
        return [relation_of(row) for row in self._database.rows(self._sql["all_relations"])]

    def strip_evidence(self, text: str) -> None:
        """Take a text out of the reasons of relations: the relation stays, its evidence goes."""
        place = _COLUMNS.index("evidence")
        found = self._database.rows(self._sql["resting_on"], (json(text)[1:-1],))
        self._write("strip", [(*row[:place], json(()), *row[place + 1 :]) for row in found])

    def _write(self, query: str, rows: Sequence[Row]) -> None:
        """Relations by their columns as stored, each under its seal."""
        named = [dict(zip(_COLUMNS, row, strict=True)) for row in rows]
        self._database.run_many(
            self._sql[query], [{**row, "seal": row_checksums.of_row(RELATIONS, row)} for row in named]
        )

    def count(self) -> int:
        """How many there are."""
        return int(self._database.value(self._sql["count_relations"]))


def _row(source: int, target: int, relation: Relation, since: dict[tuple[int, int, str], int]) -> Row:
    """A relation's columns as stored; when it began is noted, in case that it is written once more."""
    place = (source, target, relation.type.value)
    return (
        *place,
        relation.strength,
        json(relation.evidence),
        int(relation.inferred),
        int(relation.bidirectional),
        relation.status.value,
        since.setdefault(place, to_micros(relation.created_at)),
    )


def relation_of(row: Row) -> Relation:
    """The relation of a row's columns as stored; its ends are what the row has for them, ids or keys.

    Raises:
        CorruptStoreError: the row is not one that we wrote.
    """
    with as_written("A relation"):
        source, target, type_, strength, evidence, inferred, bidirectional, status, created_at = row
        return Relation(
            source_id=source,
            target_id=target,
            type=RelationType(type_),
            created_at=from_micros(created_at),
            strength=strength,
            evidence=msgspec.json.decode(evidence, type=tuple[str, ...]),
            inferred=bool(inferred),
            status=RelationStatus(status),
            bidirectional=bool(bidirectional),
        )
