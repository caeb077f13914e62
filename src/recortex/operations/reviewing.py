"""Looking after what is known: review, validate."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Literal

from recortex.app.jobs.validation import cited_anew, validate
from recortex.domain.kinds import KINDS
from recortex.domain.memory import BOTH_HOLD, CAUSAL, Memory, Relation, order
from recortex.domain.reports import FLAG, Issue, Question, State
from recortex.domain.search import MemoryQuery
from recortex.domain.text import to_micros
from recortex.domain.vocabulary import Origin, RelationStatus, RelationType, Status
from recortex.engines.maintenance import DAY, WEEK
from recortex.engines.privacy import all_output_redacted, output_redacted
from recortex.engines.supersession.reading import describe_rename
from recortex.engines.validation import approved, by_subject, flagged_for, question
from recortex.errors import InvalidInputError
from recortex.lean import Value, lazy_module
from recortex.operations.agents import WAITING, check_decision
from recortex.operations.base import Operations, bounded
from recortex.operations.registry import operation
from recortex.plugins import capabilities, load

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from recortex.app import changes, last_sessions
    from recortex.app.application import StoreServices
    from recortex.app.jobs import running as job_running
    from recortex.app.jobs import table as job_table
    from recortex.app.jobs.validation import Mend, Validated
    from recortex.engines import supersession
else:
    changes = lazy_module("recortex.app.changes")
    last_sessions = lazy_module("recortex.app.last_sessions")
    job_running = lazy_module("recortex.app.jobs.running")
    job_table = lazy_module("recortex.app.jobs.table")
    supersession = lazy_module("recortex.engines.supersession")


PAIR = 2
Review = Literal["list", "approve", "reject", "replace", "both"]


class Contradiction(Value, frozen=True, kw_only=True):
    """Two active memories that cannot both hold, as far as words tell; the newer one comes first."""

    newer: Memory
    older: Memory
    evidence: str = ""


class Flagged(Value, frozen=True, kw_only=True):
    """A memory that a validation flagged for a person, or that names what has another name; and why."""

    memory: Memory
    why: tuple[str, ...]


class Undecided(Value, frozen=True, kw_only=True):
    """Something else that waits for a person.

    Attributes:
        id: of the memory.
        what: is undecided.
        choices: what is to be chosen from, the one that holds now first.
        versions: of each choice, what `recortex sync resolve ID --keep` takes.
        how: the command that decides.
    """

    id: str
    what: str
    choices: tuple[str, ...]
    versions: tuple[str, ...]
    how: str


class Reviewed(Value, frozen=True, kw_only=True):
    """Memories that wait for a person, or that were just decided about.

    Attributes:
        contradictions: pairs that cannot both hold.
        flagged: memories that a validation flagged, or that wait since a name in them changed.
        questions: of active memories that are in doubt; None where they were not asked for.
        causes: what may have led to what: `link` confirms it, `unlink` rejects it.
        leaving: proposals that leave this list within a week, since nobody looked at them; what was said
            stays among the exchanges.
        undecided: what else waits, such as versions of one memory by two people.
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
    undecided: tuple[Undecided, ...] = ()
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
        limit: int = 20,
    ) -> Reviewed:
        """Decide about what waits for you: proposals, untrusted text, contradictions, flagged memories.

        Args:
            action: list what waits; approve it (it becomes active and more certain) or reject it (it is
                archived). Of two memories that contradict each other, or look alike: replace (the first
                supersedes the second), or both (both hold).
            ids: ids of the memories to decide about, or their first characters.
            candidates: list active memories in doubt instead, each with a question; answer with `feedback`.
            limit: maximum number to list.
        """
        if candidates:
            if action != "list":
                raise InvalidInputError("Candidates are listed; `recortex feedback ID` answers a question.")
            return replace(self._reviewed(action, ()), questions=self._questions(bounded(limit)))
        if action == "list":
            # All that waits is read before the limit, so that memories about one subject stay together.
            found = self._present(MemoryQuery(statuses=WAITING))
            grouped = [(subject, one) for subject, group in by_subject(found) for one in group]
            grouped = grouped[: bounded(limit)]
            waiting = [one for _, one in grouped]
            listed = self._reviewed(action, waiting, self._contradictions(limit), self._flagged(limit))
            # How many proposals the lifecycle puts away within a week
            at = to_micros(self._app.clock()) + WEEK * DAY
            return replace(
                listed,
                causes=self._causes(limit),
                undecided=tuple(
                    each
                    for one in capabilities()
                    if one.waiting
                    for each in load(one.waiting)(self._app, limit)
                ),
                leaving=sum(
                    len(services.store.statistics.unconfirmed(at - days * DAY))
                    for services in self._app.all_services()
                    if (days := services.settings["lifecycle.proposal_days"])
                ),
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
        # All are found before one is decided: an id that fits nothing leaves everything as it was.
        located = list(map(self._waits, ids))
        decided = [self._decide(services, memory, status, action) for services, memory in located]
        return self._reviewed(action, decided)

    def _questions(self, limit: int) -> tuple[Question, ...]:
        """What to ask a person of active memories: those that are used most and least sure come first."""
        found: list[Question] = []
        for services in self._app.all_services():
            first = last_sessions.doubted_in(services, self._app.clock(), limit)
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
            # The other memory may be gone.
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

    def _replace(self, ids: Sequence[str]) -> Reviewed:
        """Let the first memory take the second one's place."""
        (services, new), (other, old) = self._pair(
            ids, "Which memory takes which one's place?", "`recortex review replace NEW OLD`"
        )
        # Two stores have no relations between them.
        if services is not other or new.id == old.id or old.status is not Status.ACTIVE:
            raise InvalidInputError("One active memory can replace another one of the same store.")
        services.ingestion.supersede(new, old, now=self._app.clock(), actor=self._app.actor)
        return self._reviewed("replace", services.store.memories.get([new.id, old.id]))

    def _both(self, ids: Sequence[str]) -> Reviewed:
        """Two that seemed to contradict or repeat each other both hold; nobody is asked again."""
        (services, one), (other, two) = self._pair(
            ids, "Which two memories both hold?", "`recortex review both ONE OTHER`"
        )
        if services is not other or one.id == two.id:
            raise InvalidInputError("Both have to be memories of the same store.")
        ends, relations, now = {one.id, two.id}, services.store.relations, self._app.clock()
        with services.store.transaction():
            touching = relations.find_touching([one.id])
            between = [each for each in touching if {each.source_id, each.target_id} == ends]
            found = [each for each in between if each.type is RelationType.CONTRADICTS]
            found = found or [each for each in between if each.type is RelationType.RELATED]
            for each in found or [Relation(one.id, two.id, RelationType.RELATED, now)]:
                relations.remove(each.source_id, each.target_id, RelationType.CONTRADICTS)
                related = replace(
                    each,
                    type=RelationType.RELATED,
                    evidence=tuple(dict.fromkeys((*each.evidence, BOTH_HOLD))),
                    status=RelationStatus.ACTIVE,
                    inferred=False,
                )
                relations.put(related)
            for id_ in sorted(ends):
                supersession.record(services.store, id_, "both", self._app.actor, now, {})
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
        # An active memory waits only where a validation found something.
        if memory.status not in WAITING and not (memory.status is Status.ACTIVE and doubted):
            raise InvalidInputError(
                f"The memory {memory.id} is {memory.status.value}; it does not wait for review."
            )
        return services, memory

    def _decide(self, services: StoreServices, memory: Memory, status: Status, action: str) -> Memory:
        now = self._app.clock()
        decided = replace(memory, status=status)
        if status is Status.ACTIVE:
            # Whoever approves has read the code as it is now: it is cited anew.
            decided = approved(decided, cited_anew(services, memory), now)
        return self._changed(services, memory, decided, action)


# -- whether what is known still holds: validate


ValidationScope = Literal["all", "stale", "recent"]
CANDIDATES = 100
"""Memories in doubt that are validated at once."""
UNSURE, RECENT = 0.7, timedelta(days=7)
"""What is stale has at most so much confidence, what is recent at most that age."""


class Finding(Value, frozen=True, kw_only=True):
    """What was found of a memory.

    Attributes:
        text: what it says, in a line.
        state: stale, flagged for a person, or valid.
        score: the mean of four dimensions, 0 to 1.
        confidence: what is left of it now.
        issues: what speaks against it, the gravest first.
        done: how it was healed; `undo` takes that back.
    """

    id: str
    kind: str
    text: str
    state: State
    score: float
    confidence: float
    issues: tuple[Issue, ...] = ()
    done: tuple[str, ...] = ()


class Validation(Value, frozen=True, kw_only=True):
    """What a validation found, the gravest first.

    Attributes:
        total: memories that were validated.
        valid, stale, flagged: how many are each.
        healed: how many were healed.
        more: findings that are not shown.
    """

    scope: ValidationScope
    total: int = 0
    valid: int = 0
    stale: int = 0
    flagged: int = 0
    healed: int = 0
    findings: tuple[Finding, ...] = ()
    more: int = 0


class ValidationOperations(Operations):
    """validate."""

    @operation(idempotent=True, told=("ids", "scope", "heal"))
    def validate(
        self,
        ids: Sequence[str] = (),
        *,
        scope: ValidationScope = "all",
        heal: bool = False,
        candidates: bool = False,
        limit: int = 20,
    ) -> Validation:
        """Check whether memories still hold: against code, calendar, each other and patterns.

        Args:
            ids: only these memories.
            scope: stale: uncertain or long unchecked; recent: of the last week.
            heal: also repair what is found: follow moved code, lower confidence, archive, or flag; an agent
                only follows and flags.
            candidates: only the memories in doubt that matter most, which `review --candidates` asks about.
            limit: maximum number of findings to show.
        """
        bounded(limit)
        now = self._app.clock()
        # An agent only follows and flags, and comparing may end a memory.
        if heal and not self._app.limited:
            self._compare_new()
        mend: Mend | None = None if not heal else "safe" if self._app.limited else "all"
        found: list[Validated] = []
        for services, memories in self._doubted(now) if candidates else self._chosen(ids, scope, now):
            for chunk in validate(services, memories, now, mend=mend):
                found += chunk
                self._app.progress("validating", len(found), len(memories))
            changed = [one.healed.memory for one in found if one.healed.done]
            services.embedding.embed(
                [one for one in changed if one.scope is services.scope or not services.scope]
            )
        counts = Counter(one.verdict.state for one in found)
        told = [one for one in found if one.verdict.issues or one.healed.done]
        order: tuple[State, ...] = ("flagged", "stale", "valid")
        # What a person has to decide comes first, then the lowest score.
        told.sort(key=lambda one: (order.index(one.verdict.state), one.verdict.score))
        return Validation(
            scope=scope,
            total=len(found),
            valid=counts["valid"],
            stale=counts["stale"],
            flagged=counts["flagged"],
            healed=sum(bool(one.healed.done) for one in found),
            findings=tuple(map(_finding, told[:limit])),
            more=max(0, len(told) - limit),
        )

    def _compare_new(self) -> None:
        """Compare memories that no job has compared with the others yet: a store may never see a session.

        This may end the earlier of two, as the job does, and is therefore part of repairing.
        """
        for services in self._app.all_services():
            if not services.store.unwritable and changes.unread(services):
                job_running.run(services, self._app.clock, self._app.settings, [job_table.CHANGES])

    def _doubted(self, now: datetime) -> list[tuple[StoreServices, list[Memory]]]:
        """The memories that a person would be asked about, by store."""
        chosen = []
        for services in self._app.all_services():
            ids = [one.id for one in last_sessions.doubted_in(services, now, CANDIDATES)]
            chosen.append((services, list(services.store.memories.get(ids))))
        return chosen

    def _chosen(
        self, ids: Sequence[str], scope: ValidationScope, now: datetime
    ) -> list[tuple[StoreServices, list[Memory]]]:
        """The memories to validate, by store."""
        if ids:
            located = [self._app.locate(id_) for id_ in ids]
            stores = list(dict.fromkeys(services for services, _ in located))
            return [(one, [memory for services, memory in located if services is one]) for one in stores]
        since = now - RECENT if scope == "recent" else None
        query = MemoryQuery(recorded_after=since, order="recorded", descending=False)
        chosen = []
        for services in self._app.all_services():
            found = [one for one in services.store.memories.find(query) if _own(one)]
            chosen.append((services, self._stale(services, found, now) if scope == "stale" else found))
        return chosen

    def _stale(self, services: StoreServices, memories: Sequence[Memory], now: datetime) -> list[Memory]:
        """Those of which little confidence is left, or that nobody has validated for long."""
        left = {one.id: one.confidence for one in self._faded(services, memories)}

        def overdue(memory: Memory) -> bool:
            every = timedelta(days=KINDS[memory.kind].revalidate_days)
            return now - max(memory.validated_at or memory.recorded_at, memory.recorded_at) > every

        return [one for one in memories if left[one.id] <= UNSURE or overdue(one)]


def _own(memory: Memory) -> bool:
    """Whether a memory is not only the project's own files, which are read anew, nor the code of another."""
    return memory.origin is not Origin.REPOSITORY and memory.kind != "code"


def _finding(one: Validated) -> Finding:
    memory = output_redacted(one.healed.memory)
    return Finding(
        id=memory.id,
        kind=memory.kind,
        text=memory.summary or memory.text,
        state=one.verdict.state,
        score=one.verdict.score,
        confidence=round(one.subject.confidence, 4),
        issues=one.verdict.issues,
        done=one.healed.done,
    )


# -- what led to what, as sessions let it be inferred: infer


SECONDS = 20.0
"""How long one call goes on: a later one begins anew and finds what is kept already."""


class LikelyCause(Value, frozen=True, kw_only=True):
    """A relation that was inferred, with its cause and effect; its evidence says why."""

    cause: Memory
    effect: Memory
    relation: Relation


class Inference(Value, frozen=True, kw_only=True):
    """What was inferred and is new, the surest first.

    Attributes:
        found: how many relations, of which `causes` may show only some.
        partly: the time was up before all sessions were read.
    """

    causes: tuple[LikelyCause, ...] = ()
    found: int = 0
    partly: bool = False
    dry_run: bool = False


class InferenceOperations(Operations):
    """infer."""

    @operation(idempotent=True, person=True)
    def infer(self, id: str = "", *, dry_run: bool = False, limit: int = 50) -> Inference:  # noqa: A002
        """Infer from sessions what led to what; each relation is a suggestion until a person confirms it.

        Args:
            id: id of a memory, or its first characters: look only at its session and what it is related to.
            dry_run: only show what would be inferred.
            limit: maximum number of relations to show.
        """
        until, most = time.monotonic() + SECONDS, bounded(limit)
        found: list[tuple[StoreServices, Relation]] = []
        partly = False
        if id:
            services, memory = self._app.locate(id)
            near = {one.other(memory.id) for one in services.store.relations.find_touching([memory.id])}
            found = self._kept(
                services, [(memory.source.session, [memory.id, *sorted(near)])], dry_run, None
            )[0]
        else:
            for services in self._app.all_services():
                sessions = [(session, list[str]()) for session in services.store.memories.sessions()]
                some, stopped = self._kept(services, sessions, dry_run, until)
                found, partly = found + some, partly or stopped
        found.sort(key=lambda one: -one[1].strength)
        return Inference(
            causes=tuple(filter(None, (likely_cause(*one) for one in found[:most]))),
            found=len(found),
            partly=partly,
            dry_run=dry_run,
        )

    def _kept(
        self,
        services: StoreServices,
        sessions: Iterable[tuple[str, list[str]]],
        dry_run: bool,
        until: float | None,
    ) -> tuple[list[tuple[StoreServices, Relation]], bool]:
        now, common = self._app.clock(), changes.common_in(services)
        kept: list[Relation] = []
        for session, also in sessions:
            inferred = changes.inferred_in_session(services, session, common, now, also=also)
            if inferred:
                kept += (changes.new_ones if dry_run else changes.keep_inferred)(services, inferred)
            if until is not None and time.monotonic() > until:
                return [(services, one) for one in kept], True
        return [(services, one) for one in kept], False


def likely_cause(services: StoreServices, relation: Relation) -> LikelyCause | None:
    """A causal relation with both its ends as they are shown; None where one is gone."""
    ends = order(relation) or ("", "")
    known = {one.id: output_redacted(one) for one in services.store.memories.get(list(ends))}
    if known.keys() != {*ends}:
        return None
    return LikelyCause(cause=known[ends[0]], effect=known[ends[1]], relation=relation)
