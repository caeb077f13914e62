"""Carries out a supersession: old memories end, and a new one takes over their relations."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from recortex.domain.history import AuditEntry
from recortex.domain.relation import Relation
from recortex.domain.vocabulary import RelationType, Status
from recortex.engines.indexing.document import search_text
from recortex.engines.indexing.service import search_text_in
from recortex.errors import MemoryNotFoundError

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence
    from datetime import datetime

    from recortex.domain.memory import Memory
    from recortex.domain.vocabulary import Actor
    from recortex.ports.store import Store


def insert_superseding(
    store: Store,
    new: Memory,
    old: Sequence[Memory],
    *,
    actor: Actor,
    operation: str,
    now: datetime,
    without: Collection[RelationType] = (),
    details: dict[str, Any] | None = None,
) -> None:
    """Insert a complete memory, even where an equal one is stored, and supersede the old ones.

    Each old one gets `superseded_by`, the end of its validity and a `supersedes` relation from the new one.
    Its own relations stay, and are copied to the new one. All in one transaction, which may be part of
    another.

    Args:
        store: holds the old ones.
        new: without secrets, with hash and tokens.
        old: what it replaces; may be empty.
        actor: on whose behalf.
        operation: the audit log's name for it, such as `create` or `merge`.
        now: when the old ones end.
        without: relations of these types are not copied.
        details: for the audit log.

    Raises:
        MemoryNotFoundError: an old one is gone or no longer active: another process changed it.
        CausalCycleError: one of the old ones led to another: the new one would be a cause of itself.
    """
    ids = [one.id for one in old]
    with store.transaction():
        current = store.memories.get(ids)
        if [one.status for one in current] != [Status.ACTIVE] * len(old):
            raise MemoryNotFoundError(
                "A memory that was to be replaced is no longer active.",
                hint="It changed in the meantime: look again.",
            )
        store.memories.insert(new, search_text(new), actor=actor)
        record(store, new.id, operation, actor, now, details or {})
        for relation in carried(new.id, ids, store.relations.of(ids) if ids else ()):
            if relation.type not in without:
                store.relations.put(relation)
        for one in current:
            supersede(store, one, by=new.id, since=now, at=now, actor=actor)


def supersede(
    store: Store, old: Memory, *, by: str, since: datetime, at: datetime, actor: Actor, why: str = ""
) -> None:
    """End a stored memory and relate its successor to it; call it in a transaction.

    Args:
        store: holds both memories.
        old: the memory that ends, as it is stored now.
        by: the id of its successor.
        since: when the successor became true; the old one is valid no longer than that.
        at: when this is recorded.
        actor: on whose behalf.
        why: the evidence by which it was inferred; empty where the caller said so.
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
    """The old memories' relations as relations of the new one; of equal ones the strongest.

    `supersedes` relations stay with the old ones: they are their history.
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
