"""Relations between memories."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Any

from recortex.domain.memory import (
    FORWARD,
    Arc,
    AuditEntry,
    Ending,
    FormerRelation,
    Relation,
    Verdict,
    in_words,
    order,
    shortest,
    untangled,
)
from recortex.domain.text import from_micros, to_micros
from recortex.domain.vocabulary import Actor, RelationStatus, RelationType
from recortex.errors import CausalCycleError
from recortex.lean import replace
from recortex.storage.database import RELATIONS, Records, json, read, stored
from recortex.storage.records.ledger import LedgerRecords
from recortex.storage.records.memories import RelationDegrees
from recortex.storage.records.rows import seal_row

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from datetime import datetime

    from recortex.storage.database import Database, Row


# -- keeps an order of the memories in which each cause stands before its effects, so that none is its own


class CausalOrder(Records):
    """The places of memories. Call it in the transaction that writes a relation."""

    topic = "causality"

    def made(self) -> bool:
        """Whether there is an order: not yet in a store of an older version, a copy, or a recovered one."""
        return bool(self._number("ordered"))

    def circular(self) -> list[Arc]:
        """The weakest relation of each circle, by which no order can be made."""
        return untangled(self._arcs())[1]

    def _arcs(self) -> list[Arc]:
        return [Arc(*row) for row in self._rows("arcs")]

    def make(self) -> list[Arc]:
        """Make the order anew; returns what kept it from being one: the weakest relation of each circle."""
        keys, dropped = untangled(self._arcs())
        self._rows("forget")
        moved = ((key, place) for key, place in zip(keys, sorted(keys), strict=True) if key != place)
        self._each("place", [(0, 0), *moved])
        return dropped

    def admit(self, relation: Relation) -> tuple[int, int, list[int]] | None:
        """Give an active causal relation room in the order; one that waits for a person is only tested.

        Returns:
            None if it closes no circle. Else the keys of its effect, of its cause, and of all that may lie
            between them.
        """
        cause, effect = order(relation) or ("", "")
        places = {id_: (key, place) for id_, key, place in self._rows("places", json([cause, effect]))}
        if len(places) < 2 or places[cause][1] < places[effect][1]:  # noqa: PLR2004  both ends
            return None
        (cause_key, last), (effect_key, first) = places[cause], places[effect]
        after = dict(self._rows("following", effect_key, last))
        if cause_key in after:
            return effect_key, cause_key, sorted(after)
        if relation.status is RelationStatus.ACTIVE:
            before = dict(self._rows("leading", cause_key, first))
            keys = [*sorted(before, key=before.__getitem__), *sorted(after, key=after.__getitem__)]
            self._each("place", list(zip(keys, sorted([*before.values(), *after.values()]), strict=True)))
        return None


# -- relations between memories


_COLUMNS = tuple(column.name for column in RELATIONS.sealed_columns)


class RelationRecords(Records):
    """Create, read and delete relations."""

    topic = "relations"

    def __init__(self, database: Database) -> None:
        super().__init__(database)
        self._order = CausalOrder(database)
        self._degrees = RelationDegrees(database)
        self._ledger = LedgerRecords(database)

    def put(self, relation: Relation, *, at: datetime | None = None) -> bool:
        """Keep a relation, or bring an equal one up to date; False when one of its ends is not there.

        Args:
            relation: the new state.
            at: when it changes, to keep what it was until then.

        Raises:
            CausalCycleError: it would make a memory a cause of itself; the message names the path.
        """
        with self._database.transaction():  # nobody else writes between the question and the answer
            if path := self._circle(relation):
                both = " in both directions" if relation.bidirectional else ""
                raise CausalCycleError(f"A memory would be a cause of itself{both}: {in_words(path)}.")
            if at is not None:
                self._end(relation.source_id, relation.target_id, relation.type, at, "changed")
            return self._keep([relation]) == 1

    def put_all(self, relations: Sequence[Relation], refused: list[str] | None = None) -> int:
        """The same for many; returns how many were kept.

        One without both ends is left out, and so is one that would make a memory a cause of itself.

        Args:
            relations: in the order in which they are kept.
            refused: is given the message of each that closes a circle.
        """
        kept = self._keep([one for one in relations if order(one) is None])
        for one in relations:
            if order(one) is not None:
                try:
                    kept += self.put(one)
                except CausalCycleError as error:
                    if refused is not None:
                        refused.append(error.message)
        return kept

    def untangle(self, at: datetime) -> list[Relation]:
        """Let the weakest relation of each circle of causes wait for a person; returns what these are now.

        Circles can be in a store that an older version wrote, and in one that was recovered. Each relation is
        noted in the audit log. The order of causes is made anew.
        """
        with self._database.transaction():
            dropped = self._order.make()
            found = [relation_of(self._rows("by_keys", *self._place(one))[0]) for one in dropped]
            waiting = [replace(one, status=RelationStatus.SUGGESTED) for one in found]
            self._keep(waiting)
            self._ledger.record([_doubted(one, at) for one in waiting])
        return waiting

    def _place(self, one: Arc) -> tuple[int, int, str]:
        ends = (one.cause, one.effect) if one.type in FORWARD else (one.effect, one.cause)
        return (*ends, one.type)

    def _circle(self, relation: Relation) -> list[Relation]:
        """The relations that a causal one would make a circle of, itself first; empty where it makes none.

        Only active ones count: what waits for a person keeps nothing out, and is tested again when it
        becomes active. The status of the memories does not matter, so that undoing or restoring one closes
        no circle.
        """
        ends = order(relation)
        if ends is None:
            return []
        if relation.bidirectional or ends[0] == ends[1]:
            return [relation]
        if not self._order.made():
            self.untangle(relation.created_at)
        if (closed := self._order.admit(relation)) is None:
            return []
        effect, cause, between = closed
        rows = self._rows("among", json(between))
        arcs = ((*((row[0], row[1]) if row[2] in FORWARD else (row[1], row[0])), row) for row in rows)
        path = shortest(effect, cause, arcs)
        return [relation, *(relation_of(self._rows("by_keys", *place)[0]) for place in path)]

    def _end(self, source_id: str, target_id: str, type_: str, at: datetime, reason: Ending) -> None:
        self._rows("end", source_id, target_id, type_, to_micros(at), reason)

    def _keep(self, relations: Sequence[Relation]) -> int:
        """Write relations in a few statements; returns how many have both ends."""
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
        with self._database.transaction(), self._degrees.changing(sources | targets):
            self._write("relate", rows)
            self._ledger.note_changed(sources)
        return len(rows)

    def remove(
        self,
        source_id: str,
        target_id: str,
        type_: RelationType | None = None,
        *,
        at: datetime | None = None,
        reason: Ending = "removed",
    ) -> list[RelationType]:
        """Remove the relations from one memory to another, of one type or of all; returns the types removed.

        Args:
            source_id: where they begin.
            target_id: where they end.
            type_: only this type.
            at: when, to keep what they were until then.
            reason: why, to be kept with that.
        """
        keys = [key for _, key in self._rows("keys", json([source_id, target_id]))]
        with self._database.transaction(), self._degrees.changing(keys):
            if at is not None:
                self._end(source_id, target_id, type_ or "", at, reason)
            self._ledger.note_changed(keys)
            return list(map(RelationType, self._column("unrelate", source_id, target_id, type_ or "")))

    def find_touching(self, ids: Sequence[str]) -> list[Relation]:
        """Every relation that begins or ends at one of these memories."""
        return [relation_of(row) for row in self._rows("relations_of", json(list(ids)))]

    def along(
        self,
        ids: Sequence[str],
        outgoing: Collection[RelationType],
        incoming: Collection[RelationType],
        *,
        min_strength: float,
        most: int,
    ) -> list[Relation]:
        """Active relations from some memories on, the strongest to each memory that is reached.

        Args:
            ids: of the memories.
            outgoing: types that are followed from source to target.
            incoming: types that are followed from target to source.
            min_strength: 0 to 1.
            most: at most so many, the strongest.
        """
        types = json(sorted(outgoing)), json(sorted(incoming))
        best: dict[str, tuple[Any, ...]] = {}
        for row in sorted(
            self._rows("along", json(list(ids)), *types, min_strength),
            key=lambda row: (-row[3], row[0], row[1], row[2]),
        ):
            best.setdefault(row[-1], row)
        return [relation_of(row[:-1]) for row in islice(best.values(), most)]

    def former(self, ids: Sequence[str]) -> list[FormerRelation]:
        """What relations that begin or end at one of these memories were, without their evidence."""
        rows = self._rows("former", json(list(ids)))
        return [FormerRelation(relation_of(row[:-2]), from_micros(row[-2]), row[-1]) for row in rows]

    def suggested(self, type_: RelationType, limit: int) -> list[Relation]:
        """Relations of a type between active memories that wait for a person, the latest first."""
        return [relation_of(row) for row in self._rows("suggested", type_.value, limit)]

    def prunable(self, weaker: float, before: datetime | None, limit: int) -> list[Relation]:
        """Causal relations that are weaker, and those that were inferred before a time and wait since."""
        until = 0 if before is None else to_micros(before)
        return [relation_of(row) for row in self._rows("prunable", weaker, until, limit)]

    def circular(self) -> list[Relation]:
        """A causal relation of each circle, the weakest: none but in a store that an older version wrote."""
        keys = [] if self._order.made() else self._order.circular()
        return [relation_of(self._rows("by_keys", *self._place(one))[0]) for one in keys]

    def verdicts(self, memory_id: str) -> list[Verdict]:
        """What was read in the pairs of a memory, where neither of the two has changed since."""
        return [Verdict(*row) for row in self._rows("verdicts", memory_id)]

    def judge(self, verdicts: Sequence[Verdict]) -> None:
        """Keep what was read in pairs, in place of what was read in them before."""
        self._each("judge", verdicts)

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
        self._each(query, [{**row, "seal": seal_row(RELATIONS, row)} for row in rows])

    def count(self) -> int:
        """How many there are."""
        return self._number("count_relations")


def _doubted(relation: Relation, at: datetime) -> AuditEntry:
    details = {"relation": relation.type.value, "target": relation.target_id, "why": "it closed a circle"}
    return AuditEntry(
        memory_id=relation.source_id, operation="doubt", actor=Actor.SYSTEM, at=at, details=details
    )


def relation_of(row: Row) -> Relation:
    """The relation of a row's columns as stored; its ends are what the row has for them, ids or keys.

    Raises:
        CorruptStoreError: the row is not one that we wrote.
    """
    return read(Relation, ("source_id", "target_id", *_COLUMNS[2:]), row)
