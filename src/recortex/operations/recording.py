"""Remembering, changing and putting away, and learning from corrections."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from recortex.app.citations import functions_of
from recortex.app.citations import link as link_to_symbols
from recortex.codec import content_from_json, content_to_json, convert
from recortex.domain.kinds import KINDS, Kind, kind_of
from recortex.domain.kinds.base import SUMMARY_CHARACTERS
from recortex.domain.memory import ConstraintLink, Memory, PatternLink, Source, priority_of
from recortex.domain.reports import Answer, Learned
from recortex.domain.text import as_utc, shorten
from recortex.domain.vocabulary import (
    TRUST_OF_ORIGIN,
    Actor,
    AnyScope,
    Importance,
    Origin,
    RelationType,
    Scope,
    Status,
    Trust,
)
from recortex.engines.ingestion import expiry, normalise
from recortex.engines.privacy import Draft, all_output_redacted, output_redacted, record_redacted
from recortex.engines.similarity import spellings
from recortex.errors import InvalidInputError, PersonNeededError
from recortex.lean import Value, lazy_module
from recortex.operations import agents
from recortex.operations.base import MemoryEdit, NewMemory, Operations, RememberedMemory, answered, file_link
from recortex.operations.registry import converted, operation, parameter_types, taking

if TYPE_CHECKING:
    from datetime import datetime

    from recortex.app.application import Application, StoreServices
    from recortex.domain.exchange import Exchange
    from recortex.domain.memory import FileLink, Relation
    from recortex.domain.reports import Factors, Learning
    from recortex.domain.vocabulary import AnyImportance
    from recortex.engines import corrections, validation
    from recortex.engines.extraction.principles import Taught
    from recortex.engines.ingestion.service import Kept
else:
    corrections = lazy_module("recortex.engines.corrections")
    validation = lazy_module("recortex.engines.validation")


# -- makes drafts for ingestion from the arguments of `remember`


DRAFTS_MOST_QUOTED = 240
"""Characters of the words that a memory rests on."""
_SPEAKERS = {"person": "user", "agent": "assistant"}
_DRAFT_FIELDS = tuple(field.name for field in fields(Draft))


def new_memory(one: Any, place: int) -> NewMemory:
    """The input of `remember` from one object of a list; what is null there is left out."""
    if not isinstance(one, Mapping):
        raise InvalidInputError(f"Item {place} is not an object with the arguments of remember.")
    types = parameter_types(NewMemory)
    unknown = sorted(set(one) - types.keys())
    if unknown:
        raise InvalidInputError(
            f"Item {place}: remember takes no {unknown[0][:40]!r}.", hint=f"It takes: {', '.join(types)}."
        )
    given = {name: value for name, value in one.items() if value is not None}
    try:
        return NewMemory(**converted(given, types))
    except InvalidInputError as error:
        raise InvalidInputError(f"Item {place}: {error}", hint=error.hint) from None


def draft_of(app: Application, new: NewMemory) -> Draft:
    """The draft for ingestion: links, source and origin resolved, and limited as `agents.py` says."""
    if new.from_exchange:
        new = _out_of(app.locate_exchange(new.from_exchange)[1], new)
    # An agent cannot speak with the person's authority.
    usual = Origin.AGENT if app.actor is Actor.AGENT else Origin.USER
    origin = usual if new.origin is None or new.origin == Origin.USER else Origin(new.origin)
    untrusted = TRUST_OF_ORIGIN[origin] is Trust.UNTRUSTED
    replaced = app.locate(new.supersedes)[1] if new.supersedes else None
    resolved: dict[str, Any] = {
        "kind": kind_of(new.kind or "insight"),
        "content": dict(new.content or {}),
        "priority": priority_from(new.priority, new.importance),
        "tags": tuple(new.tags),
        "files": file_links(app, new.files),
        "functions": functions_of(app, new.functions),
        "patterns": tuple(map(PatternLink, new.patterns)),
        "constraints": tuple(map(ConstraintLink, new.constraints)),
        "source": _source(new.source),
        "origin": origin,
        # An agent cannot let untrusted text out of quarantine; only a person's review can.
        "status": None if app.actor is Actor.AGENT and untrusted else new.status,
        "supersedes": replaced.id if replaced else None,
        "metadata": dict(new.metadata or {}),
    }
    taken_over = {name: getattr(new, name) for name in _DRAFT_FIELDS if name not in resolved}
    return agents.restrict_draft(app, Draft(**taken_over, **resolved), replaced)


def file_links(app: Application, paths: Sequence[str]) -> tuple[FileLink, ...]:
    """The files of a list of `PATH`, `PATH:LINE` and `PATH:FIRST-LAST`."""
    return tuple(file_link(path, app.root) for path in paths)


def priority_from(priority: int | None, importance: AnyImportance | None) -> int:
    """The priority itself where it is given, else that of the importance."""
    return priority_of(Importance(importance or Importance.NORMAL)) if priority is None else priority


def _source(source: Mapping[str, Any] | str | None) -> Source:
    if source is None:
        return Source()
    given = {"session": source} if isinstance(source, str) else dict(source)
    names = [field.name for field in fields(Source)]
    unknown = sorted(set(given) - set(names))
    if unknown:
        raise InvalidInputError(f"A source has no {unknown[0][:40]!r}.", hint=f"It has: {', '.join(names)}.")
    return convert(given, Source)


def _out_of(exchange: Exchange, new: NewMemory) -> NewMemory:
    """What is to be remembered of an exchange: with its source, and true since it was said.

    Raises:
        InvalidInputError: a source is given too, or there is no text and the message cannot stand alone.
    """
    if new.source is not None:
        raise InvalidInputError("The exchange is the source.", hint="Give `source` or `from_exchange`.")
    said = record_redacted(exchange)
    words = said.message or said.came_of_it
    source = {
        "session": said.session,
        # The first turn, by which the exchange of a memory is found again.
        "turn": said.first_turn,
        "speaker": said.speaker or _SPEAKERS.get(said.opener, ""),
        "client": said.client,
        "quote": words if len(words) <= DRAFTS_MOST_QUOTED else words[: DRAFTS_MOST_QUOTED - 1] + "…",
        "branch": said.branch,
        "commit": said.commit,
    }
    text = new.text or ("" if new.content else _alone(said))
    return replace(new, text=text, source=source, valid_from=new.valid_from or said.started_at)


def _alone(exchange: Exchange) -> str:
    """The message of an exchange, where it says by itself what it means.

    Raises:
        InvalidInputError: it does not: it answers something, is a question, or refers to what is not in it.
    """
    from recortex.engines.extraction.sentences import objection, statement

    answers = "?" in exchange.asked or "→" in exchange.message
    if exchange.opener == "person" and not answers:
        text = statement(exchange.message)
        if not objection(text, meant=True):
            return text
    raise InvalidInputError(
        "What was said there cannot stand alone.",
        hint="Say it in one statement: `remember TEXT --from ID`; as a tool, with `text`.",
    )


# -- remembering, changing and putting away


MAX_BATCH, MAX_OF_AGENT = 100_000, 500
"""Memories of one `remember_many`; those of an agent, which waits for the answer: a second or two."""

HELD = 1_000
"""Of many memories, so many are held at once: whole chunks of what is written together."""

TOLD = ("text", "kind", "importance", "tags", "files", "scope", "supersedes", "from_exchange")
"""The parameters of `remember` that agents are told of by default."""
TOLD_OF_EDIT = ("id", "text", "kind", "importance", "tags", "files", "valid_until", "reason")
"""The same of `edit`."""


class Remembered(Value, frozen=True, kw_only=True):
    """What became of many memories: their ids in the order given.

    Attributes:
        proposed: how many wait for the person's review.
    """

    ids: tuple[str, ...]
    added: int
    merged: int
    redacted: int
    proposed: int = 0


class Forgotten(Value, frozen=True, kw_only=True):
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
            # Where it names what it replaces, an agent has said that it says something else.
            confirm=self._app.actor is Actor.AGENT and not new.supersedes,
        )
        services.embedding.embed([kept.memory])
        link_to_symbols(services, [kept.memory])
        return answered(services, _settled(self._app, services, kept))

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

        # One that does not fit is refused before any is kept. A hundred thousand drafts would take 35 MB:
        # they are made again, but those that name a memory, which the others may change.
        scopes, naming = list[AnyScope](), dict[int, Draft]()

        def drafted(place: int) -> Draft:
            return naming.get(place) or draft_of(self._app, new_memory(memories[place], place))

        for place in range(len(memories)):
            draft = drafted(place)
            scopes.append(draft.scope)
            if draft.supersedes:
                naming[place] = draft
        ids: dict[int, str] = {}
        added = redacted = proposed = 0
        for scope in dict.fromkeys(scopes):
            services, now = self._app.services(scope), self._app.clock()
            places = [place for place, its in enumerate(scopes) if its is scope]
            for start in range(0, len(places), HELD):
                some = places[start : start + HELD]
                kept = services.ingestion.keep(map(drafted, some), now=now, actor=self._app.actor, link=link)
                ids.update({place: one.memory.id for place, one in zip(some, kept, strict=True)})
                added += sum(one.added for one in kept)
                proposed += sum(one.memory.status in agents.WAITING for one in kept)
                redacted += sum(bool(one.redacted) for one in kept)
                if embed:
                    told = partial(self._embedded, start, len(places))
                    services.embedding.embed([one.memory for one in kept], progress=told)
        return Remembered(
            ids=tuple(ids[place] for place in range(len(memories))),
            added=added,
            merged=len(memories) - added,
            redacted=redacted,
            proposed=proposed,
        )

    def _embedded(self, before: int, total: int, what: str, done: int, _: int) -> None:
        """Tell how many of all memories have their vectors."""
        self._app.progress(what, before + done, total)

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
        # The end moves only where the content names another one than before.
        if "valid_until" not in changes and (until := expiry(content)) != _expiry_before(old):
            changes["valid_until"] = until
        # A summary that a person wrote stays.
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
        # Words are never taken for an id, however short, unless they could be the beginning of one.
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
        # What happened to it since is not taken back: how often it was used, and its version.
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


def _settled(app: Application, services: StoreServices, kept: Kept) -> Kept:
    """What was kept, after it ended what it ends, if it is new."""
    if not kept.added:
        return kept
    from recortex.app.changes import settled

    return replace(kept, memory=settled(services, kept.memory, app.clock(), app.actor))


_EDITED = ("summary", "confidence", "pinned", "domain", "valid_from", "valid_until", "metadata")


def _content(old: Memory, edit: MemoryEdit) -> Any:
    kind = kind_of(edit.kind or old.kind)
    changes = dict(edit.content or {})
    if edit.text is not None:
        changes[KINDS[kind].main] = edit.text
    # Fields of another kind have no place in the new one: the text is all that is taken over.
    if kind != old.kind:
        return content_from_json(kind, {KINDS[kind].main: old.text, **changes})
    return content_from_json(kind, {**content_to_json(old.content), **changes})


def _expiry_before(old: Memory) -> datetime | None:
    """The expiry date in the former content; None where that is no date, as an older store may have it."""
    try:
        return expiry(old.content)
    except InvalidInputError:
        return None


# -- learning from corrections, and from what a person says of a memory: learn, feedback


RULE = "correction"
CORRECTING_MOST_QUOTED = 240
MOST_KEPT = 400
"""Characters of each of the two texts that are kept beside the memory."""
MOST_WORDS = 20_000
_OUTCOMES: dict[str, Learning] = {"added": "added", "merged": "updated", "known": "known"}


class Feedback(Value, frozen=True, kw_only=True):
    """A memory after a person said what they think of it.

    Attributes:
        confidence: before and after.
    """

    answer: Answer
    memory: Memory
    confidence: tuple[float, float]


class CorrectionOperations(Operations):
    """learn, feedback."""

    @operation(told=("text", "original", "corrected"))
    def learn(
        self,
        text: str = "",
        *,
        original: str = "",
        corrected: str = "",
        diff: str = "",
        did: str = "",
        files: Sequence[str] = (),
        scope: AnyScope = Scope.PROJECT,
        dry_run: bool = False,
    ) -> Learned:
        """Learn from a correction: the person's words, a text before and after, or a diff.

        It becomes one self-contained sentence with a category. What is already known is not added again.

        Args:
            text: what was wrong and what is right, in the person's words; a diff is recognised.
            original: the text as it was written.
            corrected: the text as corrected.
            diff: a unified diff instead.
            did: what was done wrong, in a few words.
            files: files it is about.
            scope: this project, or global.
            dry_run: only show what would be learned.
        """
        if len(text) > MOST_WORDS:
            raise InvalidInputError(
                f"The words have more than {MOST_WORDS:,} characters.", hint="Give the gist."
            )
        from recortex.engines.extraction.principles import taught as understood

        taught = understood(text, original=original, corrected=corrected, diff=diff, did=did)
        services = self._app.services(scope)
        draft = self._drafted(taught, (original, corrected), files, Scope(scope))
        if dry_run:
            return self._would(services, draft, taught)
        (kept,) = services.ingestion.keep([draft], now=self._app.clock(), actor=self._app.actor, confirm=True)
        services.embedding.embed([kept.memory])
        kept = _settled(self._app, services, kept)
        relations = self._learned_from(services, kept)
        (memory,) = services.store.memories.get([kept.memory.id])
        found = services.store.relations.find_touching([memory.id])
        ids = [one.other(memory.id) for one in found if one.type is RelationType.CONTRADICTS]
        known = services.store.memories.get(ids)
        return Learned(
            outcome=_OUTCOMES[kept.outcome],
            category=taught.category,
            principle=memory.text,
            memory=output_redacted(memory),
            difference=taught.difference,
            factors=self._factors(memory, draft.confidence),
            relations=tuple(relations),
            contradicted=tuple(all_output_redacted([one for one in known if one.status is Status.ACTIVE])),
        )

    @operation(told=("id", "answer", "text"))
    def feedback(
        self,
        id: str,  # noqa: A002  the contract's name
        answer: Answer,
        *,
        text: str = "",
        reason: str = "",
    ) -> Feedback:
        """Say whether a memory is right: confirm, reject or correct it.

        Args:
            id: the memory's id, or its first characters.
            answer: confirm: it is right; reject: put it away; modify: it should say `text`.
            text: what is right instead.
            reason: why.
        """
        services, old = self._app.locate(id)
        if (answer == "modify") != bool(text.strip()):
            said = "What is right?" if answer == "modify" else "Only `modify` takes a text."
            raise InvalidInputError(said, hint="recortex feedback ID modify --text 'what is right'")
        if old.status not in (Status.ACTIVE, *agents.WAITING):
            raise InvalidInputError(
                f"The memory {old.id} is {old.status.value}.", hint="`recortex restore ID` brings it back."
            )
        new = (
            self._by_agent(old, answer, text)
            if self._app.limited
            else self._by_person(services, old, answer, text)
        )
        kept = self._changed(services, old, new, "feedback", reason or answer)
        # The vector is made of the words that were just changed.
        if text:
            services.embedding.embed([kept])
        return Feedback(answer=answer, memory=kept, confidence=(old.confidence, kept.confidence))

    def _by_person(self, services: StoreServices, old: Memory, answer: Answer, text: str) -> Memory:
        """What a person's word makes of a memory: sure, active and validated, or put away."""
        from recortex.app.jobs.validation import cited_anew
        from recortex.engines.validation import approved

        sure = validation.answered(old.confidence, answer)
        if answer == "reject":
            return replace(old, confidence=sure, status=Status.ARCHIVED)
        said = _reworded(old, text) if text else old
        holds = approved(said, cited_anew(services, old), self._app.clock())
        return replace(holds, confidence=sure, status=Status.ACTIVE)

    def _by_agent(self, old: Memory, answer: Answer, text: str) -> Memory:
        """An agent's word moves the confidence a little, as an outcome does; it validates nothing."""
        from recortex.engines.generation import adjusted

        if answer == "modify":
            return agents.edited(self._app, old, _reworded(old, text))
        # What counts in every project, or before all else, is not moved by an agent's opinion.
        if agents.weighty(old):
            raise PersonNeededError("Only the person judges a global, pinned or critical memory.")
        return replace(
            old, confidence=adjusted(old.confidence, "accepted" if answer == "confirm" else "rejected")
        )

    def _drafted(self, taught: Taught, texts: tuple[str, str], files: Sequence[str], scope: Scope) -> Draft:
        made = corrections.MADE[taught.category]
        named = [*files, *(file for file in taught.difference.files if file not in files)]
        said = {"category": taught.category.value, "did": taught.did}
        said |= {
            name: shorten(one, MOST_KEPT) for name, one in zip(("original", "corrected"), texts, strict=True)
        }
        draft = Draft(
            kind=kind_of(made.kind),
            text=taught.principle,
            summary=shorten(taught.principle, SUMMARY_CHARACTERS),
            priority=priority_of(made.importance),
            confidence=taught.confidence,
            tags=(corrections.TAG, taught.category.value),
            files=file_links(self._app, named),
            source=Source(rule=RULE, quote=shorten(taught.words, CORRECTING_MOST_QUOTED)),
            origin=Origin.AGENT if self._app.actor is Actor.AGENT else Origin.USER,
            scope=scope,
            metadata={"correction": {name: one for name, one in said.items() if one}},
        )
        return agents.restrict_draft(self._app, draft, None)

    def _would(self, services: StoreServices, draft: Draft, taught: Taught) -> Learned:
        memory = normalise(draft, id_="", now=self._app.clock(), count=self._app.count_tokens).memory
        (same,) = services.store.memories.same(spellings(memory.kind, memory.text))
        return Learned(
            outcome="updated" if same else "added",
            category=taught.category,
            principle=memory.text,
            memory=memory,
            difference=taught.difference,
            factors=self._factors(memory, draft.confidence),
            dry_run=True,
        )

    def _factors(self, memory: Memory, base: float) -> Factors:
        now = self._app.clock()
        # Use keeps a memory alive: its age counts from when it was needed last.
        age = now - (memory.last_accessed_at or memory.recorded_at)
        return validation.calibrated(
            base,
            evidence=memory.evidence,
            accesses=memory.access_count,
            age_days=age.total_seconds() / 86_400,
            half_life_days=KINDS[memory.kind].half_life_days,
            validated=memory.validated_at is not None,
        )

    def _learned_from(self, services: StoreServices, kept: Kept) -> list[Relation]:
        """Relate a new correction to what it was learned from; returns the relations that were made."""
        if not kept.added:
            return []
        memory, store = kept.memory, services.store
        near = [one for one in store.relations.find_touching([memory.id]) if one.type is RelationType.RELATED]
        known = {one.id: one for one in store.memories.get([one.other(memory.id) for one in near])}
        pairs = [(one, known[one.other(memory.id)]) for one in near if one.other(memory.id) in known]
        replaced = store.memories.get([memory.supersedes]) if memory.supersedes else []
        made = list(corrections.causes(memory, pairs, replaced[0] if replaced else None, self._app.clock()))
        with store.transaction():
            return [one for one in made if store.relations.put_all([one])]


def _reworded(old: Memory, text: str) -> Memory:
    content = content_from_json(old.kind, {**content_to_json(old.content), KINDS[old.kind].main: text})
    return replace(old, content=content, summary="")
