"""Taking along and moving: export and import, a memory between two stores, a whole store."""

from __future__ import annotations

import os
import shlex
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Literal

from recortex.app.brief_cache import forget_briefs
from recortex.app.whole_stores import copy_store, export_key, signer
from recortex.domain.memory import AuditEntry, Memory
from recortex.domain.search import MemoryQuery
from recortex.domain.vocabulary import (
    TRUST_OF_ORIGIN,
    Actor,
    AnyScope,
    AnyStatus,
    Origin,
    RelationStatus,
    Scope,
    Status,
    Trust,
)
from recortex.engines.exchanges import service
from recortex.engines.exchanges.service import terms
from recortex.engines.ingestion.service import DOUBTED
from recortex.engines.privacy import output_redacted, record_redacted
from recortex.errors import (
    AmbiguousIdError,
    InvalidInputError,
    MemoryNotFoundError,
    PermissionsError,
    PersonNeededError,
)
from recortex.filesystem import read_regular, replace_bytes
from recortex.formats import importers
from recortex.lean import Value, field
from recortex.operations.agents import TOP, writable
from recortex.operations.base import Operations, embed_all, embed_exchanges, filled, outside
from recortex.operations.registry import operation
from recortex.storage.transfer import TableCopied

if TYPE_CHECKING:
    from datetime import datetime
    from pathlib import Path

    from recortex.app.application import Application, StoreServices
    from recortex.domain.exchange import Exchange
    from recortex.domain.memory import Relation


class Relocated(Value, frozen=True, kw_only=True):
    """A memory in its new store.

    Attributes:
        left: the relations that it had in the old one, each as its type and the id of the other memory.
    """

    memory: Memory
    left: tuple[str, ...] = ()


