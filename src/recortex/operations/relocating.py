"""One memory moved between the project's store and the person's own."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from recortex.app.brief import forget_briefs
from recortex.domain.history import AuditEntry
from recortex.engines.ingestion.output_redaction import output_redacted
from recortex.errors import AmbiguousIdError, InvalidInputError, MemoryNotFoundError
from recortex.operations.results.moving import Relocated

if TYPE_CHECKING:
    from collections.abc import Sequence

    from recortex.app.application import Application
    from recortex.app.store_services import StoreServices
    from recortex.domain.memory import Memory
    from recortex.domain.vocabulary import Scope


def relocate(app: Application, memory_id: str, to: Scope) -> Relocated:
    """Move a memory to the store of a scope.

    Raises:
        MemoryNotFoundError, AmbiguousIdError: no memory, or several, have that id.
        InvalidInputError: it is there already, or one that says the same is.
    """
    holders = _holders(app, memory_id)
    target = app.services(to)
    if target.scope is None:  # one store holds both scopes
        (memory,) = holders[0].store.memories.get([_only_id(app, memory_id)])
        return Relocated(memory=output_redacted(_rescoped(app, target, memory, to)), left=())
    sources = [services for services in holders if services is not target]
    if not sources:
        raise InvalidInputError(f"The memory is in the {to.value} store already.")
    (memory,) = sources[0].store.memories.get([_only_id(app, memory_id)])
    kept = _written(app, sources[0], target, memory, to)
    left = _taken_out(app, sources[0], memory)
    target.embedding.embed([kept], progress=app.progress)
    forget_briefs(list(app.locations.values()))
    return Relocated(memory=output_redacted(kept), left=tuple(left))


def _ids(app: Application, memory_id: str) -> set[str]:
    wanted = memory_id.strip().lower()
    found = (id_ for services in app.all_services() for id_ in services.store.memories.ids_beginning(wanted))
    return set(found) if wanted else set()


def _only_id(app: Application, memory_id: str) -> str:
    """The one id that is meant; it may be in both stores, where a move was interrupted."""
    ids = _ids(app, memory_id)
    if not ids:
        raise MemoryNotFoundError(f"There is no memory with the id {memory_id[:40]!r}.")
    if len(ids) > 1:
        raise AmbiguousIdError(f"Several memories have ids that begin with {memory_id[:40]!r}.")
    return ids.pop()


def _holders(app: Application, memory_id: str) -> list[StoreServices]:
    id_ = _only_id(app, memory_id)
    return [services for services in app.all_services() if services.store.memories.get([id_])]


def _rescoped(app: Application, services: StoreServices, memory: Memory, to: Scope) -> Memory:
    if memory.scope is to:
        raise InvalidInputError(f"The memory's scope is {to.value} already.")
    return services.ingestion.change(
        memory, replace(memory, scope=to), now=app.clock(), actor=app.actor, operation="move"
    )


def _written(
    app: Application, source: StoreServices, target: StoreServices, memory: Memory, to: Scope
) -> Memory:
    """The memory in its new store, with its former states; also where an interrupted move wrote it before."""
    same = target.store.memories.same(memory.content_hash)
    if same not in {None, memory.id}:
        raise InvalidInputError(
            f"The {to.value} store has a memory that says the same: {same}.",
            hint=f"Forget this one, if that one is enough: recortex forget {memory.id}",
        )
    versions = [
        replace(one, memory=replace(one.memory, scope=to))
        for one in source.store.memories.history(memory.id)[1:]
    ]
    moved = replace(memory, scope=to)
    kept = target.ingestion.adopt(moved, versions, now=app.clock(), actor=app.actor, operation="move")
    if kept is not None:
        return kept
    (there,) = target.store.memories.get([memory.id])
    if there.content_hash != memory.content_hash:
        raise InvalidInputError(
            f"The {to.value} store has another memory under this id: nothing was moved.",
            hint=f"recortex history {memory.id} shows it.",
        )
    return there


def _taken_out(app: Application, source: StoreServices, memory: Memory) -> Sequence[str]:
    """Take the memory out of its old store; what it was related to there, in words."""
    store, now = source.store, app.clock()
    with store.transaction():
        relations = store.relations.of([memory.id])
        left = [f"{one.type.value} {_other(one.source_id, one.target_id, memory.id)}" for one in relations]
        entry = AuditEntry(
            memory_id=memory.id, operation="move", actor=app.actor, at=now, details={"relations": len(left)}
        )
        store.ledger.record([entry])
        store.ledger.bury(store.memories.delete(memory.id), memory.id, now, reason="move")
    return left


def _other(source: str, target: str, this: str) -> str:
    return target if source == this else source
