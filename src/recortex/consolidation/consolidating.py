"""Plans consolidations of a store, and carries them out: each one a change that `undo` takes back whole."""

from __future__ import annotations

import uuid
from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from recortex.consolidation.clustering import MOST_POINTS
from recortex.consolidation.duplicates import settled_pairs
from recortex.consolidation.guard import SURE, sameness
from recortex.consolidation.phases import (
    EPISODE,
    SEMANTIC,
    USUAL,
    Apart,
    Group,
    Limits,
    Rarity,
    abstract,
    candidates,
    find,
    how_like,
    kept_by,
    passes,
    questions,
    selected,
    statement,
)
from recortex.domain.kinds import KINDS
from recortex.domain.memory import Memory
from recortex.domain.search import MemoryQuery
from recortex.domain.vocabulary import Actor, Origin, RelationType, Status
from recortex.engines.copies import alike
from recortex.engines.indexing import direction
from recortex.engines.supersession import insert_superseding, move_receipts, record
from recortex.errors import CausalCycleError, EmbeddingError, MemoryNotFoundError
from recortex.text.tokens import TokenCounter
from recortex.text.words import ENGLISH_MODEL, reads

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from datetime import datetime

    from recortex.app.application import StoreServices

EVENTS = 100
"""Consolidations after each of which the limits are tuned."""
_LARGEST, _TIGHTEST, _LOOSEST = 5, 0.9, 0.95
_TIGHTER, _LOOSER = 0.02, 0.02


class Target(NamedTuple):
    """From where to where a figure is good; None: no bound."""

    least: float | None
    most: float | None


