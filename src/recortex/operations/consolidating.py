"""Saying once what was said twice: consolidate."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from recortex.domain.memory import Memory
from recortex.domain.vocabulary import Actor
from recortex.engines.consolidation.duplicates import Duplicate, comparable
from recortex.engines.consolidation.service import Consolidation, Duplicates
from recortex.engines.ingestion.output_redaction import all_output_redacted, output_redacted
from recortex.engines.similarity.contradiction import contradiction
from recortex.engines.supersession.service import insert_superseding
from recortex.engines.tokens.counter import TokenCounter
from recortex.errors import CorruptStoreError, EmbeddingError, InvalidInputError, PersonNeededError
from recortex.operations.agents import limited, weighty
from recortex.operations.base import Operations, bounded, filled
from recortex.operations.registry import operation

if TYPE_CHECKING:
    from recortex.app.store_services import StoreServices
    from recortex.engines.consolidation.duplicates import Due

PAIR = 2


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
class Consolidated:
    """Pairs that may be merged, or the merged memory.

    Attributes:
        total: how many pairs there are in all.
        complete: False where the store is too large for every pair to be looked at.
        merged: what stands for both now; in a dry run, what would.
        superseded: the two that it replaces.
        backup: the copy of the store that was made before.
    """

    action: Literal["list", "merge"]
    pairs: tuple[DuplicatePair, ...] = ()
    total: int = 0
    complete: bool = True
    merged: Memory | None = None
    superseded: tuple[Memory, ...] = ()
    backup: str = ""
    dry_run: bool = False


class ConsolidationOperations(Operations):
    """consolidate."""

    @operation(destructive=True, listing="list")
    def consolidate(
        self,
        action: Literal["list", "merge"] = "list",
        ids: Sequence[str] = (),
        *,
        text: str = "",
        limit: int = 20,
        dry_run: bool = False,
    ) -> Consolidated:
        """Show memories that may say the same, or merge two of them; a person decides which.

        A merge makes a backup first. The merged memory has the tags, files, relations and evidence of both,
        and both are superseded. To take a merge back, undo the merged memory.

        Args:
            action: list pairs, the most similar first; or merge one.
            ids: the two memories to merge, as ids or their first characters.
            text: the merged text; by default that of the better one.
            limit: maximum number of pairs to list.
            dry_run: only show the merged memory.
        """
        if action == "list":
            return self._pairs(bounded(limit), dry_run=dry_run)
        services, a, b = self._two(ids)
        if limited(self._app) and (weighty(a) or weighty(b)):
            raise PersonNeededError("Only the person merges global, pinned or critical memories.")
        against = contradiction(a.text, b.text)
        if against and not text.strip():
            raise InvalidInputError(
                f"The two may contradict each other: {against}.", hint="Say with --text what holds."
            )
        return self._merge(services, a, b, text, dry_run=dry_run)

    def _pairs(self, limit: int, *, dry_run: bool) -> Consolidated:
        all_services = self._app.all_services()  # once: another thread may open one more meanwhile
        found = [self._duplicates(services, limit) for services in all_services]
        if not dry_run:
            for services, one in zip(all_services, found, strict=True):
                _engine(services).record_search(self._app.clock(), one.total)
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
            model = self._app.probe_embedder() if services.store.vectors.available else ""
        except EmbeddingError:  # compared by words alone, as in a recall
            model = ""
        return _engine(services).duplicates(model, limit)

    def _two(self, ids: Sequence[str]) -> tuple[StoreServices, Memory, Memory]:
        if len(ids) != PAIR:
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
            insert_superseding(
                services.store,
                merged,
                [a, b],
                actor=actor,
                operation="consolidate",
                now=now,
                details={"of": [a.id, b.id]},
            )
        except CorruptStoreError as error:
            hint = f"Run `recortex recover`. The store as it was before the merge: {backup}"
            raise CorruptStoreError(error.message, hint=hint) from error
        services.embedding.embed([merged])
        kept, *replaced = all_output_redacted(services.store.memories.get([merged.id, a.id, b.id]))
        return Consolidated(action="merge", merged=kept, superseded=tuple(replaced), backup=str(backup))


def pending(services: StoreServices) -> Due:
    """What was learned since duplicates were last listed; its `notice` says when to list them again."""
    return _engine(services).due()


def _engine(services: StoreServices) -> Consolidation:
    return Consolidation(services.store, count=TokenCounter().count)


def _shown_pair(one: Duplicate) -> DuplicatePair:
    return filled(DuplicatePair, one, better=output_redacted(one.better), other=output_redacted(one.other))
