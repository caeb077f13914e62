"""History and deletion: history, undo, purge."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TYPE_CHECKING

from recortex.app.brief import forget_briefs
from recortex.app.code import forget_code
from recortex.domain.exchange import ExchangeQuery
from recortex.domain.history import AuditEntry, Gone, Version
from recortex.domain.memory import Memory
from recortex.domain.search import MemoryQuery
from recortex.domain.spelled import AnyScope
from recortex.domain.vocabulary import RelationType, Scope, Status
from recortex.engines.ingestion.output_redaction import output_redacted
from recortex.errors import InvalidInputError, NothingToUndoError
from recortex.operations.agents import EXPORTS, check_taking_back
from recortex.operations.base import Operations
from recortex.operations.registry import operation

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from recortex.app.store_services import StoreServices


SHORTEST = 4
"""Characters of a text to purge: shorter ones would hit almost everything."""


@dataclass(frozen=True, slots=True, kw_only=True)
class History:
    """The states of a memory, newest first, and what was done to it, oldest first.

    Attributes:
        gone: why it is gone for good: purge: a person took it out; expiry: it was pruned long ago;
            move: it went to another store, and is gone there too. None: it is there.
        gone_at: when it went.
    """

    id: str
    versions: tuple[Version, ...]
    audit: tuple[AuditEntry, ...]
    gone: Gone | None = None
    gone_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Purged:
    """Proof that texts are gone.

    Attributes:
        searched_bytes: how much of the store's files was read for the texts.
        traces: files that still hold one; empty when the purge is complete.
        exchanges, chunks: of past sessions, and of documents, that held a text, by their ids.
    """

    ids: tuple[str, ...]
    files: tuple[str, ...] = ()
    searched_bytes: int = 0
    traces: tuple[str, ...] = ()
    backups_rewritten: int = 0
    dry_run: bool = False
    exchanges: tuple[str, ...] = ()
    chunks: tuple[str, ...] = ()


class HistoryOperations(Operations):
    """history, undo, purge."""

    @operation(read_only=True)
    def history(self, id: str) -> History:  # noqa: A002  the contract's name
        """Show every version of a memory, with who changed it and why.

        Args:
            id: id of the memory, or its first characters; of a purged memory, the whole id.
        """
        there = any(services.store.memories.get([id]) for services in self._app.all_services())
        for services in self._app.all_services() if not there else ():
            tombstone = services.store.ledger.buried(id)
            if tombstone is not None:
                entries = tuple(services.store.ledger.entries(id))
                return History(id=id, versions=(), audit=entries, gone=tombstone.reason, gone_at=tombstone.at)
        services, memory = self._app.locate(id)
        versions = tuple(
            replace(one, memory=output_redacted(one.memory))
            for one in services.store.memories.history(memory.id)
        )
        return History(id=memory.id, versions=versions, audit=tuple(services.store.ledger.entries(memory.id)))

    @operation()
    def undo(self, id: str) -> Memory:  # noqa: A002
        """Undo the last change of a memory; if it was never changed, its creation.

        An undo is a change too: undo it again and the change is back.

        Args:
            id: the memory's id, or its first characters.
        """
        services, memory = self._app.locate(id)
        versions = services.store.memories.history(memory.id)
        if len(versions) > 1:
            former = replace(
                versions[1].memory, access_count=memory.access_count, last_accessed_at=memory.last_accessed_at
            )
        elif memory.version == 1 and memory.status is not Status.ARCHIVED:
            former = replace(memory, status=Status.ARCHIVED)
            # Make superseded memories active again when the creation of the one that replaced them is undone.
            replaced = [
                relation.target_id
                for relation in services.store.relations.of([memory.id])
                if relation.type is RelationType.SUPERSEDES and relation.source_id == memory.id
            ]
            for old in services.store.memories.get(replaced):
                if old.superseded_by == memory.id:
                    self.undo(old.id)
        else:
            raise NothingToUndoError(f"No former state of the memory {memory.id} is kept.")
        check_taking_back(self._app, services, memory, former)
        former, now = replace(former, version=memory.version), self._app.clock()
        return output_redacted(
            services.ingestion.change(memory, former, now=now, actor=self._app.actor, operation="undo")
        )

    @operation(destructive=True, idempotent=True)
    def purge(self, id: str = "", *, text: str = "", dry_run: bool = False) -> Purged:  # noqa: A002
        """Delete memories and exchanges for good: rows, index, versions, vectors, both logs and backups.

        Exchanges and documents that contain a memory's text are deleted with it. Then every file of the store
        is searched byte by byte; `traces` names those that still contain the text. Transcripts stay.

        Args:
            id: id of the memory or exchange, or its first characters.
            text: everything that contains or ever contained this text, such as a leaked password.
            dry_run: only show what would be deleted.
        """
        if bool(id) == bool(text):
            raise InvalidInputError(
                "Say what to purge: an id, or a text.", hint="recortex purge ID, or purge --text TEXT"
            )
        if text and len(text) < SHORTEST:
            raise InvalidInputError(f"The text is too short: at least {SHORTEST} characters.")
        said = {} if text else self._exchanges(id)
        located = None if text or said else self._app.locate(id)
        purged: list[str] = []
        exchanges: list[str] = []
        chunks: list[str] = []
        erased = []
        for services in self._app.all_services():
            if located is None:
                ids = services.store.holding(text) if text else []
            else:
                ids = [located[1].id] if located[0].store is services.store else []
            states = [one.memory.text for id_ in ids for one in services.store.memories.history(id_)]
            texts = [*states, *([text] if text else [])]
            gone = [*said.get(services.scope, ()), *services.store.exchanges_to_erase(texts, text)]
            purged += ids
            exchanges += gone
            chunks += services.store.chunks_to_erase(texts, text)
            if not dry_run and (ids or gone or text):
                self._forget(services, texts)
                files, now = self._files(services), self._app.clock()
                erased.append(
                    services.store.erase(ids, texts, text=text, exchanges=gone, files=files, now=now)
                )
        return Purged(
            ids=tuple(purged),
            exchanges=tuple(exchanges),
            chunks=tuple(chunks),
            files=tuple(str(path) for one in erased for path in one.files),
            searched_bytes=sum(one.searched_bytes for one in erased),
            traces=tuple(str(path) for one in erased for path in one.traces),
            backups_rewritten=sum(one.backups for one in erased),
            dry_run=dry_run,
        )

    def _files(self, services: StoreServices) -> Callable[[], list[Path]]:
        """What is read for traces: the store's files, and what agents exported."""
        exports = self._app.project.home / EXPORTS

        def listed() -> list[Path]:
            exported = sorted(one for one in exports.rglob("*") if one.is_file() and not one.is_symlink())
            return [*services.location.files(), *exported]

        return listed

    def _forget(self, services: StoreServices, texts: Sequence[str]) -> None:
        """Remove what may be kept of a text elsewhere: briefs and facts of code, made again, and signals."""
        forget_briefs(list(self._app.locations.values()))
        forget_code(self._app)
        for one in texts:
            services.store.sessions.forget_text(one)

    def _exchanges(self, wanted: str) -> dict[Scope | None, list[str]]:
        """The exchange with an id, with the stretches of work within it, by its store; empty: it is none.

        An id that begins a memory's too is the memory's.
        """
        found, wanted = self._app.exchanges_beginning(wanted), wanted.strip().lower()
        all_services = self._app.all_services()
        if len(found) != 1 or any(one.store.memories.ids_beginning(wanted) for one in all_services):
            return {}
        services, id_ = found[0]
        (exchange,) = services.store.exchanges.get([id_])
        work = services.store.exchanges.find(ExchangeQuery(session=exchange.session))
        within = [one.id for one in work if one.part and one.root_turn == exchange.first_turn]
        return {services.scope: [id_, *(() if exchange.part else within)]}


