"""Ingestion: drafts are normalised, compared with known memories, and merged or added."""

from __future__ import annotations

import uuid
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Literal

from recortex.domain.degradation import Degradation
from recortex.domain.kinds import KINDS
from recortex.domain.memory import Memory
from recortex.domain.vocabulary import RelationType, Status
from recortex.engines.indexing.embedded import embedded_text
from recortex.engines.indexing.service import search_text_in
from recortex.engines.ingestion.merging import mergeable, merged
from recortex.engines.ingestion.normalisation import Normalised, normalise, normalise_again
from recortex.engines.ingestion.query_terms import query_terms
from recortex.engines.ingestion.similar_memories import LINKED, contradiction, link_between, resemblances
from recortex.engines.privacy import redact
from recortex.engines.similarity.fingerprint import place_hash, spellings
from recortex.engines.supersession.authority import may_replace
from recortex.engines.supersession.detection import Outcome
from recortex.engines.supersession.service import record, supersede
from recortex.errors import MemoryNotFoundError

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Sequence
    from datetime import datetime

    from recortex.domain.history import Version
    from recortex.domain.vocabulary import Actor
    from recortex.engines.ingestion.draft import Draft
    from recortex.engines.ingestion.similar_memories import Resemblance
    from recortex.ports.store import Lookalikes, Store

CHUNK = 250
"""Memories in one transaction: long enough to be quick, short enough that other writers wait for
milliseconds."""


DOUBTED = 0.6
"""Confidence of what was taken back, at most."""


@dataclass(frozen=True, slots=True)
class Kept:
    """What became of a draft. `known` means that it was learned from the same place before."""

    memory: Memory
    outcome: Literal["added", "merged", "known"]
    redacted: tuple[str, ...] = ()

    @property
    def added(self) -> bool:
        """Whether it is new."""
        return self.outcome == "added"


