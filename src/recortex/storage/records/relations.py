"""Relations between memories."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from recortex.domain.relation import Relation
from recortex.domain.time import from_micros, to_micros
from recortex.domain.vocabulary import RelationStatus, RelationType
from recortex.storage.records import seals
from recortex.storage.records.rows import as_written, json

if TYPE_CHECKING:
    from collections.abc import Sequence

    from recortex.storage.database import Database
    from recortex.storage.records.rows import Row


class RelationRecords:
    """Create, read and delete relations."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._sql = database.queries("relations")

    def put(self, relation: Relation) -> bool:
        """Keep a relation, or bring an equal one up to date; False when one of its ends is not there."""
        ends = (relation.source_id, relation.target_id, relation.type.value)
        for source, target, created_at in self._database.rows(self._sql["ends"], ends):
            values = (
                source, target, relation.type.value, relation.strength, json(relation.evidence), int(relation.inferred),
                int(relation.bidirectional), relation.status.value,
                to_micros(relation.created_at) if created_at is None else created_at,
            )  # fmt: skip
            self._write("relate", values)
            return True
        return False

    def remove(self, source_id: str, target_id: str, type_: RelationType | None = None) -> list[RelationType]:
        """Remove the relations from one memory to another, of one type or of all; returns the types removed."""
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
        place = seals.RELATION.index("evidence")
        for row in self._database.rows(self._sql["resting_on"], (json(text)[1:-1],)):
            self._write("strip", (*row[:place], json(()), *row[place + 1 :]))

    def _write(self, query: str, values: Row) -> None:
        """A relation by its columns as stored, under its seal."""
        row = dict(zip(seals.RELATION, values, strict=True))
        self._database.rows(self._sql[query], {**row, "seal": seals.of_relation(row)})

    def count(self) -> int:
        """How many there are."""
        return int(self._database.value(self._sql["count_relations"]))


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
