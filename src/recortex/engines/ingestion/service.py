"""Ingestion: normalises drafts, compares them with known memories, and merges or adds them."""

from __future__ import annotations

import uuid
from dataclasses import dataclass, fields, replace
from functools import partial
from itertools import islice
from operator import itemgetter
from typing import TYPE_CHECKING, Literal, NamedTuple

from recortex.domain.kinds import KINDS
from recortex.domain.maintenance import Degradation
from recortex.domain.memory import AuditEntry, Memory, Relation
from recortex.domain.vocabulary import RelationStatus, RelationType, Status
from recortex.engines.indexing import embedded_text, search_text_in
from recortex.engines.ingestion import Normalised, normalise, normalise_again
from recortex.engines.privacy import redact
from recortex.engines.similarity import (
    BY_WORDS,
    SAME_MATTER,
    SUGGESTED,
    Verdict,
    classify,
    is_near_duplicate,
    jaccard,
    mergeable,
    merged,
    place_hash,
    query_terms,
    same_marks,
    spellings,
    turn_place,
)
from recortex.engines.supersession import losses, reason_for, record, supersede
from recortex.errors import MemoryNotFoundError
from recortex.text.words import bag_of_words, has_cjk

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from datetime import datetime

    from recortex.domain.memory import Version
    from recortex.domain.search import SearchText
    from recortex.domain.vocabulary import Actor
    from recortex.engines.privacy import Draft
    from recortex.ports.store import Lookalikes, Store


# -- finds known memories that are similar to a new one, and relates them to it


LINKED = 3
"""A new memory is related to at most this many known ones: the most similar."""


class Resemblance(NamedTuple):
    """A known memory that is similar to a new one.

    Attributes:
        score: the Jaccard similarity, 0 to 1.
        repeated: whether the new one only repeats it.
    """

    id: str
    score: float
    repeated: bool = False


def resemblances(memory: Memory, known: Iterable[tuple[str, str]]) -> list[Resemblance]:
    """The known memories most similar to a new one, best first.

    Args:
        memory: the new one.
        known: ids and texts of active or proposed memories that may be similar.
    """
    words = bag_of_words(memory.text)
    scored = [(jaccard(words, bag_of_words(text)), id_, text) for id_, text in known]
    scored.sort(key=itemgetter(0), reverse=True)
    return [
        Resemblance(id_, score, score >= SUGGESTED and is_near_duplicate(memory.text, text))
        for score, id_, text in scored[:LINKED]
    ]


def links(memory: Memory, found: Sequence[Resemblance]) -> Iterator[Relation]:
    """The relations of a new memory to similar ones, by how many words they share."""
    for one in found[:LINKED]:
        if (band := classify(one.score)) is not Verdict.IGNORE:
            certain = band in {Verdict.RELATE, Verdict.SIMILAR}
            status = RelationStatus.ACTIVE if certain else RelationStatus.SUGGESTED
            evidence = SAME_MATTER if band is Verdict.CONSOLIDATE else BY_WORDS
            yield Relation(
                memory.id,
                one.id,
                RelationType.RELATED,
                memory.recorded_at,
                strength=round(one.score, 3),
                evidence=(evidence,),
                inferred=True,
                status=status,
                bidirectional=True,
            )


# -- ingestion: normalises drafts, compares them with known memories, and merges or adds them


CHUNK = 250
"""Memories in one transaction: enough to be fast, few enough that other writers wait for milliseconds
only."""

DOUBTED = 0.6
"""The highest confidence of what was withdrawn, or of what comes from another installation."""


_DERIVED = frozenset({"updated_at", "version", "content_hash", "tokens"})
"""Fields that follow from others: the audit log does not name them."""


@dataclass(frozen=True, slots=True)
class Kept:
    """The result for a draft.

    Attributes:
        outcome: added, merged into a known memory that says the same, or known from the same place before.
        confirmed: it was merged into one that says the same in other words.
    """

    memory: Memory
    outcome: Literal["added", "merged", "known"]
    redacted: tuple[str, ...] = ()
    confirmed: bool = False

    @property
    def added(self) -> bool:
        """Whether it is new."""
        return self.outcome == "added"


