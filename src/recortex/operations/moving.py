"""Moving memories: one of them between the two stores, or a whole store to another place."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from recortex.app.brief import forget_briefs
from recortex.domain.history import AuditEntry
from recortex.domain.memory import Memory
from recortex.domain.spelled import AnyScope
from recortex.domain.vocabulary import Scope
from recortex.engines.ingestion.output_redaction import output_redacted
from recortex.errors import AmbiguousIdError, InvalidInputError, MemoryNotFoundError
from recortex.operations.base import Operations, filled
from recortex.operations.registry import operation

if TYPE_CHECKING:
    from recortex.app.application import Application
    from recortex.app.store_services import StoreServices


@dataclass(frozen=True, slots=True, kw_only=True)
class Relocated:
    """A memory in its new store.

    Attributes:
        left: the relations that it had in the old one, each as its type and the id of the other memory.
    """

    memory: Memory
    left: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class TableCopied:
    """A table that is the same in both stores now.

    Attributes:
        rows: in it.
        written: rows that had to be written; 0 where both sides were equal before.
        checksum: BLAKE3 over all of its rows, read from both stores.
    """

    table: str
    rows: int
    written: int
    checksum: str


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreCopied:
    """A whole store copied into another one, and compared with it.

    Attributes:
        source: where it was; no password is shown.
        target: where it is now, too.
        tables: each with its rows and its checksum.
    """

    source: str
    target: str
    memories: int
    rows: int
    written: int
    seconds: float
    tables: tuple[TableCopied, ...] = ()
    dry_run: bool = False


class MovingOperations(Operations):
    """move, migrate_store."""

    @operation(person=True)
    def move(self, id: str, *, to: AnyScope) -> Relocated:  # noqa: A002  the contract's name
        """Move a memory with its history from the project's store to your own (global) one, or back.

        Its id stays. Relations to memories that stay behind cannot move and are listed. After an
        interruption, run the same command again: it finishes the move.

        Args:
            id: the memory's id, or its first characters.
            to: the store to move it to.
        """
        return relocate(self._app, id, Scope(to))

    @operation(person=True)
    def migrate_store(self, source: str, target: str, *, dry_run: bool = False) -> StoreCopied:
        """Copy a whole store into another: from SQLite to PostgreSQL, back, or between two of a kind.

        Every table is compared by checksums and only differences are written, so an interrupted copy goes on
        where it stopped. The source is only read. The target must be new, or an unfinished copy of this
        source.

        Args:
            source: the URL (sqlite:///FILE or postgresql://USER@HOST/DATABASE?workspace=NAME) or path of the
                store to copy; or `project` or `global` for this project's store or your own on this machine.
            target: the URL or path of the store to write.
            dry_run: only show what would be copied.
        """
        from recortex.app.store_copy import copy_store

        began = time.perf_counter()
        moved = copy_store(self._app, source, target, dry_run=dry_run)
        tables = tuple(filled(TableCopied, one) for one in moved.tables)
        return StoreCopied(
            source=moved.source,
            target=moved.target,
            tables=tables,
            dry_run=dry_run,
            memories=sum(one.rows for one in tables if one.table == "memories"),
            rows=sum(one.rows for one in tables),
            written=sum(one.written for one in tables),
            seconds=round(time.perf_counter() - began, 3),
        )


def relocate(app: Application, memory_id: str, to: Scope) -> Relocated:
    """Move a memory to the store of a scope.

    Raises:
        MemoryNotFoundError, AmbiguousIdError: no memory, or several, have that id.
        InvalidInputError: it is there already, or one that says the same is.
    """
    id_, holders = _locate_copies(app, memory_id)
    target = app.services(to)
    if target.scope is None:  # one store holds both scopes
        (memory,) = holders[0].store.memories.get([id_])
        return Relocated(memory=output_redacted(_rescoped(app, target, memory, to)), left=())
    sources = [services for services in holders if services is not target]
    if not sources:
        raise InvalidInputError(f"The memory is in the {to.value} store already.")
    (memory,) = sources[0].store.memories.get([id_])
    kept = _written(app, sources[0], target, memory, to)
    # Take the memory out of its old store; what it was related to there, in words.
    store, now = sources[0].store, app.clock()
    with store.transaction():
        relations = store.relations.of([memory.id])
        left = [
            f"{one.type.value} {one.target_id if one.source_id == memory.id else one.source_id}"
            for one in relations
        ]
        entry = AuditEntry(
            memory_id=memory.id, operation="move", actor=app.actor, at=now, details={"relations": len(left)}
        )
        store.ledger.record([entry])
        store.ledger.bury(store.memories.delete(memory.id), memory.id, now, reason="move")
    target.embedding.embed([kept], progress=app.progress)
    forget_briefs(list(app.locations.values()))
    return Relocated(memory=output_redacted(kept), left=tuple(left))


def _locate_copies(app: Application, memory_id: str) -> tuple[str, list[StoreServices]]:
    """The one id that is meant, and the stores that hold it: both, where a move was interrupted."""
    wanted = memory_id.strip().lower()
    holders: dict[str, list[StoreServices]] = {}
    for services in app.all_services() if wanted else ():
        for id_ in services.store.memories.ids_beginning(wanted):
            holders.setdefault(id_, []).append(services)
    if not holders:
        raise MemoryNotFoundError(f"There is no memory with the id {memory_id[:40]!r}.")
    if len(holders) > 1:
        raise AmbiguousIdError(f"Several memories have ids that begin with {memory_id[:40]!r}.")
    return holders.popitem()


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
