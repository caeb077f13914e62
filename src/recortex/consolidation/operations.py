"""Saying once what was said several times: consolidate."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal

from recortex.app.diagnosis import record_search
from recortex.consolidation.consolidating import Consolidating, Plan, Proposal, averages, missed
from recortex.consolidation.duplicates import Consolidation, Duplicate, Duplicates, comparable
from recortex.consolidation.phases import LEAST, grounded, statement
from recortex.domain.memory import Memory
from recortex.domain.vocabulary import Actor
from recortex.engines.exchanges import sentences
from recortex.engines.privacy import all_output_redacted, output_redacted
from recortex.engines.similarity import contradiction
from recortex.engines.supersession import insert_superseding, move_receipts
from recortex.errors import CorruptStoreError, EmbeddingError, InvalidInputError, PersonNeededError
from recortex.operations.agents import weighty
from recortex.operations.base import Operations, bounded, filled
from recortex.operations.registry import operation
from recortex.text.tokens import TokenCounter

if TYPE_CHECKING:
    from recortex.app.application import StoreServices

Action = Literal["list", "merge", "plan", "run", "metrics"]

CONSOLIDATING_PAIR = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class DuplicatePair:
    """Two memories that may say the same.

    Attributes:
        better: the one whose words a merge keeps, unless it is given a text.
        score: the stronger likeness, 0 to 1.
        words: their overlap of words (Jaccard).
        meaning: the cosine of their vectors; None where it is not high or was not looked at.
        why: what speaks for a merge.
        contradiction: why they may say opposite things; empty where nothing shows it.
    """

    better: Memory
    other: Memory
    score: float
    words: float
    meaning: float | None
    why: str
    contradiction: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Merged:
    """A memory that stands for several, or would.

    Attributes:
        memory: with sentences of its sources, as they were.
        sources: what it replaces, the one whose words it keeps first.
        result: strengthened: they are near-copies; updated: one of them said it already; created:
        they say it in
            other words, or add to each other.
        likeness: the least of a source with the first one, 0 to 1.
        asked: what each source had to be found by before.
        refused: why it is not merged; empty where it is, or would be.
        polished: a language model put the sentences into other words, and says the same.
    """

    memory: Memory
    sources: tuple[Memory, ...]
    result: Literal["strengthened", "updated", "created"]
    likeness: float
    asked: tuple[str, ...] = ()
    refused: str = ""
    polished: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Differing:
    """Two memories that look alike and are not merged, with the reason in words."""

    one: Memory
    other: Memory
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Consolidated:
    """Pairs that may be merged, a merged memory, what a consolidation does, or what it was worth.

    Attributes:
        total: how many pairs there are in all; of a plan, the memories that were looked at.
        complete: False where the store is too large for every pair to be looked at.
        merged: what stands for both now; in a dry run, what would.
        superseded: the two that it replaces.
        backup: the copy of the store that was made before.
        groups: of a plan, what would stand for several memories; of a run, what does.
        apart: pairs that look alike and differ.
        pending: memories that stay as they are.
        metrics: means over all consolidations: precision, compression, lift, contradictions, stability.
        missed: those of them that miss their targets.
        events: how many consolidations these are.
    """

    action: Action
    pairs: tuple[DuplicatePair, ...] = ()
    total: int = 0
    complete: bool = True
    merged: Memory | None = None
    superseded: tuple[Memory, ...] = ()
    backup: str = ""
    dry_run: bool = False
    groups: tuple[Merged, ...] = ()
    apart: tuple[Differing, ...] = ()
    pending: int = 0
    metrics: dict[str, float] = field(default_factory=dict)
    missed: tuple[str, ...] = ()
    events: int = 0


class ConsolidationOperations(Operations):
    """consolidate."""

    @operation(destructive=True, listing=("list", "plan", "metrics"))
    def consolidate(
        self,
        action: Action = "list",
        ids: Sequence[str] = (),
        *,
        text: str = "",
        limit: int = 20,
        dry_run: bool = False,
    ) -> Consolidated:
        """Show memories that may say the same, merge two of them, or all that surely do.

        `plan` shows groups that one memory can stand for, and look-alikes; `run` merges the groups. A backup
        is made first; undo the merged memory to take it back.

        Args:
            action: list pairs, merge two, plan or run a consolidation, or show metrics.
            ids: the two to merge, or some of the groups that a run merges.
            text: the merged text; by default that of the better one.
            limit: most pairs to list.
            dry_run: only show the merged memory.
        """
        if action == "list":
            return self._pairs(bounded(limit), dry_run=dry_run)
        if action == "metrics":
            return self._metrics()
        if action != "merge":
            return self._consolidate(ids, bounded(limit), dry_run=dry_run or action == "plan")
        services, a, b = self._two(ids)
        if self._app.limited and (weighty(a) or weighty(b)):
            raise PersonNeededError("Only the person merges global, pinned or critical memories.")
        against = contradiction(a.text, b.text)
        if against and not text.strip():
            raise InvalidInputError(
                f"The two may contradict each other: {against}.", hint="Say with --text what holds."
            )
        return self._merge(services, a, b, text, dry_run=dry_run)

    def _consolidate(self, ids: Sequence[str], limit: int, *, dry_run: bool) -> Consolidated:
        """What would be merged, or was."""
        chosen = {self._app.locate(id_)[1].id for id_ in ids}
        groups: list[Merged] = []
        plans: list[Plan] = []
        backups: list[str] = []
        for services in self._app.all_services():
            engine = self._consolidating(services)
            plans.append(plan := engine.plan())
            wanted = [
                one for one in plan.proposals if not chosen or chosen & {each.id for each in one.sources}
            ]
            wanted = [self._allowed(one) for one in wanted[:limit]]
            if not dry_run and any(not one.refused for one in wanted):
                backups.append(str(services.store.backups.make(self._app.clock(), reason="before-merge")))
                wanted = [self._carried_out(engine, one) for one in wanted]
                record_search(services.store, self._app.clock(), len(wanted))
            groups += map(_merged, wanted)
        return Consolidated(
            action="plan" if dry_run else "run",
            groups=tuple(groups),
            apart=tuple(
                Differing(one=output_redacted(each.one), other=output_redacted(each.other), why=each.why)
                for plan in plans
                for each in plan.apart
            )[:limit],
            total=sum(plan.candidates for plan in plans),
            pending=sum(plan.pending for plan in plans),
            backup="\n".join(backups),
            dry_run=dry_run,
        )

    def _allowed(self, proposal: Proposal) -> Proposal:
        """A proposal that only a person may carry out is refused to an agent."""
        if not proposal.refused and self._app.limited and any(map(weighty, proposal.sources)):
            return replace(proposal, refused="only the person merges global, pinned or critical memories")
        return proposal

    def _carried_out(self, engine: Consolidating, proposal: Proposal) -> Proposal:
        if proposal.refused:
            return proposal
        better = self._polished(engine, proposal)
        if better and engine.carry_out(better):
            return better
        if engine.carry_out(proposal):
            return proposal
        return replace(proposal, refused="the merged memory would not be found by its sources' words")

    def _polished(self, engine: Consolidating, proposal: Proposal) -> Proposal | None:
        """A text of several sources as the language model words it, where one is set and says the same."""
        selected = statement(proposal.successor)
        said = list(sentences(selected))
        adviser = self._app.adviser if proposal.result == "created" and len(said) >= LEAST else None
        text = grounded(adviser.polish(said), said) if adviser else ""
        return engine.reworded(proposal, text) if text and text != selected else None

    def _consolidating(self, services: StoreServices) -> Consolidating:
        return Consolidating(services, now=self._app.clock(), actor=self._app.actor)

    def _metrics(self) -> Consolidated:
        events = [
            event for services in self._app.all_services() for event in self._consolidating(services).events()
        ]
        found = averages(events)
        return Consolidated(
            action="metrics",
            metrics={name: round(value, 3) for name, value in found.items()},
            missed=tuple(missed(found)),
            events=len(events),
        )

    def _pairs(self, limit: int, *, dry_run: bool) -> Consolidated:
        all_services = self._app.all_services()  # once: another thread may open one more meanwhile
        found = [self._duplicates(services, limit) for services in all_services]
        if not dry_run:
            for services, one in zip(all_services, found, strict=True):
                record_search(services.store, self._app.clock(), one.total)
        pairs = sorted((pair for one in found for pair in one.pairs), key=lambda one: -one.score)
        return Consolidated(
            action="list",
            pairs=tuple(map(_shown_pair, pairs[:limit])),
            total=sum(one.total for one in found),
            complete=all(one.complete for one in found),
            dry_run=dry_run,
        )

    def _duplicates(self, services: StoreServices, limit: int) -> Duplicates:
        try:
            model = self._app.probe_embedder() if services.store.has_vectors else ""
        except EmbeddingError:  # compared by words alone, as in a recall
            model = ""
        return _engine(services).duplicates(model, limit)

    def _two(self, ids: Sequence[str]) -> tuple[StoreServices, Memory, Memory]:
        if len(ids) != CONSOLIDATING_PAIR:
            raise InvalidInputError("Which two are to be merged?", hint="recortex consolidate merge ID ID")
        (services, a), (others, b) = map(self._app.locate, ids)
        if services is not others or not comparable(a, b):
            raise InvalidInputError(
                f"{a.id[:8]} and {b.id[:8]} cannot be merged.",
                hint="Both must be active and in one store; raw code and different events are never merged.",
            )
        return services, a, b

    def _merge(
        self, services: StoreServices, a: Memory, b: Memory, text: str, *, dry_run: bool
    ) -> Consolidated:
        now, actor = self._app.clock(), self._app.actor
        merged = _engine(services).merged(a, b, text=text, person=actor is Actor.USER, now=now)
        if dry_run:
            old = all_output_redacted([a, b])
            return Consolidated(action="merge", merged=output_redacted(merged), superseded=old, dry_run=True)
        backup = services.store.backups.make(now, reason="before-merge")
        try:
            with services.store.transaction():
                insert_superseding(
                    services.store,
                    merged,
                    [a, b],
                    actor=actor,
                    operation="consolidate",
                    now=now,
                    details={"of": [a.id, b.id]},
                )
                move_receipts(services.store, merged, [a, b], actor, now)
        except CorruptStoreError as error:
            hint = f"Run `recortex recover`. The store as it was before the merge: {backup}"
            raise CorruptStoreError(error.message, hint=hint) from error
        services.embedding.embed([merged])
        kept, *replaced = all_output_redacted(services.store.memories.get([merged.id, a.id, b.id]))
        return Consolidated(action="merge", merged=kept, superseded=tuple(replaced), backup=str(backup))


def _engine(services: StoreServices) -> Consolidation:
    return Consolidation(services.store, count=TokenCounter().count)


def _shown_pair(one: Duplicate) -> DuplicatePair:
    return filled(DuplicatePair, one, better=output_redacted(one.better), other=output_redacted(one.other))


def _merged(one: Proposal) -> Merged:
    return Merged(
        memory=output_redacted(one.successor),
        sources=all_output_redacted(one.sources),
        result=one.result,
        likeness=round(one.likeness, 3),
        asked=one.asked,
        refused=one.refused,
        polished=one.polished,
    )