class _New:
    """What goes with new memories: written for many at once, and before anything else is written or asked.

    Args:
        store: where they are written.
        actor: on whose behalf.
        wordings: the content hashes that what says the same as each of them may have.
    """

    def __init__(self, store: Store, actor: Actor, wordings: Sequence[Sequence[str]]) -> None:
        self._store, self._actor = store, actor
        self._memories: list[tuple[Memory, SearchText, bytes]] = []
        self._turns: set[tuple[str, int]] = set()
        self._entries: list[AuditEntry] = []
        self.relations: list[Relation] = []
        # Nothing that is written here gives a memory another hash, or makes one living that was not.
        found = zip(wordings, store.memories.same(*wordings), strict=True)
        self._said = {one for hashes, known in found if known for one in hashes}

    def same(self, wordings: Sequence[str]) -> str | None:
        """The id of a living memory with one of these hashes; most have none, and are not asked for."""
        if self._said.isdisjoint(wordings):
            return None
        self._insert()
        return self._store.memories.same(wordings)[0]

    def add(self, memory: Memory, redacted: tuple[str, ...]) -> None:
        """Note a memory that is to be kept."""
        source = memory.source
        if (source.session, (source.turn or 0) - 1) in self._turns:
            self._insert()  # the turn before is read
        self._memories.append((memory, search_text_in(self._store, memory), _place(memory)))
        if source.session and source.turn is not None:
            self._turns.add((source.session, source.turn))
        self._said.add(memory.content_hash)
        details = {"redacted": sorted(set(redacted))} if redacted else {}
        self._entries.append(
            AuditEntry(
                memory_id=memory.id,
                operation="create",
                actor=self._actor,
                at=memory.updated_at,
                details=details,
            )
        )

    def write(self) -> None:
        """Write what was noted."""
        self._insert()
        self._store.ledger.record(self._entries)
        self._store.relations.put_all(self.relations)
        self._entries, self.relations = [], []

    def _insert(self) -> None:
        self._store.memories.insert_all(self._memories, actor=self._actor)
        self._memories, self._turns = [], set()


