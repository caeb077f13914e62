"""Keeps an order of the memories in which each cause stands before its effects, so that none is its own.

A relation that agrees with the order closes no circle: it is kept without a look at the graph. Of one that
does not, a recursive query follows the effect as far as the place of the cause. If it comes there, the
relation closes a circle; if not, what it found is moved behind the cause (Pearce and Kelly, A dynamic
topological sort algorithm for directed acyclic graphs, 2006). At first a memory's place is its key: causes
are mostly recorded before their effects. `bench/graph.py` measures it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from recortex.domain.relation import Arc, order, untangled
from recortex.domain.vocabulary import RelationStatus
from recortex.storage.database import Records
from recortex.storage.records.values import json

if TYPE_CHECKING:
    from recortex.domain.relation import Relation


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
