"""Remembering, changing and putting away."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from datetime import datetime
from typing import Any

from recortex.codec import content_from_json, content_to_json, convert
from recortex.domain.kinds import KINDS, Kind, kind_of
from recortex.domain.memory import Memory, Source
from recortex.domain.time import as_utc
from recortex.domain.vocabulary import (
    TRUST_OF_ORIGIN,
    Actor,
    Domain,
    Importance,
    Origin,
    Scope,
    Status,
    Trust,
    priority_of,
)
from recortex.engines.ingestion.draft import Draft
from recortex.engines.ingestion.normalisation import expiry
from recortex.errors import InvalidInputError
from recortex.operations import agents
from recortex.operations.base import Operations, file_link, links, strings
from recortex.operations.registry import operation
from recortex.operations.results.recording import Forgotten, Remembered

MAX_BATCH = 100_000


class Recording(Operations):
    """remember, remember_many, edit, forget, restore."""

    @operation(core=True)
    def remember(
        self,
        text: str = "",
        *,
        kind: str = "insight",
        content: Mapping[str, Any] | None = None,
        summary: str = "",
        importance: Importance | None = None,
        priority: int | None = None,
        confidence: float = 1.0,
        pinned: bool = False,
        tags: Sequence[str] = (),
        domain: Domain = Domain.GENERAL,
        files: Sequence[str] = (),
        functions: Sequence[str] = (),
        patterns: Sequence[str] = (),
        constraints: Sequence[str] = (),
        source: Mapping[str, Any] | str | None = None,
        origin: Origin | None = None,
        status: Status | None = None,
        scope: Scope = Scope.PROJECT,
        valid_from: datetime | None = None,
        valid_until: datetime | None = None,
        recorded_at: datetime | None = None,
        supersedes: str | None = None,
        metadata: Mapping[str, Any] | None = None,
    ) -> Memory:
        """Keep something worth knowing in later sessions.

        Good memories are single statements that make sense a year later: a decision with its reason, a gotcha, a
        preference, a command that works, a root cause with its fix. What is known already, word for word, is not
        added again: its evidence counts. Secrets are removed before anything is written. What an agent wants to be
        global, pinned, critical or of a status waits as proposed until the person approves it.

        Args:
            text: what is to be remembered, as one self-contained statement.
            kind: what sort of knowledge it is, such as decision, tribal (gotcha), preference, procedural, insight.
            content: the kind's typed fields, instead of or beside the text.
            summary: one line to show instead of the one that is made.
            importance: low, normal, high or critical.
            priority: the same as a number from 1 to 10; it wins over importance.
            confidence: how sure it is, 0 to 1.
            pinned: never fades and is never archived.
            tags: words to find and group it by.
            domain: the area of the software.
            files: files that it is about: PATH, PATH:LINE or PATH:FIRST-LAST.
            functions: functions or methods that it is about.
            patterns: ids of code patterns that it explains.
            constraints: ids of constraints that it sets or lifts.
            source: where it was learned: session, turn, speaker, url, commit and so on; a text is taken as a session.
            origin: who or what said it; text from tools, web pages and imports waits in quarantine.
            status: where it stands, unless the origin is to decide.
            scope: this project, or global: about the person and their tools, in every project.
            valid_from: since when it is true in the world; now, unless said.
            valid_until: when it stops being true.
            recorded_at: when it was recorded, for imports.
            supersedes: id of the memory that this one replaces.
            metadata: anything else, kept as it is.
        """
        wish = {name: value for name, value in locals().items() if name != "self"}
        draft = self._draft(wish)
        services = self._app.services(draft.scope)
        kept = services.ingestion.keep([draft], now=self._app.clock(), actor=self._app.actor)[0]
        services.embedding.embed([kept.memory])
        return kept.memory

    @operation()
    def remember_many(
        self, memories: Sequence[Mapping[str, Any]], *, embed: bool = True, link: bool = True
    ) -> Remembered:
        """Keep many memories at once: the fast way in.

        Args:
            memories: a list of objects with the arguments of `remember`.
            embed: make their vectors now; otherwise they are found by keywords until a recall makes up for it.
            link: compare each with what is known and link what is alike.
        """
        if len(memories) > MAX_BATCH:
            raise InvalidInputError(
                f"At most {MAX_BATCH:,} memories at once.", hint="Give them in several batches."
            )
        drafts = [self._draft(_wish(one, place)) for place, one in enumerate(memories)]
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
            ids=tuple(ids[place] for place in range(len(drafts))), added=added, merged=len(drafts) - added, redacted=redacted,
            proposed=proposed,
        )  # fmt: skip

    @operation(core=True)
    def edit(
        self,
        id: str,  # noqa: A002  the contract's name
        *,
        text: str | None = None,
        content: Mapping[str, Any] | None = None,
        kind: str | None = None,
        summary: str | None = None,
        importance: Importance | None = None,
        priority: int | None = None,
        confidence: float | None = None,
        pinned: bool | None = None,
        tags: Sequence[str] | None = None,
        domain: Domain | None = None,
        files: Sequence[str] | None = None,
        valid_from: datetime | None = None,
        valid_until: datetime | None = None,
        metadata: Mapping[str, Any] | None = None,
        reason: str = "",
    ) -> Memory:
        """Change a memory; its former state stays in its history and can be brought back with undo.

        Args:
            id: of the memory, or its first characters.
            text: what it says now.
            content: typed fields to change.
            kind: another kind for the same text.
            summary: another line to show.
            importance: low, normal, high or critical.
            priority: 1 to 10.
            confidence: 0 to 1.
            pinned: whether it is exempt from fading.
            tags: the tags it has now, in place of the former ones.
            domain: the area of the software.
            files: the files it is about now.
            valid_from: since when it is true.
            valid_until: when it stopped being true.
            metadata: in place of the former.
            reason: why it is changed.
        """
        wish = {name: value for name, value in locals().items() if name not in {"self", "id", "reason"}}
        services, old = self._app.locate(id)
        new = self._edited(old, {name: value for name, value in wish.items() if value is not None})
        new = agents.edited(self._app, old, new)
        return services.ingestion.change(
            old, new, now=self._app.clock(), actor=self._app.actor, operation="update", reason=reason
        )

    @operation(core=True, destructive=True, idempotent=True)
    def forget(self, id: str, *, reason: str = "", dry_run: bool = False) -> Forgotten:  # noqa: A002
        """Put a memory away: it is no longer recalled, but restore brings it back.

        Words that are not an id are taken as a question: the memories that they may mean are shown, none is touched.

        Args:
            id: of the memory, its first characters, or words that describe it.
            reason: why.
            dry_run: only show what would be put away.
        """
        if not _like_id(id):
            return Forgotten(candidates=self._meant(id), dry_run=dry_run)
        services, old = self._app.locate(id)
        if dry_run or old.status is Status.ARCHIVED:
            return Forgotten(memory=old, dry_run=dry_run)
        gone = services.ingestion.change(
            old, replace(old, status=Status.ARCHIVED), now=self._app.clock(), actor=self._app.actor, operation="archive",
            reason=reason,
        )  # fmt: skip
        return Forgotten(memory=gone)

    @operation(idempotent=True)
    def restore(self, id: str, *, version: int | None = None) -> Memory:  # noqa: A002
        """Bring a forgotten or superseded memory back, or the state that it had in an earlier version.

        Args:
            id: of the memory, or its first characters.
            version: of its history; without it, the memory only becomes active again.
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
        return services.ingestion.change(
            old, _as_now(former, old), now=self._app.clock(), actor=self._app.actor, operation="restore",
            reason=f"version {version}" if version is not None else "",
        )  # fmt: skip

    def _meant(self, words: str) -> tuple[Memory, ...]:
        found = (
            hit
            for services in self._app.all_services()
            for hit in services.retrieval.recall(words, limit=5, now=self._app.clock(), recipe="keyword").hits
        )
        return tuple(hit.memory for hit in found)

    def _draft(self, wish: Mapping[str, Any]) -> Draft:
        functions, patterns, constraints = links(
            wish.get("functions") or (), wish.get("patterns") or (), wish.get("constraints") or ()
        )
        origin = _origin(wish.get("origin"), self._app.actor)
        replaced = self._app.locate(wish["supersedes"])[1] if wish.get("supersedes") else None
        draft = Draft(
            kind=kind_of(wish.get("kind") or "insight"),
            text=wish.get("text") or "",
            content=dict(wish.get("content") or {}),
            summary=wish.get("summary") or "",
            priority=_priority(wish.get("priority"), wish.get("importance")),
            confidence=float(wish.get("confidence", 1.0)),
            pinned=bool(wish.get("pinned")),
            tags=strings(wish.get("tags") or (), "tags"),
            domain=Domain(wish.get("domain") or Domain.GENERAL),
            files=tuple(
                file_link(path, self._app.root) for path in strings(wish.get("files") or (), "files")
            ),
            functions=functions,
            patterns=patterns,
            constraints=constraints,
            source=_source(wish.get("source")),
            origin=origin,
            status=_status(wish.get("status"), origin, self._app.actor),
            scope=Scope(wish.get("scope") or Scope.PROJECT),
            valid_from=wish.get("valid_from"),
            valid_until=wish.get("valid_until"),
            recorded_at=wish.get("recorded_at"),
            supersedes=replaced.id if replaced else None,
            metadata=dict(wish.get("metadata") or {}),
        )
        return agents.held_back(self._app, draft, replaced)

    def _edited(self, old: Memory, wish: dict[str, Any]) -> Memory:
        content = _content(old, wish)
        plain: dict[str, Any] = {
            name: wish[name]
            for name in ("summary", "confidence", "pinned", "domain", "metadata")
            if name in wish
        }
        if "tags" in wish:
            plain["tags"] = strings(wish["tags"], "tags")
        if "files" in wish:
            plain["files"] = tuple(
                file_link(path, self._app.root) for path in strings(wish["files"], "files")
            )
        if "priority" in wish or "importance" in wish:
            plain["priority"] = _priority(wish.get("priority"), wish.get("importance"))
        for name in ("valid_from", "valid_until"):
            if name in wish:
                plain[name] = as_utc(wish[name])
        if "valid_until" not in plain and (until := expiry(content)) != _expiry_before(old):
            plain["valid_until"] = until
        if old.summary == old.content.summary():
            plain.setdefault("summary", "")  # it was made from the content, and is made again
        return replace(old, kind=Kind(content.kind), content=content, **plain)


