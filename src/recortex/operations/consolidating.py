"""Saying once what was said twice: consolidate."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

from recortex.domain.vocabulary import Actor
from recortex.engines.consolidation.contrary import contradiction
from recortex.engines.consolidation.duplicates import Duplicate, comparable
from recortex.engines.consolidation.service import Consolidation, Duplicates
from recortex.engines.intake.showing import all_shown, shown
from recortex.engines.replacing.service import Replacing
from recortex.engines.tokens.counter import TokenCounter
from recortex.errors import CorruptStoreError, EmbeddingError, InvalidInputError, PersonNeededError
from recortex.operations.agents import limited, weighty
from recortex.operations.base import Operations, bounded
from recortex.operations.registry import operation
from recortex.operations.results.consolidating import Consolidated, DuplicatePair

if TYPE_CHECKING:
    from pathlib import Path

    from recortex.app.bank import Bank
    from recortex.domain.memory import Memory
    from recortex.engines.consolidation.due import Due

PAIR = 2


class Consolidating(Operations):
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
        """Show memories that may say the same, or merge two of them into one. Which ones, a person decides.

        A merge first makes a backup. The merged memory is sure, as important as the more important one, and has the
        tags, files, relations and evidence of both; the two are superseded. To take it back, undo the merged memory:
        the two are active again.

        Args:
            action: list the pairs, most alike first, or merge one.
            ids: the two memories to merge, or their first characters.
            text: what the merged memory says; the words of the better one of the two, unless said.
            limit: how many pairs to list.
            dry_run: only show what the merged memory would be.
        """
        if action == "list":
            return self._pairs(bounded(limit), dry_run=dry_run)
        bank, a, b = self._two(ids)
        if limited(self._app) and (weighty(a) or weighty(b)):
            raise PersonNeededError("Only the person merges global, pinned or critical memories.")
        against = contradiction(a.text, b.text)
        if against and not text.strip():
            raise InvalidInputError(
                f"The two may contradict each other: {against}.", hint="Say with --text what holds."
            )
        return self._merge(bank, a, b, text, dry_run=dry_run)

    def _pairs(self, limit: int, *, dry_run: bool) -> Consolidated:
        banks = self._app.banks()  # once: another thread may open one more meanwhile
        found = [self._duplicates(bank, limit) for bank in banks]
        if not dry_run:
            for bank, one in zip(banks, found, strict=True):
                _engine(bank).looked(self._app.clock(), one.total)
        pairs = sorted((pair for one in found for pair in one.pairs), key=lambda one: -one.score)
        return Consolidated(
            action="list", pairs=tuple(map(_shown_pair, pairs[:limit])), total=sum(one.total for one in found),
            complete=all(one.complete for one in found), dry_run=dry_run,
        )  # fmt: skip

    def _duplicates(self, bank: Bank, limit: int) -> Duplicates:
        try:
            model = self._app.probe_embedder() if bank.store.vectors.available else ""
        except EmbeddingError:  # words alone decide then, as in a recall
            model = ""
        return _engine(bank).duplicates(model, limit)

    def _two(self, ids: Sequence[str]) -> tuple[Bank, Memory, Memory]:
        if len(ids) != PAIR:
            raise InvalidInputError("Which two are to be merged?", hint="recortex consolidate merge ID ID")
        (bank, a), (other_bank, b) = map(self._app.locate, ids)
        if bank is not other_bank or not comparable(a, b):
            raise InvalidInputError(
                f"{a.id[:8]} and {b.id[:8]} cannot be merged.",
                hint="Both must be active, of one store, and neither raw code nor two moments of what happened.",
            )
        return bank, a, b

    def _merge(self, bank: Bank, a: Memory, b: Memory, text: str, *, dry_run: bool) -> Consolidated:
        now, actor = self._app.clock(), self._app.actor
        merged = _engine(bank).merged(a, b, text=text, person=actor is Actor.USER, now=now)
        if dry_run:
            return Consolidated(
                action="merge", merged=shown(merged), superseded=all_shown([a, b]), dry_run=True
            )
        backup = bank.store.backups.make(now, reason="before-merge")
        try:
            Replacing(bank.store).put(
                merged, [a, b], actor=actor, operation="consolidate", now=now, details={"of": [a.id, b.id]}
            )
        except CorruptStoreError as error:
            raise _damaged(error, backup) from error
        bank.embedding.embed([merged])
        kept, *old = bank.store.memories.get([merged.id, a.id, b.id])
        return Consolidated(action="merge", merged=shown(kept), superseded=all_shown(old), backup=str(backup))


def pending(bank: Bank) -> Due:
    """What was learned in a store since somebody last looked for duplicates; `notice` says when it is time to."""
    return _engine(bank).due()


def _engine(bank: Bank) -> Consolidation:
    return Consolidation(bank.store, count=TokenCounter().count)


def _damaged(error: CorruptStoreError, backup: Path) -> CorruptStoreError:
    return CorruptStoreError(
        error.message, hint=f"Run `recortex recover`. The store as it was before the merge: {backup}"
    )


def _shown_pair(one: Duplicate) -> DuplicatePair:
    return DuplicatePair(
        better=shown(one.better), other=shown(one.other), score=one.score, words=one.words, meaning=one.meaning,
        why=one.why, contradiction=one.contradiction,
    )  # fmt: skip
