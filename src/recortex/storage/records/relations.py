"""Relations between memories."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from recortex.domain.relation import Relation
from recortex.domain.vocabulary import RelationType
from recortex.storage.database import Records
from recortex.storage.records import row_checksums
from recortex.storage.records.values import json, read, stored
from recortex.storage.tables import RELATIONS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from recortex.storage.records.values import Row


_COLUMNS = tuple(column.name for column in RELATIONS.sealed_columns)


class RelationRecords(Records):
    """Create, read and delete relations."""

    topic = "relations"

    def put(self, relation: Relation) -> bool:
        """Keep a relation, or bring an equal one up to date; False when one of its ends is not there."""
        return self.put_all([relation]) == 1

    def put_all(self, relations: Sequence[Relation]) -> int:
        """The same for many in a few statements; returns how many have both ends."""
        if not relations:
            return 0
        ids = {id_ for one in relations for id_ in (one.source_id, one.target_id)}
        keys = dict(self._rows("keys", json(sorted(ids))))
        kept = [one for one in relations if one.source_id in keys and one.target_id in keys]
        sources, targets = {keys[one.source_id] for one in kept}, {keys[one.target_id] for one in kept}
        found = self._rows("since", json(sorted(sources)), json(sorted(targets)))
        began = {tuple(place): at for *place, at in found}
        rows = []
        for one in kept:
            row = {
                **stored(one, _COLUMNS[2:]),
                "source_key": keys[one.source_id],
                "target_key": keys[one.target_id],
            }
            place = tuple(row[name] for name in RELATIONS.key)
            row["created_at"] = began.setdefault(place, row["created_at"])  # an earlier one's time is kept
            rows.append(row)
        self._write("relate", rows)
        return len(rows)

    def remove(self, source_id: str, target_id: str, type_: RelationType | None = None) -> list[RelationType]:
        """Remove the relations from one memory to another, of one type or of all.

        Returns the types removed.
        """
        return list(map(RelationType, self._column("unrelate", source_id, target_id, type_ or "")))

    def of(self, ids: Sequence[str]) -> list[Relation]:
        """Every relation that begins or ends at one of these memories."""
        return [relation_of(row) for row in self._rows("relations_of", json(list(ids)))]

    def suggested(self, type_: RelationType, limit: int) -> list[Relation]:
        """Relations of a type between active memories that wait for a person, the latest first."""
        return [relation_of(row) for row in self._rows("suggested", type_.value, limit)]

    def contradicting(self, ids: Sequence[str]) -> list[tuple[str, str]]:
        """Pairs of active memories that contradict each other, at least one of each among these."""
        return [(one, other) for one, other in self._rows("contradicting", json(list(ids)))] if ids else []

    def all(self) -> list[Relation]:
        """Every relation, oldest first."""
        return [relation_of(row) for row in self._rows("all_relations")]

    def strip_evidence(self, text: str) -> None:
        """Take a text out of the reasons of relations: the relation stays, its evidence goes."""
        found = self._rows("resting_on", json(text)[1:-1])
        rows = [dict(zip(_COLUMNS, row, strict=True)) for row in found]
        self._write("strip", [{**row, "evidence": json(())} for row in rows])

    def _write(self, query: str, rows: Sequence[dict[str, Any]]) -> None:
        """Relations by their columns as stored, each under its seal."""
        self._each(query, [{**row, "seal": row_checksums.of_row(RELATIONS, row)} for row in rows])

    def count(self) -> int:
        """How many there are."""
        return self._number("count_relations")


def relation_of(row: Row) -> Relation:
    """The relation of a row's columns as stored; its ends are what the row has for them, ids or keys.

    Raises:
        CorruptStoreError: the row is not one that we wrote.
    """
    return read(Relation, ("source_id", "target_id", *_COLUMNS[2:]), row)