def _wish(one: Any, place: int) -> Mapping[str, Any]:
    """The arguments of `remember` in one object of a list, checked."""
    if not isinstance(one, Mapping):
        raise InvalidInputError(f"Item {place} is not an object with the arguments of remember.")
    unknown = sorted(set(one) - _WISHES.keys())
    if unknown:
        raise InvalidInputError(
            f"Item {place}: remember takes no {unknown[0][:40]!r}.", hint=f"It takes: {', '.join(_WISHES)}."
        )
    try:
        return {name: convert(value, _WISHES[name]) for name, value in one.items()}
    except InvalidInputError as error:
        raise InvalidInputError(f"Item {place}: {error}", hint=error.hint) from None


_WISHES: dict[str, Any] = {
    "text": str | None, "kind": str, "content": dict[str, Any] | None, "summary": str | None,
    "importance": Importance | None, "priority": int | None, "confidence": float, "pinned": bool,
    "tags": tuple[str, ...], "domain": Domain, "files": tuple[str, ...], "functions": tuple[str, ...],
    "patterns": tuple[str, ...], "constraints": tuple[str, ...], "source": dict[str, Any] | str | None,
    "origin": Origin | None, "status": Status | None, "scope": Scope, "valid_from": datetime | None,
    "valid_until": datetime | None, "recorded_at": datetime | None, "supersedes": str | None,
    "metadata": dict[str, Any] | None,
}  # fmt: skip