class Ingestion:
    """Keeps drafts in a store."""

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

    def keep(self, drafts: Iterable[Draft], *, now: datetime, actor: Actor, link: bool = True) -> list[Kept]:
        """Keep each draft; the results stand in the same order.

        What is known already, word for word, is not added but merged: its evidence counts. What resembles a
        known memory is related to it by the bands of Jaccard similarity. Each chunk is durable when the next
        one begins.

        Raises:
            InvalidInputError: a draft does not fit; nothing of its chunk is kept.
            MemoryNotFoundError: a draft supersedes a memory that is not there.
        """
        kept: list[Kept] = []
        for chunk in _chunks(drafts, CHUNK):
            normalised = [normalise(draft, id_=self._new_id(), now=now, count=self._count) for draft in chunk]
            alike = [self._alike(one.memory) if link else [] for one in normalised]
            with self._store.transaction():
                kept.extend(
                    self._keep(one, found, now=now, actor=actor)
                    for one, found in zip(normalised, alike, strict=True)
                )
        return kept

    def withdraw(self, drafts: Iterable[Draft], *, now: datetime, actor: Actor, reason: str) -> list[Memory]:
        """Set back to `proposed` what an earlier pass kept of a session and a later turn of it takes back.

        Only what is active, not pinned, was learned nowhere else and of that very session is touched.

        Args:
            drafts: the wishes as they were kept.
            now: when it is taken back.
            actor: who found it out.
            reason: for the history.
        """
        gone: list[Memory] = []
        for draft in drafts:
            said = normalise(draft, id_=self._new_id(), now=now, count=self._count).memory
            same = self._store.memories.same(*spellings(said.kind, said.text))
            for known in self._store.memories.get([same] if same else []):
                if _only_from(known, said):
                    doubted = replace(
                        known, status=Status.PROPOSED, confidence=min(known.confidence, DOUBTED)
                    )
                    gone.append(
                        self.change(known, doubted, now=now, actor=actor, operation="withdraw", reason=reason)
                    )
        return gone

    def adopt(
        self,
        memory: Memory,
        versions: Sequence[Version],
        *,
        now: datetime,
        actor: Actor,
        operation: str = "import",
    ) -> Memory | None:
        """Keep an exported memory as it is, with its former states; only secrets are taken out.

        Returns:
            The memory as it is kept; None where one with its id is there, such as by another import at the
                same time.

        Raises:
            InvalidInputError: a value does not fit.
        """
        clean = normalise_again(memory, count=self._count).memory
        with self._store.transaction():
            if self._store.memories.get([clean.id]):
                return None
            self._store.memories.insert(clean, search_text_in(self._store, clean), actor=actor)
            former = [
                replace(one, memory=normalise_again(one.memory, count=self._count).memory) for one in versions
            ]
            self._store.memories.insert_versions(clean.id, former)
            self._store.memories.add_evidence(clean.id, _place(clean))
            record(self._store, clean.id, operation, actor, now, {})
        return clean

    def change(
        self, old: Memory, new: Memory, *, now: datetime, actor: Actor, operation: str, reason: str = ""
    ) -> Memory:
        """Replace a memory's state; the old one stays in the history. Secrets are taken out first.

        Raises:
            InvalidInputError: the new state does not fit.
            MemoryNotFoundError: the memory is gone.
        """
        reason = redact(reason).text
        with self._store.transaction():
            current = self._store.memories.get([old.id])
            if not current:
                raise MemoryNotFoundError(f"The memory {old.id} is gone.")
            clean = normalise_again(_on_top(current[0], old, new), count=self._count)
            kept = self._put(current[0], replace(clean.memory, updated_at=now), actor, reason)
            fields_ = _changed_fields(current[0], kept)
            record(
                self._store, old.id, operation, actor, kept.updated_at, {"fields": fields_} if fields_ else {}
            )
        return kept

    def supersede(self, new: Memory, old: Memory, *, now: datetime, actor: Actor) -> None:
        """Let one memory that is kept take another one's place, from when it was true on.

        Raises:
            MemoryNotFoundError: one of them is gone.
        """
        with self._store.transaction():
            named = self.change(
                new, replace(new, supersedes=old.id), now=now, actor=actor, operation="replace"
            )
            self._supersede(replace(named, recorded_at=now), old.id, actor)
            for one, other in ((new.id, old.id), (old.id, new.id)):
                self._store.relations.remove(one, other, RelationType.CONTRADICTS)

    def _put(self, old: Memory, new: Memory, actor: Actor, reason: str) -> Memory:
        search = search_text_in(self._store, new)
        same_words = embedded_text(old) == embedded_text(new)
        return self._store.memories.update(
            old, new, search, actor=actor, reason=reason, keep_vector=same_words
        )

    def _keep(
        self, normalised: Normalised, alike: Sequence[Resemblance], *, now: datetime, actor: Actor
    ) -> Kept:
        memory = normalised.memory
        for rule in normalised.skipped:
            event = Degradation("privacy", f"the rule {rule} could not be run", "the other rules")
            self._store.ledger.degrade(event, now)
        known = self._known(memory, alike)
        if known is not None:
            merged_ = self._merge(known, memory, now=now, actor=actor)
            return Kept(merged_, "known" if merged_ == known else "merged", normalised.redacted)
        ended = {memory.supersedes: ""} if memory.supersedes else self._ended_by(memory, alike)
        if ended:
            memory = replace(memory, supersedes=next(iter(ended)))
        self._insert(memory, normalised.redacted, actor)
        for old, why in ended.items():
            self._supersede(memory, old, actor, why)
        later = self._overtaking(memory, alike)
        self._link(memory, alike, {*ended, later.id if later else ""})
        if later is not None:
            self._supersede(later, memory.id, actor, "said later")
            (memory,) = self._store.memories.get([memory.id])
        return Kept(memory, "added", normalised.redacted)

    def _known(self, memory: Memory, alike: Sequence[Resemblance]) -> Memory | None:
        """The kept memory that says the same: word for word, or nearly so where a rule worded the new one."""
        same = self._store.memories.same(*spellings(memory.kind, memory.text))
        ids = [same] if same else []
        if memory.source.rule:
            ids += [likeness.id for likeness in alike if likeness.again]
        found = self._store.memories.get(ids)
        return next((known for known in found if mergeable(known, memory)), None)

    def _insert(self, memory: Memory, redacted: tuple[str, ...], actor: Actor) -> None:
        self._store.memories.insert(memory, search_text_in(self._store, memory), actor=actor)
        self._store.memories.add_evidence(memory.id, _place(memory))
        details = {"redacted": sorted(set(redacted))} if redacted else {}
        record(self._store, memory.id, "create", actor, memory.updated_at, details)

    def _merge(self, known: Memory, new: Memory, *, now: datetime, actor: Actor) -> Memory:
        counts = self._store.memories.add_evidence(known.id, _place(new))
        better = merged(known, new, counts=counts)
        if better == known:
            return known
        changed = self._put(known, replace(better, updated_at=now), actor, "learned again")
        record(self._store, known.id, "merge", actor, changed.updated_at, {"evidence": changed.evidence})
        return changed

    def _supersede(self, memory: Memory, old_id: str, actor: Actor, why: str = "") -> None:
        """Let a kept memory end the one with that id; `why` is the evidence where an engine found it out."""
        found = self._store.memories.get([old_id])
        if not found:
            raise MemoryNotFoundError(f"There is no memory {old_id} to supersede.")
        at = max(memory.recorded_at, found[0].recorded_at)
        supersede(self._store, found[0], by=memory.id, since=memory.valid_from, at=at, actor=actor, why=why)

    def _alike(self, memory: Memory) -> list[Resemblance]:
        if KINDS[memory.kind].event:
            return []
        return resemblances(memory, self._lookalikes.candidates(query_terms(memory.text)))

    def _ended_by(self, memory: Memory, alike: Sequence[Resemblance]) -> dict[str, str]:
        """The ids of the known memories that a new one replaces by itself, each with the evidence."""
        judged = {one.id: one.judged for one in alike if one.judged.outcome is Outcome.REPLACES}
        found = self._store.memories.get(list(judged)) if judged else []
        return {old.id: judged[old.id].evidence for old in found if may_replace(memory, old, judged[old.id])}

    def _overtaking(self, memory: Memory, alike: Sequence[Resemblance]) -> Memory | None:
        """The known memory that replaces one which is recorded late, such as from an old session."""
        judged = {one.id: one.overtaken for one in alike if one.overtaken.outcome is Outcome.REPLACES}
        found = self._store.memories.get(list(judged)) if judged else []
        later = (known for known in found if known.valid_from > memory.valid_from)
        return next((known for known in later if may_replace(known, memory, judged[known.id])), None)

    def _link(self, memory: Memory, alike: Sequence[Resemblance], ended: Collection[str | None]) -> None:
        near = [link_between(memory, likeness) for likeness in alike[:LINKED]]
        odd = [contradiction(memory, likeness) for likeness in alike if likeness.at_odds]
        found = [relation for relation in (*near, *odd) if relation and relation.target_id not in ended]
        self._store.relations.put_all(found)