class Ingestion:
    """Writes drafts into a store.

    Args:
        store: where the memories are.
        lookalikes: finds known memories with words in common.
        count: counts the tokens of a text.
        new_id: makes ids.
    """

    def __init__(
        self,
        store: Store,
        lookalikes: Lookalikes,
        *,
        count: Callable[[str], int],
        new_id: Callable[[], str] = lambda: str(uuid.uuid4()),
    ) -> None:
        self._store = store
        self._lookalikes = lookalikes
        self._count = count
        self._new_id = new_id

    def keep(
        self,
        drafts: Iterable[Draft],
        *,
        now: datetime,
        actor: Actor,
        link: bool = True,
        confirm: bool = False,
    ) -> list[Kept]:
        """Keep each draft; the results are in the same order.

        A text that is known already is merged: it counts as more evidence. A similar memory is related to the
        new one by the bands of Jaccard similarity. Each chunk is committed before the next one begins.

        Args:
            drafts: what is to be kept.
            now: when.
            actor: on whose behalf.
            link: compare with what is known.
            confirm: a draft that adds nothing to an active memory only counts as its evidence.

        Raises:
            InvalidInputError: a draft does not fit; nothing of its chunk is kept.
            MemoryNotFoundError: a draft supersedes a memory that does not exist.
        """
        kept: list[Kept] = []
        remaining = iter(drafts)
        while chunk := list(islice(remaining, CHUNK)):
            normalised = [self._normalised(draft, now) for draft in chunk]
            # Before the transaction: looking up takes long, and other writers would have to wait.
            similar = self._similar([one.memory for one in normalised]) if link else [[] for _ in chunk]
            wordings = [spellings(one.memory.kind, one.memory.text) for one in normalised]
            with self._store.transaction():
                new = _New(self._store, actor, wordings)
                kept += [
                    self._keep(one, found, said, new, now=now, actor=actor, confirm=confirm)
                    for one, found, said in zip(normalised, similar, wordings, strict=True)
                ]
                new.write()
        return kept

    def _normalised(self, draft: Draft, now: datetime) -> Normalised:
        return normalise(draft, id_=self._new_id(), now=now, count=self._count)

    def withdraw(self, drafts: Iterable[Draft], *, now: datetime, actor: Actor, reason: str) -> list[Memory]:
        """Set memories back to `proposed` that an earlier pass kept of a session and a later turn takes back.

        Only those that are active, not pinned, and rest on this session alone.

        Args:
            drafts: as they were given to `keep`.
            now: when they are withdrawn.
            actor: on whose behalf.
            reason: for the history.
        """
        changed: list[Memory] = []
        for draft in drafts:
            memory = self._normalised(draft, now).memory
            (same,) = self._store.memories.same(spellings(memory.kind, memory.text))
            for known in self._store.memories.get([same] if same else []):
                if _rests_on(known, memory):
                    confidence = min(known.confidence, DOUBTED)
                    doubted = replace(known, status=Status.PROPOSED, confidence=confidence)
                    changed.append(
                        self.change(known, doubted, now=now, actor=actor, operation="withdraw", reason=reason)
                    )
        return changed

    def unsay(
        self, turns: Iterable[str], session: str, *, now: datetime, actor: Actor, reason: str
    ) -> list[Memory]:
        """Put away what rests on turns that the person took back; returns the memories that changed.

        What was learned elsewhere too counts these turns no more. What such a memory had replaced stands
        again.

        Args:
            turns: their ids.
            session: where they were taken back; what was read of the same turns in another session stands.
            now: when it is known.
            actor: on whose behalf.
            reason: for the history.
        """
        change = partial(self.change, now=now, actor=actor, operation="withdraw", reason=reason)
        changed: list[Memory] = []
        with self._store.transaction():
            for turn in turns:
                place = turn_place(turn)
                for known in self._store.memories.get(self._store.memories.learned_at(place)):
                    if known.source.turn_id == turn and known.source.session != session:
                        continue
                    self._store.memories.drop_evidence(known.id, place)
                    if known.evidence > 1:
                        changed.append(change(known, replace(known, evidence=known.evidence - 1)))
                    elif known.status in _STANDING and not known.pinned:
                        changed.append(change(known, replace(known, status=Status.ARCHIVED)))
                        changed += [
                            change(
                                old, replace(old, status=Status.ACTIVE, superseded_by=None, valid_until=None)
                            )
                            for old in self._replaced(known.id)
                        ]
        return changed

    def _replaced(self, by: str) -> list[Memory]:
        """The memories that one has replaced."""
        found = self._store.relations.find_touching([by])
        ended = [
            one.target_id for one in found if one.type is RelationType.SUPERSEDES and one.source_id == by
        ]
        return [one for one in self._store.memories.get(ended) if one.superseded_by == by]

    def adopt(
        self,
        memory: Memory,
        versions: Sequence[Version],
        *,
        now: datetime,
        actor: Actor,
        operation: str = "import",
    ) -> Memory | None:
        """Keep an exported memory as it is, with its former states; only secrets are replaced.

        Returns: The memory as it is stored; None where one with its id exists, such as by another import at
            the same time.

        Raises:
            InvalidInputError: a value does not fit.
        """
        clean = normalise_again(memory, count=self._count).memory
        with self._store.transaction():
            if self._store.memories.get([clean.id]):
                return None
            search = search_text_in(self._store, clean)
            self._store.memories.insert(clean, search, actor=actor, place=_place(clean))
            former = [
                replace(one, memory=normalise_again(one.memory, count=self._count).memory) for one in versions
            ]
            self._store.memories.insert_versions(clean.id, former)
            record(self._store, clean.id, operation, actor, now, {})
        return clean

    def change(
        self,
        old: Memory,
        new: Memory,
        *,
        now: datetime,
        actor: Actor,
        operation: str,
        reason: str = "",
        details: Mapping[str, object] | None = None,
    ) -> Memory:
        """Replace a memory's state; the old one stays in the history. Secrets are replaced first.

        The audit log holds `details` beside the names of the changed fields.

        Raises:
            InvalidInputError: the new state does not fit.
            MemoryNotFoundError: the memory is gone.
        """
        reason = redact(reason).text
        with self._store.transaction():
            # Read again within the transaction: another process may have changed or purged it.
            current = self._store.memories.get([old.id])
            if not current:
                raise MemoryNotFoundError(f"The memory {old.id} is gone.")
            clean = normalise_again(_rebased(current[0], old, new), count=self._count)
            kept = self._put(current[0], replace(clean.memory, updated_at=now), actor, reason)
            changed = [name for name in _changed_fields(current[0], kept) if name not in _DERIVED]
            logged = {**({"fields": changed} if changed else {}), **(details or {})}
            record(self._store, old.id, operation, actor, kept.updated_at, logged)
            # What rested on a memory that stands again is as sure as it was.
            if current[0].status is Status.SUPERSEDED and kept.status is Status.ACTIVE:
                self._resettle(old.id, now, actor)
        return kept

    def supersede(
        self,
        new: Memory,
        old: Memory,
        *,
        now: datetime,
        actor: Actor,
        why: str = "",
        reworded: bool = False,
    ) -> None:
        """Let a stored memory replace another one from when it was true.

        Args:
            new: as it is stored.
            old: as it is stored.
            now: when.
            actor: on whose behalf.
            why: the evidence by which it was inferred; empty where somebody said so.
            reworded: it says the same in other words, so that what rests on the old one stays as sure.

        Raises:
            MemoryNotFoundError: one of them is gone.
        """
        with self._store.transaction():
            named = self.change(
                new, replace(new, supersedes=old.id), now=now, actor=actor, operation="replace"
            )
            self._supersede(replace(named, recorded_at=now), old.id, actor, why)
            if not reworded:
                self._unsettle(old.id, new.id, now, actor)
            # Where one follows the other in time, they do not contradict each other any more.
            for one, other in ((new.id, old.id), (old.id, new.id)):
                self._store.relations.remove(one, other, RelationType.CONTRADICTS)

    def _put(self, old: Memory, new: Memory, actor: Actor, reason: str) -> Memory:
        search = search_text_in(self._store, new)
        # A vector is made of the words alone, so that it stays where they do.
        same_words = embedded_text(old) == embedded_text(new)
        return self._store.memories.update(
            old, new, search, actor=actor, reason=reason, keep_vector=same_words
        )

    def _keep(
        self,
        normalised: Normalised,
        similar: Sequence[Resemblance],
        wordings: Sequence[str],
        new: _New,
        *,
        now: datetime,
        actor: Actor,
        confirm: bool,
    ) -> Kept:
        memory = normalised.memory
        for rule in normalised.skipped:
            event = Degradation("privacy", f"the rule {rule} could not be run", "the other rules")
            self._store.ledger.degrade(event, now)
        known = self._known(memory, new.same(wordings), similar)
        if known is not None:
            # The known memory may be one that was only noted so far.
            new.write()
            result = self._merge(known, memory, now=now, actor=actor)
            return Kept(result, "known" if result == known else "merged", normalised.redacted)
        confirmed = self._confirmed(memory, similar) if confirm else None
        if confirmed is not None:
            new.write()
            result = self._merge(confirmed, memory, now=now, actor=actor)
            return Kept(result, "merged", normalised.redacted, confirmed=True)
        new.add(memory, normalised.redacted)
        if memory.supersedes:
            new.write()
            self._supersede(memory, memory.supersedes, actor)
            self._unsettle(memory.supersedes, memory.id, now, actor)
        found = links(memory, similar)
        new.relations += [one for one in found if one.target_id != memory.supersedes]
        return Kept(memory, "added", normalised.redacted)

    def _known(self, memory: Memory, same: str | None, similar: Sequence[Resemblance]) -> Memory | None:
        """The stored memory that says the same, or nearly the same where a rule worded the new one."""
        ids = [same] if same else []
        if memory.source.rule:
            ids += [one.id for one in similar if one.repeated]
        found = self._store.memories.get(ids) if ids else []
        return next((known for known in found if mergeable(known, memory)), None)

    def _confirmed(self, memory: Memory, similar: Sequence[Resemblance]) -> Memory | None:
        """The active memory to which a new one adds nothing."""
        found = self._store.memories.get([one.id for one in similar if one.repeated])
        active = (one for one in found if one.status is Status.ACTIVE and same_marks(one.text, memory.text))
        return next((known for known in active if mergeable(known, memory)), None)

    def _merge(self, known: Memory, new: Memory, *, now: datetime, actor: Actor) -> Memory:
        counts = self._store.memories.add_evidence(known.id, _place(new))
        better = merged(known, new, counts=counts)
        if better == known:
            return known
        changed = self._put(known, replace(better, updated_at=now), actor, "learned again")
        record(self._store, known.id, "merge", actor, changed.updated_at, {"evidence": changed.evidence})
        return changed

    def _supersede(self, memory: Memory, old_id: str, actor: Actor, why: str = "") -> None:
        """Let a stored memory supersede the one with that id; `why` is the evidence if it was inferred."""
        found = self._store.memories.get([old_id])
        if not found:
            raise MemoryNotFoundError(f"There is no memory {old_id} to supersede.")
        at = max(memory.recorded_at, found[0].recorded_at)
        supersede(self._store, found[0], by=memory.id, since=memory.valid_from, at=at, actor=actor, why=why)

    def _unsettle(self, ended: str, by: str, now: datetime, actor: Actor) -> None:
        """Make what rests on a memory that ended less sure; what is pinned, and its successor, stay."""
        lost = losses(ended, self._store.relations.find_touching)
        for one in self._store.memories.get(list(lost)) if lost else ():
            if one.status is Status.ACTIVE and not one.pinned and one.id != by:
                doubted = replace(one, confidence=max(one.confidence - lost[one.id], 0.0))
                self.change(
                    one, doubted, now=now, actor=actor, operation="propagate", reason=reason_for(ended)
                )

    def _resettle(self, standing: str, now: datetime, actor: Actor) -> None:
        """Give back what memories lost because one ended that stands again, unless they changed since."""
        for id_ in losses(standing, self._store.relations.find_touching):
            versions = self._store.memories.history(id_)
            if len(versions) > 1 and versions[0].reason == reason_for(standing):
                current = versions[0].memory
                sure = replace(current, confidence=versions[1].memory.confidence)
                self.change(current, sure, now=now, actor=actor, operation="propagate")

    def _similar(self, memories: Sequence[Memory]) -> list[list[Resemblance]]:
        """What resembles each of new memories."""
        # What happens again is another event.
        asked = {one.id: query_terms(one.text) for one in memories if not KINDS[one.kind].event}
        plain = [one.id for one in memories if one.id in asked and not has_cjk(one.text)]
        known = dict(
            zip(plain, self._lookalikes.candidates_of_all([asked[id_] for id_ in plain]), strict=True)
        )
        for id_ in asked.keys() - known.keys():
            known[id_] = self._lookalikes.candidates(asked[id_], terms=True)
        return [resemblances(one, known.get(one.id, ())) for one in memories]


