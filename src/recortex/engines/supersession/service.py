"""Carrying out supersession: known memories end, and a new one takes over their relations."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from recortex.domain.history import AuditEntry
from recortex.domain.relation import Relation
from recortex.domain.vocabulary import RelationType, Status
from recortex.engines.graph.causality import refuse_circle
from recortex.engines.indexing.document import search_text
from recortex.engines.indexing.service import search_text_in
from recortex.errors import MemoryNotFoundError

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence
    from datetime import datetime

    from recortex.domain.memory import Memory
    from recortex.domain.vocabulary import Actor
    from recortex.ports.store import Store


class Supersession:
    """Replaces memories in a store; each method is one transaction, or joins the one around it."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def put(
        self,
        new: Memory,
        old: Sequence[Memory],
        *,
        actor: Actor,
        operation: str,
        now: datetime,
        but: Collection[RelationType] = (),
        details: dict[str, Any] | None = None,
    ) -> Memory:
        """Keep a composed memory as a new one, whatever is known, and supersede the old ones.

        Each old one gets `superseded_by`, the end of its validity and a supersedes relation from the new one;
        its own relations stay, and are carried over to the new one, none to itself.

        Args:
            new: as composed: without secrets, with hash and tokens.
            old: what it replaces; may be empty.
            actor: on whose behalf.
            operation: what the audit log says of the new one, such as create or merge.
            now: when the old ones end.
            but: relations of these types are not carried over.
            details: for the audit log.

        Raises:
            MemoryNotFoundError: an old one is gone, or is no longer active: someone else was quicker.
            InvalidInputError: one of the old ones led to another: the new one would be a cause of itself.
        """
        with self._store.transaction():
            current = self._store.memories.get([one.id for one in old])
            if [one.status for one in current] != [Status.ACTIVE] * len(old):
                raise MemoryNotFoundError(
                    "A memory that was to be replaced is no longer active.",
                    hint="It changed meanwhile: look again.",
                )
            self._store.memories.insert(new, search_text(new), actor=actor)
            record(self._store, new.id, operation, actor, now, details or {})
            self._carry_over(new, current, but)
            for one in current:
                supersede(self._store, one, by=new.id, since=now, at=now, actor=actor)
        return new

    def _carry_over(self, new: Memory, old: Sequence[Memory], but: Collection[RelationType]) -> None:
        ids = [one.id for one in old]
        for relation in carried(new.id, ids, self._store.relations.of(ids) if ids else ()):
            if relation.type not in but:
                refuse_circle(relation, self._store.relations.of)
                self._store.relations.put(relation)


def supersede(
    store: Store, old: Memory, *, by: str, since: datetime, at: datetime, actor: Actor, why: str = ""
) -> None:
    """End a kept memory and relate its successor to it; the caller holds the transaction.

    Args:
        store: holds both memories.
        old: the memory that ends, as it is kept now.
        by: the id of the memory that holds from now on.
        since: when the successor became true; the old one is valid no longer than that.
        at: when this is recorded.
        actor: on whose behalf.
        why: the evidence of the engine that found it out; empty where the caller said so.
    """
    until = max(old.valid_from, min(old.valid_until or since, since))
    ended = replace(old, status=Status.SUPERSEDED, superseded_by=by, valid_until=until, updated_at=at)
    search = search_text_in(store, ended)
    store.memories.update(old, ended, search, actor=actor, reason=f"superseded by {by}", keep_vector=True)
    evidence = (why,) if why else ()
    store.relations.put(
        Relation(by, old.id, RelationType.SUPERSEDES, at, evidence=evidence, inferred=bool(why))
    )
    record(store, old.id, "supersede", actor, at, {"by": by, "why": why} if why else {"by": by})


def record(
    store: Store, id_: str, operation: str, actor: Actor, at: datetime, details: Mapping[str, Any]
) -> None:
    """Add an entry about a memory to the audit log."""
    entry = AuditEntry(memory_id=id_, operation=operation, actor=actor, at=at, details=dict(details))
    store.ledger.record([entry])


def carried(new: str, old: Sequence[str], relations: Sequence[Relation]) -> Iterator[Relation]:
    """The old memories' relations, moved to the new one; of equal ones the strongest.

    What superseded an old one, or was superseded by it, stays with it: that is its history.
    """
    strongest: dict[tuple[str, str, RelationType], Relation] = {}
    for relation in relations:
        source = new if relation.source_id in old else relation.source_id
        target = new if relation.target_id in old else relation.target_id
        if source == target or relation.type is RelationType.SUPERSEDES:
            continue
        moved = replace(relation, source_id=source, target_id=target)
        key = (source, target, relation.type)
        if key not in strongest or strongest[key].strength < moved.strength:
            strongest[key] = moved
    yield from strongest.values()
