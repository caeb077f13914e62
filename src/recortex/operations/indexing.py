"""Making code and memories findable: index, backfill."""

from __future__ import annotations

import time
import uuid
from collections.abc import Sequence
from typing import TYPE_CHECKING

from recortex.codebase.excerpt import Excerpt, excerpt
from recortex.codebase.files import freshness
from recortex.codebase.project import branch_and_commit
from recortex.domain.links import FileLink
from recortex.domain.vocabulary import Importance, RelationType, Scope, priority_of
from recortex.engines.intake.showing import shown
from recortex.engines.pairing.pair import Pair, composed, relation, replaced, unchanged
from recortex.engines.pairing.service import Pairing
from recortex.engines.replacing.service import Replacing
from recortex.engines.tokens.counter import TokenCounter
from recortex.errors import InvalidInputError
from recortex.operations.base import Operations, file_link, strings
from recortex.operations.registry import operation
from recortex.operations.results.indexing import Backfilled, IndexedCode

if TYPE_CHECKING:
    from recortex.app.bank import Bank

BATCH = 64
"""Memories between two reports of progress; the vectors of each are kept before the next begins."""


class Indexing(Operations):
    """index, backfill."""

    @operation(idempotent=True)
    def index(
        self, path: str, description: str, *, tags: Sequence[str] = (), importance: Importance | None = None
    ) -> IndexedCode:
        """Keep a piece of code with a description in prose, so that questions in plain words find the code.

        The description is searched by its words and its meaning. The code is kept as it stands, without secrets, no
        vector is ever made of it, and no model sees it; a recall that finds the description brings it along. Indexing the same
        lines again takes the place of what was said of them before.

        Args:
            path: the file, or the lines of one function or class in it: PATH or PATH:FIRST-LAST, from the project's
                root; at most 64 KB.
            description: what the code does, why, and what to know before changing it.
            tags: words to find and group it by.
            importance: low, normal, high or critical.
        """
        piece, link = self._piece(path)
        if not description.strip():
            raise InvalidInputError("The description is empty.", hint="Say what the code does, and why.")
        priority = priority_of(Importance(importance or Importance.NORMAL))
        new = composed(
            link, description=description, source=piece.text, tags=strings(tags, "tags"), priority=priority,
            now=self._app.clock(), new_id=lambda: str(uuid.uuid4()), count=TokenCounter().count,
        )  # fmt: skip
        bank = self._app.bank(Scope.PROJECT)
        kept = self._keep(bank, new)
        if kept.changed:
            bank.embedding.embed([kept.description])
        return kept

    @operation(idempotent=True)
    def backfill(self, *, limit: int = 0, scope: Scope | None = None, dry_run: bool = False) -> Backfilled:
        """Make the vectors that memories wait for, in batches; a stopped run goes on where it ended.

        Args:
            limit: at most so many; 0: all.
            scope: the project's memories, or the global ones; both, unless said.
            dry_run: only count them.
        """
        if limit < 0:
            raise InvalidInputError("The limit must be 0 or more.", hint="0 means all.")
        banks = self._app.banks(scope)
        waiting = sum(bank.store.vectors.count_pending() for bank in banks)
        if dry_run:
            return Backfilled(done=0, left=waiting, dry_run=True)
        started = time.perf_counter()
        wanted, done = limit or _most(banks), 0
        for bank in banks:
            done += self._fill(bank, wanted - done, done, min(waiting, wanted))
        left = sum(bank.store.vectors.count_pending() for bank in banks)
        return Backfilled(
            done=done, left=left, embedder=self._app.probe_embedder() if done else "",
            seconds=round(time.perf_counter() - started, 3),
        )  # fmt: skip

    def _piece(self, path: str) -> tuple[Excerpt, FileLink]:
        cited = file_link(path, self._app.root)
        piece = excerpt(self._app.root, cited.path, cited.line_start, cited.line_end)
        _, commit = branch_and_commit(self._app.root)
        return piece, FileLink(piece.path, cited.line_start, cited.line_end, piece.content_hash, commit)

    def _keep(self, bank: Bank, new: Pair) -> IndexedCode:
        description, code = new.description.memory, new.code.memory
        now, actor = self._app.clock(), self._app.actor
        replacing = Replacing(bank.store)
        with bank.store.transaction():
            former = Pairing(bank.store).of_file(description.files[0].path)
            for one in former:
                if one.code is not None and unchanged(one, new):
                    return IndexedCode(
                        description=shown(one.description), code=shown(one.code), changed=False
                    )
            old = replaced(new, former, lambda link: freshness(self._app.root, (link,)) == "fresh")
            for composed_, replaced_ in (
                (new.description, [one.description for one in old]),
                (new.code, [one.code for one in old if one.code is not None]),
            ):
                replacing.put(
                    composed_.memory, replaced_, actor=actor, operation="create", now=now,
                    but=(RelationType.SOURCE_OF,),
                    details={"redacted": sorted(set(composed_.redacted))} if composed_.redacted else {},
                )  # fmt: skip
            bank.store.relations.put(relation(description, code, now))
        gone = [memory.id for one in old for memory in one if memory is not None]
        redacted = len(new.description.redacted) + len(new.code.redacted)
        return IndexedCode(description=description, code=code, superseded=tuple(gone), redacted=redacted)

    def _fill(self, bank: Bank, wanted: int, before: int, total: int) -> int:
        done = 0
        while done < wanted:
            made = bank.embedding.catch_up(min(BATCH, wanted - done))
            if not made:
                break
            done += made
            self._app.progress("embedding", before + done, max(total, before + done))
        return done


def _most(banks: Sequence[Bank]) -> int:
    """No more than there are memories: what cannot be attached is not tried for ever."""
    return sum(
        count
        for bank in banks
        for by_status in bank.store.memories.counts().values()
        for count in by_status.values()
    )