def _only_from(known: Memory, said: Memory) -> bool:
    """Whether a memory rests on that one statement of that one session."""
    return (
        known.status is Status.ACTIVE and not known.pinned and known.evidence == 1
        and known.source.session == said.source.session and known.source.rule == said.source.rule
    )  # fmt: skip


def _on_top(current: Memory, old: Memory, new: Memory) -> Memory:
    """What `new` changes of `old`, put on top of the state that another process may have made meanwhile."""
    if current == old:
        return new
    changes = {
        field.name: getattr(new, field.name)
        for field in fields(old)
        if getattr(new, field.name) != getattr(old, field.name)
    }
    return replace(current, **changes)


def _changed_fields(old: Memory, new: Memory) -> list[str]:
    always = {"updated_at", "version", "content_hash", "tokens"}
    return [
        field.name
        for field in fields(old)
        if field.name not in always and getattr(old, field.name) != getattr(new, field.name)
    ]


def _place(memory: Memory) -> bytes:
    source = memory.source
    if source.session:
        return place_hash(source.session, source.turn_id or str(source.turn), source.quote)
    return place_hash(memory.origin, source.path, memory.recorded_at.isoformat())


def _chunks(drafts: Iterable[Draft], size: int) -> Iterable[list[Draft]]:
    chunk: list[Draft] = []
    for draft in drafts:
        chunk.append(draft)
        if len(chunk) == size:
            yield chunk
            chunk = []
    if chunk:
        yield chunk