TARGETS = {
    "precision": Target(0.7, None),
    "compression": Target(3.0, 5.0),
    "lift": Target(1.5, None),
    "contradictions": Target(None, 0.05),
    "stability": Target(0.85, None),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """One consolidation in figures.

    Attributes:
        sources: memories that it stands for.
        precision: the share of the sources' own questions that find it among the first ten.
        compression: tokens of the sources for each of its own.
        lift: the mean reciprocal rank for these questions, as a multiple of that of the sources before.
        stands: it was not taken back, replaced or rejected since.
        contradicted: a relation says that something contradicts it.
    """

    id: str
    sources: int
    precision: float
    compression: float
    lift: float
    stands: bool = True
    contradicted: bool = False


LIMITS = "limits"


def details(event: Event, limits: Limits = USUAL) -> dict[str, Any]:
    """What the audit log keeps of an event: figures, no text, and the limits as they were tuned by then."""
    return {
        "sources": event.sources,
        "precision": round(event.precision, 3),
        "compression": round(event.compression, 2),
        "lift": round(event.lift, 2),
        LIMITS: limits._asdict(),
    }


def averages(events: Sequence[Event]) -> dict[str, float]:
    """The five figures over some events; nothing where there are none."""
    if not events:
        return {}
    count = len(events)
    return {
        "precision": sum(one.precision for one in events) / count,
        "compression": sum(one.compression for one in events) / count,
        "lift": sum(one.lift for one in events) / count,
        "contradictions": sum(one.contradicted for one in events) / count,
        "stability": sum(one.stands for one in events) / count,
    }


def missed(found: Mapping[str, float]) -> list[str]:
    """The names of the figures that miss their targets."""
    return [
        name
        for name, target in TARGETS.items()
        if name in found
        and not (
            (target.least or 0.0) <= found[name] <= (target.most if target.most is not None else found[name])
        )
    ]


def tuned(events: Sequence[Event]) -> Limits:
    """The limits after some events: each hundred of them moves the limits a little, within bounds.

    It follows from the events alone, so that nothing else has to be kept.

    Args:
        events: in the order in which they happened.
    """
    # Whole hundreds only, as a few events say little, and each hundred is judged once.
    limits = USUAL
    for start in range(0, len(events) - EVENTS + 1, EVENTS):
        found = averages(events[start : start + EVENTS])
        wrong = set(missed(found))
        smallest, linked, novel = limits
        # All three say that too much was merged: clusters become larger at least, and sources must be more
        # alike.
        if wrong & {"precision", "stability", "contradictions"}:
            smallest = min(smallest + ("precision" in wrong), _LARGEST)
            linked = min(linked + _TIGHTER, _TIGHTEST)
        # Sentences are only kept more readily: a summary that leaves out too much is worse than a long one.
        if found["compression"] > (TARGETS["compression"].most or 0.0):
            novel = min(novel + _LOOSER, _LOOSEST)
        limits = Limits(smallest, linked, novel)
    return limits


# -- plans consolidations of a store, and carries them out: each one a change that `undo` takes back whole


MOST_GROUPS, MOST_LOOKED = 30, 500
"""Groups of one run, each of which asks the store some questions, and those that are abstracted for them."""
AMONG = 10
"""A source must be among so many answers, or among as many as the group has."""
NEAREST = 5
"""Memories that may say already what a group does."""
MEASURED = "measured"
"""The audit log's name for the figures of a consolidation."""
Result = Literal["strengthened", "updated", "created"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """What would stand for a group.

    Attributes:
        successor: with the words that were selected.
        sources: the anchor first.
        likeness: the least of a source with the anchor.
        result: strengthened: the sources are near-copies, and no text is made; updated: a memory that says it
            already gets their evidence; created: they say it in other words, or add to each other.
        asked: what each source had to be found by.
        refused: why it is not carried out; empty where nothing speaks against it.
        limits: by which the group was found.
        polished: a language model put the selected sentences into other words.
    """

    successor: Memory
    sources: tuple[Memory, ...]
    likeness: float
    result: Result
    asked: tuple[str, ...] = ()
    refused: str = ""
    limits: Limits = USUAL
    polished: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What a consolidation would do in one store.

    Attributes:
        candidates: memories that were looked at.
        pending: those that no group took: they stay as they are.
        apart: pairs that look alike and differ, with the reason.
        limits: as they were tuned.
    """

    proposals: tuple[Proposal, ...] = ()
    apart: tuple[Apart, ...] = ()
    candidates: int = 0
    pending: int = 0
    limits: Limits = USUAL


class _LostError(Exception):
    """A successor that its sources' questions do not find: the change is taken back."""


class Consolidating:
    """Consolidates one store.

    Args:
        services: the store's.
        now: when.
        actor: on whose behalf.
        new_id: makes the ids of successors.
    """

    def __init__(
        self,
        services: StoreServices,
        *,
        now: datetime,
        actor: Actor,
        new_id: Callable[[], str] = lambda: str(uuid.uuid4()),
    ) -> None:
        self._services, self._store = services, services.store
        self._now, self._actor, self._new_id = now, actor, new_id
        self._count = TokenCounter().count

    def plan(self) -> Plan:
        """What would be done, the likest groups first; nothing is written but vectors that were missing."""
        # The same number of each kind: otherwise a kind with many memories, such as indexed code, would
        # leave no place for the others.
        latest = (
            self._store.memories.find(MemoryQuery(kinds=(kind,), order="recorded", limit=MOST_POINTS))
            for kind in KINDS
        )
        lists = candidates((one for some in latest for one in some), self._now)
        limits = tuned(list(self.events()))
        found = [(find(some, codes, limits), codes) for some in lists for codes in [self._codes(some)]]
        # Counted over all candidates: within one group every word is frequent.
        rarity = Rarity(statement(one) for some in lists for one in some)
        groups = sorted(
            ((group, codes) for one, codes in found for group in one.groups),
            # The likest first: a run ends after a number of groups, and what it does should be the surest.
            key=lambda pair: (-pair[0].likeness, pair[0].anchor.id),
        )
        proposed = (self._proposed(*group, rarity, limits) for group in groups[:MOST_LOOKED])
        proposals = tuple(islice(filter(None, proposed), MOST_GROUPS))
        every = {one.id for some in lists for one in some}
        return Plan(
            proposals=proposals,
            apart=tuple(pair for one, _ in found for pair in one.apart.values()),
            candidates=len(every),
            pending=len(every - {each.id for one in proposals for each in one.sources}),
            limits=limits,
        )

    def reworded(self, proposal: Proposal, text: str) -> Proposal:
        """A proposal whose successor says it in other words."""
        anchor, *others = proposal.sources
        group = Group(anchor=anchor, others=tuple(others), likeness=proposal.likeness)
        made = abstract(
            group,
            text,
            id_=self._new_id(),
            person=self._actor is Actor.USER,
            now=self._now,
            count=self._count,
        )
        return replace(proposal, successor=made, polished=True)

    def carry_out(self, proposal: Proposal) -> Event | None:
        """Put a successor in the place of its sources; None where it is not found, or where they changed.

        The successor has its vector and is found before its sources end, in one transaction.
        """
        # The sources' own questions are asked before and after, for the figures by which the limits are
        # tuned.
        sources, asked = (
            proposal.sources,
            [*proposal.asked, *(one.content.statement() for one in proposal.sources)],
        )
        before = {question: self._ids(question, len(sources)) for question in asked}
        made = proposal.successor
        try:
            # All or nothing: a successor that is not found takes back the end of its sources, their
            # receipts and its vector with it.
            with self._store.transaction():
                insert_superseding(
                    self._store,
                    made,
                    sources,
                    actor=self._actor,
                    operation="consolidate",
                    now=self._now,
                    details={"of": [one.id for one in sources]},
                )
                move_receipts(self._store, made, sources, self._actor, self._now)
                # A successor without a vector could not be found by meaning, and would fail its own check.
                self._services.embedding.embed([made])
                after = {question: self._ids(question, len(sources)) for question in asked}
                # Only the key phrases decide. What the sources were worded as is asked for the figures
                # alone.
                _check({one: after[one] for one in proposal.asked}, made)
                event = _measured(made, sources, before, after)
                record(
                    self._store, made.id, MEASURED, self._actor, self._now, details(event, proposal.limits)
                )
        # Since the plan was made, a person may have erased or replaced a source.
        except (_LostError, MemoryNotFoundError, CausalCycleError):
            return None
        return event

    def events(self) -> Iterator[Event]:
        """The consolidations that happened, oldest first, with what became of them."""
        made = self._store.memories.find(
            MemoryQuery(
                statuses=tuple(Status), origins=(Origin.CONSOLIDATION,), order="recorded", descending=False
            )
        )
        for one in made:
            kept = next(
                (each for each in self._store.ledger.entries(one.id) if each.operation == MEASURED), None
            )
            if kept is None:
                continue  # two that a person merged
            touching = self._store.relations.find_touching([one.id])
            figures = {name: value for name, value in kept.details.items() if name != LIMITS}
            yield Event(
                id=one.id,
                stands=one.status is Status.ACTIVE,
                contradicted=any(each.type is RelationType.CONTRADICTS for each in touching),
                **figures,
            )

    def _codes(self, memories: Sequence[Memory]) -> Mapping[str, bytes]:
        """The vectors of some memories; missing ones are made, as far as they can be."""
        wanted = self._services.embedding.wanted
        if not wanted:
            return {}
        ids = [one.id for one in memories]
        codes = self._store.vectors.codes_of(ids, wanted)
        if missing := [one for one in memories if one.id not in codes]:
            self._services.embedding.embed(missing)
            codes = self._store.vectors.codes_of(ids, wanted)
        return codes

    def _proposed(
        self, found: Group, codes: Mapping[str, bytes], rarity: Rarity, limits: Limits
    ) -> Proposal | None:
        sure = self._sure(found, codes)
        if len(sure) + 1 < limits.smallest:
            return None
        # A group may have lost members that only looked alike, and is then too small.
        group = replace(found, others=sure)
        known = kept_by(group, self._known(group.anchor, codes))
        updates = known is not group
        text = selected(known, codes, rarity, limits.novel)
        if not updates and not self._shorter(text, known):
            # The longest may hold what the others add.
            first, *others = sorted(known.sources, key=lambda one: (-len(statement(one)), one.id))
            known = Group(anchor=first, others=tuple(others), likeness=group.likeness)
            text = selected(known, codes, rarity, limits.novel)
        # A summary as long as its sources would save nothing, and lose where each piece came from.
        if not self._shorter(text, known):
            return None
        made = abstract(
            known,
            text,
            id_=self._new_id(),
            person=self._actor is Actor.USER,
            now=self._now,
            count=self._count,
        )
        asked = questions(group, rarity)
        # Only near-copies are merged without a person: of them the fewest only look alike.
        copies = all(alike(statement(group.anchor), statement(one)) for one in group.others)
        result: Result = "updated" if updates else "strengthened" if copies else "created"
        return Proposal(
            successor=made,
            sources=known.sources,
            likeness=group.likeness,
            result=result,
            asked=tuple(asked),
            refused=self._unfound(known, asked, codes),
            limits=limits,
        )

    def _shorter(self, text: str, group: Group) -> bool:
        return self._count(text) < sum(self._count(statement(one)) for one in group.sources)

    def _known(self, anchor: Memory, codes: Mapping[str, bytes]) -> Iterator[tuple[float, Memory]]:
        """Knowledge that may say already what an episode tells."""
        wanted = self._services.embedding.wanted
        # Knowledge of other kinds is compared with its like when the groups are made.
        if anchor.kind != EPISODE or anchor.id not in codes:
            return
        only = MemoryQuery(kinds=(SEMANTIC,))
        near = self._store.search.nearest(direction(codes[anchor.id]), NEAREST, only, wanted)
        found = list(self._store.search.memories(near).values())
        both = {**codes, **self._store.vectors.codes_of([one.id for one in found], wanted)}
        yield from ((how_like(anchor, one, both), one) for one in found)

    def _sure(self, group: Group, codes: Mapping[str, bytes]) -> tuple[Memory, ...]:
        """The sources that surely say what the anchor does: near-copies, and what two models read so.

        Without the model of changes of mind, and of languages that it does not read, only near-copies do.
        """
        said = statement(group.anchor)
        settled = settled_pairs(self._store.relations.find_touching([one.id for one in group.sources]))
        sure: list[Memory] = []
        for one in group.others:
            if any(frozenset((one.id, each.id)) in settled for each in (group.anchor, *sure)):
                continue  # a person said that both hold
            if alike(said, statement(one)) or self._same(
                said, statement(one), how_like(group.anchor, one, codes)
            ):
                sure.append(one)
        return tuple(sure)

    def _same(self, said: str, other: str, like: float) -> bool:
        reader = self._services.change_reader
        if reader is None or not (reads(ENGLISH_MODEL, said) and reads(ENGLISH_MODEL, other)):
            return False
        # The model of changes of mind takes milliseconds for each pair. At its best answer, 1.0, the
        # regression is as sure as it can become: below the limit even so, it need not be asked.
        if sameness(said, other, like, 1.0) < SURE:
            return False  # whatever the model would say
        try:
            # Asked in both orders, as the model reads them as earlier and later, which these two are not.
            chances = reader.chances([(said, other), (other, said)])
        except EmbeddingError:
            return False
        return sameness(said, other, like, max(one.stays for one in chances)) >= SURE

    def _unfound(self, group: Group, asked: Sequence[str], codes: Mapping[str, bytes]) -> str:
        """The recall gate: why a source is not found by the group's own words; empty where all are."""
        ids = [one.id for one in group.sources]
        found = {question: self._ids(question, len(ids)) for question in asked}
        lost = passes(found, ids)
        # A memory may be too new to have its vector: before a group is refused for it, the vector is made.
        if missing := [one for one in group.sources if one.id in lost and one.id not in codes]:
            self._services.embedding.embed(missing)
            found = {question: self._ids(question, len(ids)) for question in asked}
            lost = passes(found, ids)
        return f"{lost[0][:8]} is not found by its own words" if lost else ""

    def _ids(self, question: str, size: int) -> list[str]:
        """The ids that answer a question, best first."""
        try:
            found = self._services.retrieval.recall(
                question,
                limit=max(AMONG, size),
                now=self._now,
                only=MemoryQuery(statuses=(Status.ACTIVE,)),
                # The floor hides weak answers from a reader. Here the place among all answers is what
                # counts.
                floor=False,
            )
        except EmbeddingError:
            return []
        return [hit.memory.id for hit in found.hits]


def _check(found: Mapping[str, Sequence[str]], made: Memory) -> None:
    if passes(found, [made.id]):
        raise _LostError


def _measured(
    made: Memory,
    sources: Sequence[Memory],
    before: Mapping[str, Sequence[str]],
    after: Mapping[str, Sequence[str]],
) -> Event:
    ids = {one.id for one in sources}
    ranks = [
        # The best place of any source: a successor has to be found as well as the best of them was.
        next((1 / place for place, id_ in enumerate(found, 1) if id_ in ids), 0.0)
        for found in before.values()
    ]
    now = [1 / (found.index(made.id) + 1) if made.id in found else 0.0 for found in after.values()]
    return Event(
        id=made.id,
        sources=len(sources),
        precision=sum(map(bool, now)) / max(len(now), 1),
        compression=sum(one.tokens for one in sources) / max(made.tokens, 1),
        lift=sum(now) / sum(ranks) if any(ranks) else 1.0,
    )