_STANDING = frozenset((Status.ACTIVE, Status.PROPOSED, Status.QUARANTINED))


def _rests_on(known: Memory, statement: Memory) -> bool:
    """Whether an active memory was learned from that one statement of that one session alone."""
    return (
        known.status is Status.ACTIVE and not known.pinned and known.evidence == 1
        and known.source.session == statement.source.session and known.source.rule == statement.source.rule
    )  # fmt: skip


def _rebased(current: Memory, old: Memory, new: Memory) -> Memory:
    """The changes from `old` to `new`, applied to what another process may have written meanwhile."""
    if current == old:
        return new
    return replace(current, **{name: getattr(new, name) for name in _changed_fields(old, new)})


def _changed_fields(old: Memory, new: Memory) -> list[str]:
    return [field.name for field in fields(old) if getattr(old, field.name) != getattr(new, field.name)]


def _place(memory: Memory) -> bytes:
    """Where a memory was learned, as a hash: the same place counts as evidence once.

    A turn is known by its id, whichever session's file repeats it.
    """
    source = memory.source
    if source.turn_id:
        return turn_place(source.turn_id)
    if source.session:
        return place_hash(source.session, str(source.turn), source.quote)
    return place_hash(memory.origin, source.path, memory.recorded_at.isoformat())
