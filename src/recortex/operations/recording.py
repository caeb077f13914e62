"""Remembering, changing and putting away."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from recortex.app.symbol_links import link as link_to_symbols
from recortex.codec import content_from_json, content_to_json
from recortex.domain.kinds import KINDS, Kind, kind_of
from recortex.domain.memory import Memory
from recortex.domain.time import as_utc
from recortex.domain.vocabulary import Actor, Status
from recortex.engines.ingestion.normalisation import expiry
from recortex.errors import InvalidInputError
from recortex.operations import agents
from recortex.operations.answering import RememberedMemory, answered
from recortex.operations.base import Operations
from recortex.operations.drafts import draft_of, file_links, new_memory, priority_from
from recortex.operations.inputs import MemoryEdit, NewMemory
from recortex.operations.registry import operation, taking

if TYPE_CHECKING:
    from datetime import datetime

    from recortex.app.store_services import StoreServices

MAX_BATCH, MAX_OF_AGENT = 100_000, 500
"""Memories of one `remember_many`; those of an agent, which waits for the answer: a second or two."""

TOLD = ("text", "kind", "importance", "tags", "files", "scope", "supersedes", "from_exchange")
"""The parameters of `remember` that agents are told of by default."""
TOLD_OF_EDIT = ("id", "text", "kind", "importance", "tags", "files", "valid_until", "reason")
"""The same of `edit`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Remembered:
    """What became of many memories: their ids in the order given.

    Attributes:
        proposed: how many wait for the person's review.
    """

    ids: tuple[str, ...]
    added: int
    merged: int
    redacted: int
    proposed: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Forgotten:
    """What was put away; where no id fitted, what the words may have meant."""

    memory: Memory | None = None
    candidates: tuple[Memory, ...] = ()
    dry_run: bool = False

    @property
    def changes_nothing(self) -> bool:
        """There is nothing to put away, so nobody needs to be asked."""
        return self.memory is None