# -- deleting a store whole: erase


@dataclass(frozen=True, slots=True, kw_only=True)
class Erased:
    """Proof that a store is gone.

    Attributes:
        path: where it was.
        memories: that it held, whatever their status.
        files: that were deleted, with their bytes: the store, its backups and indexes, what waited to be
            learned, and the facts of the project's code.
        rows: that were deleted on a server, by table.
        left: files and tables of it that are still there; empty when all of it is gone.
    """

    scope: str
    path: str
    memories: int = 0
    files: dict[str, int] = field(default_factory=dict)
    rows: dict[str, int] = field(default_factory=dict)
    left: tuple[str, ...] = ()
    dry_run: bool = False

    @property
    def changes_nothing(self) -> bool:
        """There is nothing to delete, so nobody needs to be asked."""
        return not (self.files or self.rows)


class ErasureOperations(Operations):
    """erase."""

    @operation(destructive=True, idempotent=True, person=True)
    def erase(self, *, scope: AnyScope = Scope.PROJECT, dry_run: bool = False) -> Erased:
        """Delete this project's whole memory for good, with its backups; nothing can bring it back.

        Afterwards its files and tables are looked for, and `left` names any that remain. Your own (global)
        store, the agents' transcripts and your exports stay. `recortex purge` deletes single memories and
        texts.

        Args:
            scope: the project's store, or your own (global).
            dry_run: only show what would be deleted.
        """
        from recortex.app.erasing import describe_erasable, erase

        locations = self._app.locations
        location = locations[None if None in locations else Scope(scope)]
        before = describe_erasable(location)
        known = 0
        if location.exists:
            known = self._app.services_at(location).store.memories.count(MemoryQuery(statuses=()))
        after = None if dry_run else erase(self._app, location)
        return Erased(
            scope=Scope(scope).value,
            path=location.shown,
            memories=known,
            files=before.files,
            rows=before.rows,
            left=(*after.files, *after.rows) if after else (),
            dry_run=dry_run,
        )