class StoreCopied(Value, frozen=True, kw_only=True):
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
        began = time.perf_counter()
        moved = copy_store(self._app, source, target, dry_run=dry_run)
        tables = moved.tables
        return filled(
            StoreCopied,
            moved,
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
    # First into the new store, then out of the old one: an interruption leaves two copies, and never none.
    kept = _written(app, sources[0], target, memory, to)
    left = _taken_out(app, sources[0], memory)
    # At the end, as vectors can be made at any later time.
    target.embedding.embed([kept], progress=app.progress)
    # A brief may still show the memory as the other store's.
    forget_briefs(list(app.locations.values()))
    return Relocated(memory=output_redacted(kept), left=tuple(left))


def _taken_out(app: Application, source: StoreServices, memory: Memory) -> Sequence[str]:
    """Take the memory out of its old store; what it was related to there, in words."""
    store, now = source.store, app.clock()
    with store.transaction():
        relations = store.relations.find_touching([memory.id])
        left = [
            f"{one.type.value} {one.target_id if one.source_id == memory.id else one.source_id}"
            for one in relations
        ]
        entry = AuditEntry(
            memory_id=memory.id, operation="move", actor=app.actor, at=now, details={"relations": len(left)}
        )
        store.ledger.record([entry])
        store.ledger.bury(store.memories.delete(memory.id), memory.id, now, reason="move")
    return left


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
    # Two memories that say the same are not kept in one store.
    (same,) = target.store.memories.same([memory.content_hash])
    if same not in {None, memory.id}:
        raise InvalidInputError(
            f"The {to.value} store has a memory that says the same: {same}.",
            hint=f"Forget this one, if that one is enough: recortex forget {memory.id}",
        )
    versions = [
        replace(one, memory=replace(one.memory, scope=to))
        # The present state comes first, and is written as the memory itself.
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


# -- taking everything along: export, and taking an export in


CHUNK = 500
"""Exchanges that are read or written at once."""
LEAST_SAID = 16
"""Characters of a purged memory's text by which exchanges are known that went with it."""
_ALL = 2**62


class Exported(Value, frozen=True, kw_only=True):
    """What was written out; `text` holds it where no file was named.

    Attributes:
        changed: something was written; what is handed to other tools may be there already.
    """

    format: str
    memories: int
    relations: int
    exchanges: int = 0
    path: str = ""
    text: str = ""
    warnings: tuple[str, ...] = ()
    changed: bool = True


class WouldKeep(Value, frozen=True, kw_only=True):
    """A memory that a record or a commit would become.

    Attributes:
        of: the record's path, or the commit.
    """

    kind: str
    status: str
    of: str
    summary: str


class RowsRead(Value, frozen=True, kw_only=True):
    """What became of the rows of another memory system; `rows` is the sum of the five that follow.

    Attributes:
        system: whose memories they are.
        path: where they were.
        refused: how many were not imported, by the reason.
        mapping: of each of the system's kinds: the kind of memory it becomes, and how many there are.
        examples: some memories as they would be kept, of a dry run.
        problem: why nothing of it could be read.
    """

    system: str
    path: str
    rows: int = 0
    added: int = 0
    changed: int = 0
    merged: int = 0
    unchanged: int = 0
    refused: dict[str, int] = field(default_factory=dict)
    relations: int = 0
    mapping: tuple[str, ...] = ()
    examples: tuple[str, ...] = ()
    problem: str = ""


class Imported(Value, frozen=True, kw_only=True):
    """What a back-fill found.

    Attributes:
        problems: files that could not be read, with the reason.
        places: where sessions were looked for, when none was read.
        elsewhere: sessions that were found there and belong to other projects, when none was read.
        unread: files that could not be read; the command then ends with status 1.
        exchanges: of past sessions, or that an export held, which are new here or have grown.
        commits: that were read.
        changed, ended, renamed: memories of records that say something else now, whose file is gone, or
            whose file has another name; of commits, those that a later one replaced, or whose commit is
            gone.
        skipped: how many files or commits were left out, by the reason.
        found: what a dry run would keep.
        sources: what became of other memory systems' rows, or what is there of them.
    """

    format: str
    files: int = 0
    unchanged: int = 0
    lines: int = 0
    turns: int = 0
    added: int = 0
    merged: int = 0
    proposed: int = 0
    relations: int = 0
    by_kind: dict[str, int] = field(default_factory=dict)
    problems: tuple[str, ...] = ()
    dry_run: bool = False
    places: tuple[str, ...] = ()
    elsewhere: int = 0
    unread: int = 0
    exchanges: int = 0
    commits: int = 0
    changed: int = 0
    ended: int = 0
    renamed: int = 0
    skipped: dict[str, int] = field(default_factory=dict)
    found: tuple[WouldKeep, ...] = ()
    sources: tuple[RowsRead, ...] = ()


class ExportOperations(Operations):
    """export."""

    @operation(idempotent=True, told=("path", "format"))
    def export(
        self,
        path: str = "",
        *,
        format: Literal["jsonl", "markdown"] = "jsonl",  # noqa: A002  the contract's name
        statuses: Sequence[AnyStatus] = (),
        scope: AnyScope | None = None,
        exchanges: bool = True,
        to: Literal["", "claude-md", "agents-md", "basic-memory", "server-memory"] = "",
    ) -> Exported:
        """Export memories and exchanges: everything as JSON lines, or memories as Markdown to read.

        With `to`, what holds in this project is put where other tools read it, marked as Recortex's; the
        next export brings it up to date and leaves everything else as it is.

        Args:
            path: the file to write; by default the text is printed.
            format: jsonl has every field, version and relation; markdown is for people.
            statuses: only these statuses; by default all.
            scope: only the project's memories, or only the global ones.
            exchanges: include what was said in sessions; only with jsonl, and not together with statuses.
            to: a section of the project's CLAUDE.md or AGENTS.md (or of the file in `path`); notes in the
                folder of basic-memory, or entities in the file of server-memory, which `path` names. Only
                on the command line.
        """
        if to:
            return hand_over(self._app, to, path)
        # Before anything is read, so that a path that cannot be written ends it at once.
        target = writable(self._app, path) if path else None
        warnings: tuple[str, ...] = ()
        query = MemoryQuery(
            statuses=tuple(map(Status, statuses)), scope=Scope(scope) if scope else None, descending=False
        )
        all_services = self._app.all_services(scope)
        memories = [
            (services, output_redacted(memory))
            for services in all_services
            for memory in services.store.memories.find(query)
        ]
        ids = {memory.id for _, memory in memories}
        relations = [
            relation
            for services in all_services
            for relation in services.store.relations.all()
            # A relation to a memory that is not exported would lead nowhere.
            if {relation.source_id, relation.target_id} <= ids
        ]
        said: list[tuple[StoreServices, Sequence[int]]] = []
        # Whoever wants memories of some statuses does not want the record of what was said.
        if exchanges and format == "jsonl" and not statuses and scope is not Scope.GLOBAL:
            said = [(services, services.store.exchanges.oldest(_ALL)) for services in all_services]
        if format == "jsonl":
            written = importers.write_jsonlines(
                ((memory, services.store.memories.history(memory.id)) for services, memory in memories),
                relations,
                _exchanges(said),
            )
            try:
                lines = importers.signed(written, signer(export_key(self._app.project.home)))
            except PermissionsError as error:  # a full disk is when a copy elsewhere is wanted most
                lines = written
                warnings = (f"It is not signed, so that its memories wait where it is read: {error}",)
        else:
            lines = importers.write_markdown(memory for _, memory in memories)
        done = Exported(
            format=format,
            memories=len(memories),
            relations=len(relations),
            exchanges=sum(len(keys) for _, keys in said),
            path=path,
            warnings=warnings,
        )
        if not target:
            return replace(done, text="".join(lines))
        # An agent makes new files only, and never writes over one.
        _write(target, lines, new=self._app.actor is Actor.AGENT)
        return done


_SECTIONS = {"claude-md": "CLAUDE.md", "agents-md": "AGENTS.md"}
_LARGEST = 64 * 1024 * 1024
_ID = 36


def hand_over(app: Application, to: str, path: str) -> Exported:
    """Put the project's memories where another tool reads them, in place of those put there before.

    Only those that are trusted as far as the person's agents are: text of others would gain the authority of
    the file that it came into.

    Raises:
        PersonNeededError: an agent asks for it.
        InvalidInputError: no place is named, it is a link, or what is there cannot be kept as it is.
        PermissionsError: it cannot be written.
    """
    if app.actor is Actor.AGENT:
        raise PersonNeededError("Only the person puts memories into files that other tools load.")
    if not (path or to in _SECTIONS):
        raise InvalidInputError(f"Where does {to} keep its data?", hint=f"recortex export PATH --to {to}")
    place = outside(path or str(app.root / _SECTIONS[to]), app)
    store, now = app.services(Scope.PROJECT).store, app.clock()
    found = store.memories.find(MemoryQuery(statuses=(Status.ACTIVE,), scope=Scope.PROJECT, descending=False))
    memories = [
        output_redacted(one) for one in found if one.trust is not Trust.UNTRUSTED and one.was_valid_at(now)
    ]
    ids = {one.id for one in memories}
    relations = [
        one
        for one in store.relations.all()
        # A relation that is only suggested is not told to others.
        if {one.source_id, one.target_id} <= ids and one.status is RelationStatus.ACTIVE
    ]
    try:
        if to == "basic-memory":
            changed = _put_notes(place / importers.NOTES, memories, relations)
        else:
            former = read_regular(place, _LARGEST) if place.exists() else b""
            if to == "server-memory":
                data = importers.put_graph(former, memories, relations)
            else:
                command = shlex.join(["recortex", "export", *([path] if path else []), "--to", to])
                data = importers.put_section(former, importers.section(memories, command))
            changed = _put(place, data, former)
    except OSError as error:
        raise PermissionsError(f"{place} cannot be written: {error}.", hint="Give another path.") from error
    return Exported(
        format=to,
        memories=len(memories),
        relations=0 if to in _SECTIONS else len(relations),
        path=str(place),
        changed=changed,
    )


def _put_notes(folder: Path, memories: Sequence[Memory], relations: Sequence[Relation]) -> bool:
    """Write the notes that say something else than before, and take those away whose memory is gone."""
    if folder.is_symlink():
        raise InvalidInputError(f"{folder} is a symbolic link.", hint="Name the folder that it leads to.")
    folder.mkdir(parents=True, exist_ok=True)
    of_memory: dict[str, list[Relation]] = {}
    for one in relations:
        of_memory.setdefault(one.source_id, []).append(one)
    wanted = {
        f"{one.id}.md": importers.note(one, of_memory.get(one.id, ())).encode("utf-8", "replace")
        for one in memories
    }
    # Nobody else gives a note the id of a memory as its name.
    # Left there, a note would go on telling what its memory no longer does.
    gone = [path for path in folder.glob("*.md") if len(path.stem) == _ID and path.name not in wanted]
    for path in gone:
        path.unlink()
    changed = [
        _put(folder / name, data, (folder / name).read_bytes() if (folder / name).is_file() else b"")
        for name, data in wanted.items()
    ]
    return any(changed) or bool(gone)


def _put(place: Path, data: bytes, former: bytes) -> bool:
    if place.is_symlink():
        raise InvalidInputError(f"{place} is a symbolic link.", hint="Name the file that it leads to.")
    if data != former or not place.exists():
        # The mode of a file that is there stays as it is.
        replace_bytes(place, data, place.stat().st_mode & 0o777 if place.exists() else 0o666)
        return True
    return False


def _exchanges(said: Sequence[tuple[StoreServices, Sequence[int]]]) -> Iterator[Exchange]:
    """The exchanges with these keys, without secrets, some at a time."""
    for services, keys in said:
        for start in range(0, len(keys), CHUNK):
            found = services.store.exchange_search.exchanges(keys[start : start + CHUNK])
            yield from (record_redacted(found[key]) for key in keys[start : start + CHUNK] if key in found)


def _write(path: Path, lines: Iterable[str], *, new: bool) -> None:
    try:
        if not new:
            # Made with its mode before anything is in it.
            path.touch(mode=0o600)
        # O_EXCL fails where somebody put a link there meanwhile
        flags = os.O_WRONLY | (os.O_CREAT | os.O_EXCL if new else os.O_TRUNC)
        with os.fdopen(os.open(path, flags, 0o600), "wb") as file:
            file.writelines(line.encode() for line in lines)
    except OSError as error:
        raise PermissionsError(f"{path} cannot be written: {error}.", hint="Give another path.") from error


def foreign(records: importers.Records, now: datetime) -> importers.Records:
    """Records that another installation exported, with nothing that would carry the person's authority here.

    Memories wait in quarantine, as imports without rank. Former states are left out, and so are relations to
    memories that the export does not hold. Exchanges are redacted, and say that they were imported.
    """
    ids = {memory.id for memory, _ in records.memories}
    origin = Origin.IMPORT
    memories = tuple(
        (
            replace(
                memory,
                origin=origin,
                trust=TRUST_OF_ORIGIN[origin],
                status=Status.QUARANTINED,
                pinned=False,
                # Below what a person marked as critical, until it is reviewed.
                priority=min(memory.priority, TOP - 1),
                confidence=min(memory.confidence, DOUBTED),
                supersedes=None,
                superseded_by=None,
                version=1,
            ),
            (),
        )
        for memory, _ in records.memories
    )
    inside = tuple(one for one in records.relations if {one.source_id, one.target_id} <= ids)
    exchanges = tuple(service.foreign(one, now) for one in records.exchanges)
    return replace(records, memories=memories, relations=inside, exchanges=exchanges)


def adopt(
    app: Application,
    records: importers.Records,
    problems: Sequence[str],
    *,
    quarantine: bool,
    embed: bool,
    dry_run: bool,
) -> Imported:
    """Take exported memories in as they are: ids, times, versions and relations; what is there already stays.

    Args:
        app: what is open.
        records: of the export.
        problems: lines that could not be read.
        quarantine: what is new waits for review instead of being as it was.
        embed: make vectors now.
        dry_run: change nothing.
    """
    now = app.clock()
    new: list[Memory] = []
    # What a person purged must not come back with an older export.
    records, purged = _without_purged(app, records)
    for memory, versions in records.memories:
        services = app.services(memory.scope)
        if services.store.memories.get([memory.id]):
            continue
        wanted = replace(memory, status=Status.QUARANTINED) if quarantine else memory
        kept = wanted if dry_run else services.ingestion.adopt(wanted, versions, now=now, actor=Actor.IMPORT)
        new += [kept] if kept else []
    circles: list[str] = []
    related = 0 if dry_run else sum(_relate(app, relation, circles) for relation in records.relations)
    # Those that are not there yet: what is kept is never overwritten
    store = app.services(Scope.PROJECT).store
    found: dict[str, Exchange] = {}
    for start in range(0, len(records.exchanges), CHUNK):
        part = {one.id: one for one in records.exchanges[start : start + CHUNK]}
        there = {one.id for one in store.exchanges.get(list(part))}
        # An exchange that is there may have grown since.
        found |= {id_: one for id_, one in part.items() if id_ not in there}
    said = list(found.values())
    if not dry_run:
        _keep_exchanges(app, said, now)
    if embed and not dry_run:
        embed_all(app, new)
        embed_exchanges(app)
    return Imported(
        format="jsonl",
        files=1,
        unchanged=len(records.memories) - len(new),
        lines=len(records.memories) + len(records.relations) + len(records.exchanges) + len(problems),
        added=len(new),
        proposed=sum(memory.status is not Status.ACTIVE for memory in new),
        relations=related,
        by_kind=dict(Counter(memory.kind for memory in new).most_common()),
        problems=(*problems, *circles),
        dry_run=dry_run,
        exchanges=len(said),
        skipped={"it was purged here": purged} if purged else {},
    )


def _without_purged(app: Application, records: importers.Records) -> tuple[importers.Records, int]:
    """The records without what was purged here after they were exported, and how much that is.

    What was purged is known by its id; exchanges that hold a purged memory's text went with it.
    """
    all_services = app.all_services()

    def purged(id_: str) -> bool:
        stones = (services.store.ledger.buried(id_) for services in all_services)
        return any(stone is not None and stone.reason == "purge" for stone in stones)

    gone = [(memory, versions) for memory, versions in records.memories if purged(memory.id)]
    ids = {memory.id for memory, _ in gone}
    # A short text would be found in exchanges that have nothing to do with it.
    texts = [memory.text for memory, _ in gone if len(memory.text) >= LEAST_SAID]

    def tells(one: Exchange) -> bool:
        parts = (one.asked, one.message, one.opening, one.conclusion)
        return purged(one.id) or any(text in part for text in texts for part in parts)

    exchanges = tuple(one for one in records.exchanges if not tells(one))
    kept = replace(
        records,
        memories=tuple(one for one in records.memories if one[0].id not in ids),
        relations=tuple(one for one in records.relations if not ids & {one.source_id, one.target_id}),
        exchanges=exchanges,
    )
    return kept, len(gone) + len(records.exchanges) - len(exchanges)


def _keep_exchanges(app: Application, exchanges: Sequence[Exchange], now: datetime) -> None:
    store = app.services(Scope.PROJECT).store
    for start in range(0, len(exchanges), CHUNK):
        # A transaction for each part, so that others can write in between.
        with store.transaction():
            store.exchanges.put([(one, terms(one)) for one in exchanges[start : start + CHUNK]], now)


def _relate(app: Application, relation: Relation, circles: list[str]) -> bool:
    """Keep a relation that is not there yet; one that would make a memory its own cause is only reported."""
    for services in app.all_services():
        with services.store.transaction():
            known = {
                (one.source_id, one.target_id, one.type)
                for one in services.store.relations.find_touching([relation.source_id])
            }
            if (relation.source_id, relation.target_id, relation.type) in known:
                return False
            refused: list[str] = []
            if services.store.relations.put_all([relation], refused):
                return True
        if refused:
            circles += [f"A relation was left out. {why}" for why in refused]
            return False
    return False