class RecordingOperations(Operations):
    """remember, remember_many, edit, forget, restore."""

    @operation(core=True, told=TOLD)
    @taking(NewMemory)
    def remember(self, new: NewMemory) -> RememberedMemory:
        """Remember something that later sessions should know.

        Call it when a cause is found, the person corrects or decides something, or an approach fails: one
        sentence that makes sense by itself a year later, with names and reason ("Parcels are keyed by
        `parcel_id`, since names change"). What is already known is not added twice but counts as evidence;
        `known` lists it, and what is similar. Secrets are removed. What an agent makes global, pinned or
        critical waits for the person.
        """
        draft = draft_of(self._app, new)
        services = self._app.services(draft.scope)
        (kept,) = services.ingestion.keep(
            [draft],
            now=self._app.clock(),
            actor=self._app.actor,
            confirm=self._app.actor is Actor.AGENT and not new.supersedes,
        )
        services.embedding.embed([kept.memory])
        link_to_symbols(services, [kept.memory])
        if kept.added:
            from recortex.app.changes import settled

            kept = replace(kept, memory=settled(services, kept.memory, self._app.clock(), self._app.actor))
        return answered(services, kept)

    @operation()
    def remember_many(
        self, memories: Sequence[Mapping[str, Any]], *, embed: bool = True, link: bool = True
    ) -> Remembered:
        """Remember many things at once, the fastest way.

        Args:
            memories: objects with the arguments of `remember`, at most 500.
            embed: make the vectors now rather than at the next recall.
            link: link each memory with similar ones.
        """
        most = MAX_OF_AGENT if self._app.actor is Actor.AGENT else MAX_BATCH
        if len(memories) > most:
            raise InvalidInputError(
                f"At most {most:,} memories at once, not {len(memories):,}; none was kept.",
                hint=f"Give them in batches of {most:,}; a file of any size is read by `recortex import`.",
            )
        drafts = [draft_of(self._app, new_memory(one, place)) for place, one in enumerate(memories)]
        ids: dict[int, str] = {}
        added = redacted = proposed = 0
        for scope in dict.fromkeys(draft.scope for draft in drafts):
            services = self._app.services(scope)
            places = [place for place, draft in enumerate(drafts) if draft.scope is scope]
            kept = services.ingestion.keep(
                [drafts[place] for place in places], now=self._app.clock(), actor=self._app.actor, link=link
            )
            ids.update({place: one.memory.id for place, one in zip(places, kept, strict=True)})
            added += sum(one.added for one in kept)
            proposed += sum(one.memory.status in agents.WAITING for one in kept)
            redacted += sum(bool(one.redacted) for one in kept)
            if embed:
                services.embedding.embed([one.memory for one in kept], progress=self._app.progress)
        return Remembered(
            ids=tuple(ids[place] for place in range(len(drafts))),
            added=added,
            merged=len(drafts) - added,
            redacted=redacted,
            proposed=proposed,
        )

    @operation(core=True, told=TOLD_OF_EDIT)
    @taking(MemoryEdit)
    def edit(self, edit: MemoryEdit) -> Memory:
        """Change a memory; the old version stays in its history, and `undo` brings it back."""
        services, old = self._app.locate(edit.id)
        content = _content(old, edit)
        changes = {name: value for name in _EDITED if (value := getattr(edit, name)) is not None}
        if edit.tags is not None:
            changes["tags"] = tuple(edit.tags)
        if edit.files is not None:
            changes["files"] = file_links(self._app, edit.files)
        if edit.priority is not None or edit.importance is not None:
            changes["priority"] = priority_from(edit.priority, edit.importance)
        for name in {"valid_from", "valid_until"} & changes.keys():
            changes[name] = as_utc(changes[name])
        if "valid_until" not in changes and (until := expiry(content)) != _expiry_before(old):
            changes["valid_until"] = until
        if old.summary == old.content.summary():
            changes.setdefault("summary", "")  # empty: it is made again from the new content
        new = agents.edited(self._app, old, replace(old, kind=Kind(content.kind), content=content, **changes))
        return self._changed(services, old, new, "update", edit.reason)

    @operation(core=True, destructive=True, idempotent=True)
    def forget(self, id: str, *, reason: str = "", dry_run: bool = False) -> Forgotten:  # noqa: A002
        """Put a memory away: it is no longer recalled until `restore` brings it back.

        If the words are not an id, they are taken as a question: the memories they may mean are listed, and
        none is put away.

        Args:
            id: id of the memory, its first characters, or words that describe it.
            reason: why it is put away.
            dry_run: only show what would be put away.
        """
        plain = id.strip().lower()
        if not (bool(plain) and set(plain) <= set("0123456789abcdef-")):
            found = (
                hit
                for services in self._app.all_services()
                for hit in services.retrieval.recall(
                    id, limit=5, now=self._app.clock(), recipe="keyword"
                ).hits
            )
            return Forgotten(candidates=tuple(hit.memory for hit in found), dry_run=dry_run)
        services, old = self._app.locate(id)
        if dry_run or old.status is Status.ARCHIVED:
            return Forgotten(memory=old, dry_run=dry_run)
        return Forgotten(
            memory=self._changed(services, old, replace(old, status=Status.ARCHIVED), "archive", reason)
        )

    @operation(idempotent=True)
    def restore(self, id: str, *, version: int | None = None) -> Memory:  # noqa: A002
        """Bring back a forgotten or superseded memory, or an earlier version of one.

        Args:
            id: the memory's id, or its first characters.
            version: of its history; without it, the memory just becomes active again.
        """
        services, old = self._app.locate(id)
        if version is not None:
            former = next(
                (one.memory for one in services.store.memories.history(old.id) if one.version == version),
                None,
            )
            if former is None:
                raise InvalidInputError(
                    f"The version {version} is not kept.", hint=f"See `recortex history {old.id}`."
                )
        else:
            former = replace(old, status=Status.ACTIVE, superseded_by=None)
            if former == old:
                return old
        agents.check_taking_back(self._app, services, old, former)
        former = replace(
            former,
            id=old.id,
            access_count=old.access_count,
            last_accessed_at=old.last_accessed_at,
            version=old.version,
        )
        return self._changed(
            services, old, former, "restore", "" if version is None else f"version {version}"
        )

    def _changed(
        self, services: StoreServices, old: Memory, new: Memory, operation_: str, reason: str
    ) -> Memory:
        now, actor = self._app.clock(), self._app.actor
        return services.ingestion.change(old, new, now=now, actor=actor, operation=operation_, reason=reason)


_EDITED = ("summary", "confidence", "pinned", "domain", "valid_from", "valid_until", "metadata")


def _content(old: Memory, edit: MemoryEdit) -> Any:
    kind = kind_of(edit.kind or old.kind)
    changes = dict(edit.content or {})
    if edit.text is not None:
        changes[KINDS[kind].main] = edit.text
    if kind != old.kind:
        return content_from_json(kind, {KINDS[kind].main: old.text, **changes})
    return content_from_json(kind, {**content_to_json(old.content), **changes})


def _expiry_before(old: Memory) -> datetime | None:
    """The expiry date in the former content; None where that is no date, as an older store may have it."""
    try:
        return expiry(old.content)
    except InvalidInputError:
        return None