def _origin(wanted: Origin | str | None, actor: Actor) -> Origin:
    """Where it comes from; an agent cannot speak with the person's authority."""
    usual = Origin.AGENT if actor is Actor.AGENT else Origin.USER
    origin = Origin(wanted) if wanted else usual
    return usual if origin is Origin.USER else origin


def _status(wanted: Status | str | None, origin: Origin, actor: Actor) -> Status | None:
    """An agent cannot let untrusted text out of quarantine; only a person's review can."""
    untrusted = TRUST_OF_ORIGIN[origin] is Trust.UNTRUSTED
    return Status(wanted) if wanted and not (untrusted and actor is Actor.AGENT) else None


def _priority(priority: int | None, importance: Importance | str | None) -> int:
    if priority is not None:
        return priority
    return priority_of(Importance(importance)) if importance else priority_of(Importance.NORMAL)


def _source(source: Mapping[str, Any] | str | None) -> Source:
    if source is None:
        return Source()
    given = {"session": source} if isinstance(source, str) else dict(source)
    names = [field.name for field in fields(Source)]
    unknown = sorted(set(given) - set(names))
    if unknown:
        raise InvalidInputError(f"A source has no {unknown[0][:40]!r}.", hint=f"It has: {', '.join(names)}.")
    return convert(given, Source)


def _content(old: Memory, wish: dict[str, Any]) -> Any:
    kind = kind_of(wish.get("kind") or old.kind)
    changes = dict(wish.get("content") or {})
    if "text" in wish:
        changes[KINDS[kind].main] = wish["text"]
    if kind != old.kind:
        return content_from_json(kind, {KINDS[kind].main: old.text, **changes})
    return content_from_json(kind, {**content_to_json(old.content), **changes})


def _expiry_before(old: Memory) -> datetime | None:
    """The date that the former content gave; an older store may hold words that are none."""
    try:
        return expiry(old.content)
    except InvalidInputError:
        return None


def _like_id(words: str) -> bool:
    plain = words.strip().lower()
    return bool(plain) and set(plain) <= set("0123456789abcdef-")


def _as_now(former: Memory, old: Memory) -> Memory:
    """A former state on top of what access and identity are now."""
    return replace(
        former,
        id=old.id,
        access_count=old.access_count,
        last_accessed_at=old.last_accessed_at,
        version=old.version,
    )
