"""Taking everything along: export, and taking an export in."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal

from recortex.app import signing
from recortex.domain.query import MemoryQuery
from recortex.domain.vocabulary import TRUST_OF_ORIGIN, Actor, Origin, Scope, Status
from recortex.engines.graph.causality import cycle, in_words
from recortex.engines.ingestion.output_redaction import output_redacted
from recortex.engines.ingestion.service import DOUBTED
from recortex.errors import PermissionsError
from recortex.formats import jsonlines, markdown
from recortex.operations.agents import TOP, writable
from recortex.operations.base import Operations, embed_all
from recortex.operations.registry import operation

if TYPE_CHECKING:
    from pathlib import Path

    from recortex.app.application import Application
    from recortex.domain.memory import Memory
    from recortex.domain.relation import Relation


@dataclass(frozen=True, slots=True, kw_only=True)
class Exported:
    """What was written out; `text` holds it where no file was named."""

    format: str
    memories: int
    relations: int
    path: str = ""
    text: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Imported:
    """What a back-fill found.

    Attributes:
        problems: files that could not be read, with the reason.
        places: where sessions were looked for, when none was read.
        elsewhere: sessions that were found there and belong to other projects, when none was read.
        unread: files that could not be read; the command then ends with status 1.
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


class ExportOperations(Operations):
    """export."""

    @operation(idempotent=True)
    def export(
        self,
        path: str = "",
        *,
        format: Literal["jsonl", "markdown"] = "jsonl",  # noqa: A002  the contract's name
        statuses: Sequence[Status] = (),
        scope: Scope | None = None,
    ) -> Exported:
        """Write memories out: JSON lines without any loss, or Markdown to read.

        Args:
            path: the file to write; without it the text is given back.
            format: jsonl holds every field, version and relation; markdown is for people.
            statuses: only these; all, unless said.
            scope: only the project's memories, or only the global ones.
        """
        target = writable(self._app, path) if path else None
        query = MemoryQuery(statuses=tuple(statuses), scope=scope, descending=False)
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
            if {relation.source_id, relation.target_id} <= ids
        ]
        if format == "jsonl":
            key = signing.key(self._app.project.home)
            lines = jsonlines.signed(
                jsonlines.write(
                    ((memory, services.store.memories.history(memory.id)) for services, memory in memories),
                    relations,
                ),
                lambda parts: signing.signature(key, parts),
            )
        else:
            lines = markdown.write(memory for _, memory in memories)
        text = "".join(lines)
        if target:
            _write(target, text, new=self._app.actor is Actor.AGENT)
        counts = {"memories": len(memories), "relations": len(relations)}
        return Exported(format=format, **counts, path=path, text="" if path else text)


def _write(path: Path, text: str, *, new: bool) -> None:
    try:
        if new:  # fails where somebody put a link there meanwhile
            with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
                file.write(text.encode())
            return
        path.touch(mode=0o600)
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise PermissionsError(f"{path} cannot be written: {error}.", hint="Give another path.") from error


def foreign(records: jsonlines.Records) -> jsonlines.Records:
    """Records that another installation exported, with nothing that would carry the person's authority here.

    Memories wait in quarantine, as imports without rank. Former states are left out, and so are relations to
    memories that the export does not hold.
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
    return replace(records, memories=memories, relations=inside)


def adopt(
    app: Application,
    records: jsonlines.Records,
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
    for memory, versions in records.memories:
        services = app.services(memory.scope)
        if services.store.memories.get([memory.id]):
            continue
        wanted = replace(memory, status=Status.QUARANTINED) if quarantine else memory
        kept = wanted if dry_run else services.ingestion.adopt(wanted, versions, now=now, actor=Actor.IMPORT)
        new += [kept] if kept else []
    circles: list[str] = []
    related = 0 if dry_run else sum(_relate(app, relation, circles) for relation in records.relations)
    if embed and not dry_run:
        embed_all(app, new)
    return Imported(
        format="jsonl",
        files=1,
        unchanged=len(records.memories) - len(new),
        lines=len(records.memories) + len(records.relations) + len(problems),
        added=len(new),
        proposed=sum(memory.status is not Status.ACTIVE for memory in new),
        relations=related,
        by_kind=dict(Counter(memory.kind for memory in new).most_common()),
        problems=(*problems, *circles),
        dry_run=dry_run,
    )


def _relate(app: Application, relation: Relation, circles: list[str]) -> bool:
    """Keep a relation that is not there yet; one that would make a memory its own cause is only reported."""
    for services in app.all_services():
        with services.store.transaction():
            known = {
                (one.source_id, one.target_id, one.type)
                for one in services.store.relations.of([relation.source_id])
            }
            if (relation.source_id, relation.target_id, relation.type) in known:
                return False
            if path := cycle(relation, services.store.relations.of):
                circles.append(
                    f"a relation was left out, it makes a memory a cause of itself: {in_words(path)}"
                )
                return False
            if services.store.relations.put(relation):
                return True
    return False
