"""Deciding about what waits for a person, and what a person should look at: review."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Literal

from recortex.app.validation import cited_anew
from recortex.domain.correction import Question
from recortex.domain.memory import Memory
from recortex.domain.relation import BOTH_HOLD, CAUSAL
from recortex.domain.search import MemoryQuery
from recortex.domain.time import to_micros
from recortex.domain.validation import FLAG
from recortex.domain.vocabulary import RelationStatus, RelationType, Status
from recortex.engines.ingestion.output_redaction import all_output_redacted
from recortex.engines.keeping.standing import explained
from recortex.engines.maintenance.due import DAY, WEEK
from recortex.engines.reviewing.questions import by_subject
from recortex.engines.supersession.renames import describe_rename
from recortex.engines.validation.healing import approved, flagged_for
from recortex.errors import InvalidInputError
from recortex.operations.agents import WAITING, check_decision
from recortex.operations.base import Operations, bounded
from recortex.operations.reasoning import LikelyCause, likely_cause
from recortex.operations.registry import operation

if TYPE_CHECKING:
    from recortex.app.store_services import StoreServices

PAIR = 2
Review = Literal["list", "approve", "reject", "replace", "both"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Contradiction:
    """Two active memories that cannot both hold, as far as words tell; the newer one comes first."""

    newer: Memory
    older: Memory
    evidence: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Flagged:
    """A memory that a validation flagged for a person, or that names what has another name; and why."""

    memory: Memory
    why: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reviewed:
    """Memories that wait for a person, or that were just decided about.

    Attributes:
        contradictions: pairs that cannot both hold.
        flagged: memories that a validation flagged, or that wait since a name in them changed.
        questions: of active memories that are in doubt; None where they were not asked for.
        causes: what may have led to what: `link` confirms it, `unlink` rejects it.
        leaving: proposals that leave this list within a week, since nobody looked at them; what was said
            stays among the exchanges.
        subjects: of a list, what each of the memories is about; those of one subject follow each other.
    """

    action: Review
    memories: tuple[Memory, ...]
    waiting: int
    contradictions: tuple[Contradiction, ...] = ()
    flagged: tuple[Flagged, ...] = ()
    questions: tuple[Question, ...] | None = None
    causes: tuple[LikelyCause, ...] = ()
    leaving: int = 0
    subjects: tuple[str, ...] = ()

    @property
    def groups(self) -> list[tuple[str, list[Memory]]]:
        """The memories of a list under what they are about."""
        told = groupby(zip(self.subjects, self.memories, strict=True), key=itemgetter(0))
        return [(subject, [one for _, one in some]) for subject, some in told]


class ReviewOperations(Operations):
    """review."""

    @operation(told=("action", "ids", "candidates"))
    def review(
        self,
        action: Review = "list",
        ids: Sequence[str] = (),
        *,
        candidates: bool = False,
        reason: str = "",
        limit: int = 20,
    ) -> Reviewed:
        """Decide about what waits for you: proposals, untrusted text, contradictions, flagged memories.

        Args:
            action: list what waits; approve it (it becomes active and more certain) or reject it (it is
                archived). Of two memories that contradict each other: replace (the first supersedes the
                second), or both (both hold).
            ids: ids of the memories to decide about, or their first characters.
            candidates: list active memories in doubt instead, each with a question; answer with `feedback`.
            reason: when you approve a convention of the code: why it is kept.
            limit: maximum number to list.
        """
        if reason and action != "approve":
            raise InvalidInputError("A reason is given with `approve`, for a convention.")
        if candidates:
            if action != "list":
                raise InvalidInputError("Candidates are listed; `recortex feedback ID` answers a question.")
            return replace(self._reviewed(action, ()), questions=self._questions(bounded(limit)))
        if action == "list":
            found = self._present(MemoryQuery(statuses=WAITING))
            grouped = [(subject, one) for subject, group in by_subject(found) for one in group]
            grouped = grouped[: bounded(limit)]
            waiting = [one for _, one in grouped]
            listed = self._reviewed(action, waiting, self._contradictions(limit), self._flagged(limit))
            return replace(
                listed,
                causes=self._causes(limit),
                leaving=self._leaving(),
                subjects=tuple(subject for subject, _ in grouped),
            )
        if action != "reject":
            check_decision(self._app)
        if action == "replace":
            return self._replace(ids)
        if action == "both":
            return self._both(ids)
        if not ids:
            raise InvalidInputError(
                f"Which memories to {action}?", hint="`recortex review list` shows their ids."
            )
        status = Status.ACTIVE if action == "approve" else Status.ARCHIVED
        located = [self._app.locate(id_) if reason else self._waits(id_) for id_ in ids]
        decided = [self._decide(services, memory, status, action, reason) for services, memory in located]
        return self._reviewed(action, decided)

    def _questions(self, limit: int) -> tuple[Question, ...]:
        """What to ask a person of active memories: those that are used most and least sure come first."""
        from recortex.app.doubts import doubted_in
        from recortex.engines.reviewing.questions import question

        found: list[Question] = []
        for services in self._app.all_services():
            first = doubted_in(services, self._app.clock(), limit)
            ids = [id_ for one in first for id_ in (one.id, one.against) if id_]
            shown = all_output_redacted(self._faded(services, services.store.memories.get(ids)))
            known = {memory.id: memory for memory in shown}
            found += [
                question(one, known[one.id], known.get(one.against)) for one in first if one.id in known
            ]
        return tuple(sorted(found, key=lambda one: -one.weight)[:limit])

    def _contradictions(self, limit: int) -> tuple[Contradiction, ...]:
        found = [
            (self._faded(services, services.store.memories.get([one.source_id, one.target_id])), one)
            for services in self._app.all_services()
            for one in services.store.relations.suggested(RelationType.CONTRADICTS, limit)
        ]
        pairs = [
            (all_output_redacted(sorted(pair, key=lambda memory: memory.valid_from)), one)
            for pair, one in found
            if len(pair) == PAIR
        ]
        return tuple(
            Contradiction(newer=newer, older=older, evidence=" ".join(one.evidence))
            for (older, newer), one in pairs[:limit]
        )

    def _causes(self, limit: int) -> tuple[LikelyCause, ...]:
        found = [
            likely
            for services in self._app.all_services()
            for type_ in sorted(CAUSAL)
            for one in services.store.relations.suggested(type_, limit)
            if (likely := likely_cause(services, one))
        ]
        return tuple(sorted(found, key=lambda one: -one.relation.strength)[:limit])

    def _flagged(self, limit: int) -> tuple[Flagged, ...]:
        renamed = [
            one
            for one in self._present(MemoryQuery(statuses=(Status.PROPOSED,)))
            if describe_rename(one.metadata)
        ]
        found = [*renamed, *self._present(MemoryQuery(tags=(FLAG,)))]
        shown = all_output_redacted(found[:limit])
        return tuple(
            Flagged(
                memory=memory,
                why=tuple(filter(None, (describe_rename(memory.metadata), *flagged_for(memory)))),
            )
            for memory in shown
        )

    def _leaving(self) -> int:
        """How many proposals the lifecycle puts away within a week."""
        at = to_micros(self._app.clock()) + WEEK * DAY
        return sum(
            len(services.store.statistics.unconfirmed(at - days * DAY))
            for services in self._app.all_services()
            if (days := services.settings["lifecycle.proposal_days"])
        )

    def _present(self, query: MemoryQuery) -> list[Memory]:
        """The memories of all stores that pass, with the confidence that is left now."""
        return [
            memory
            for services in self._app.all_services()
            for memory in self._faded(services, services.store.memories.find(query))
        ]

    def _replace(self, ids: Sequence[str]) -> Reviewed:
        """Let the first memory take the second one's place."""
        (services, new), (other, old) = self._pair(
            ids, "Which memory takes which one's place?", "`recortex review replace NEW OLD`"
        )
        if services is not other or new.id == old.id or old.status is not Status.ACTIVE:
            raise InvalidInputError("One active memory can replace another one of the same store.")
        services.ingestion.supersede(new, old, now=self._app.clock(), actor=self._app.actor)
        return self._reviewed("replace", services.store.memories.get([new.id, old.id]))

    def _both(self, ids: Sequence[str]) -> Reviewed:
        """Two that were taken for a contradiction both hold: they are related, and not asked about again."""
        from recortex.engines.supersession.service import record

        (services, one), (other, two) = self._pair(
            ids, "Which two memories both hold?", "`recortex review both ONE OTHER`"
        )
        ends, relations = {one.id, two.id}, services.store.relations
        with services.store.transaction():
            found = [
                each
                for each in relations.of([one.id])
                if each.type is RelationType.CONTRADICTS and {each.source_id, each.target_id} == ends
            ]
            if services is not other or not found:
                raise InvalidInputError(f"The memories {one.id} and {two.id} do not contradict each other.")
            for each in found:
                relations.remove(each.source_id, each.target_id, RelationType.CONTRADICTS)
                related = replace(
                    each,
                    type=RelationType.RELATED,
                    evidence=(*each.evidence, BOTH_HOLD),
                    status=RelationStatus.ACTIVE,
                    inferred=False,
                )
                relations.put(related)
            for id_ in sorted(ends):
                record(services.store, id_, "both", self._app.actor, self._app.clock(), {})
        return self._reviewed("both", [one, two])

    def _pair(self, ids: Sequence[str], question: str, hint: str) -> Sequence[tuple[StoreServices, Memory]]:
        if len(ids) != PAIR:
            raise InvalidInputError(question, hint=hint)
        return [self._app.locate(id_) for id_ in ids]

    def _reviewed(
        self,
        action: Review,
        memories: Sequence[Memory],
        contradictions: tuple[Contradiction, ...] = (),
        flagged: tuple[Flagged, ...] = (),
    ) -> Reviewed:
        waiting = sum(
            services.store.memories.count(MemoryQuery(statuses=WAITING))
            for services in self._app.all_services()
        )
        shown = all_output_redacted(memories)
        return Reviewed(
            action=action, memories=shown, waiting=waiting, contradictions=contradictions, flagged=flagged
        )

    def _waits(self, id_: str) -> tuple[StoreServices, Memory]:
        services, memory = self._app.locate(id_)
        doubted = FLAG in memory.tags or services.store.memories.verdicts([memory.id]).get(memory.id)
        if memory.status not in WAITING and not (memory.status is Status.ACTIVE and doubted):
            raise InvalidInputError(
                f"The memory {memory.id} is {memory.status.value}; it does not wait for review."
            )
        return services, memory

    def _decide(
        self, services: StoreServices, memory: Memory, status: Status, action: str, reason: str
    ) -> Memory:
        now = self._app.clock()
        decided = replace(explained(memory, reason) if reason else memory, status=status)
        if status is Status.ACTIVE:
            decided = approved(decided, cited_anew(services, memory), now)
        return services.ingestion.change(memory, decided, now=now, actor=self._app.actor, operation=action)
