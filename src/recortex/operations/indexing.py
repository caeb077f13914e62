"""Making code and memories findable: conventions, index, backfill, reembed."""

from __future__ import annotations

import time
import uuid
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Literal

from recortex.app.citations import citations_of
from recortex.app.jobs.reembedding import (
    Renewed,
    count_embedded,
    keep_vector_index,
    outlook,
    reembed,
)
from recortex.app.symbol_links import piece_of
from recortex.domain.code import Convention
from recortex.domain.exchange import ExchangeQuery
from recortex.domain.memory import Memory, freshness_of
from recortex.domain.vocabulary import (
    AnyImportance,
    AnyScope,
    Importance,
    RelationType,
    Scope,
    priority_of,
)
from recortex.engines.ingestion.output_redaction import output_redacted
from recortex.engines.pairing import (
    Pair,
    normalised_pair,
    pieces_of_file,
    relation,
    replaced,
    unchanged,
    was_given,
)
from recortex.engines.supersession.service import insert_superseding
from recortex.errors import InvalidInputError
from recortex.operations.agents import capped
from recortex.operations.base import Operations, bounded, file_link, problems_of
from recortex.operations.registry import operation
from recortex.text.tokens import TokenCounter

if TYPE_CHECKING:
    from recortex.app.application import Application, StoreServices
    from recortex.domain.memory import FileLink


ConventionAction = Literal["list", "keep"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Conventions:
    """Conventions that are kept as memories, and those that could be.

    Attributes:
        memories: of conventions; after `keep` those that were added or changed.
        counts: after `keep`, how many were kept, updated, weakened, ended, restored, are the same, or were
            left since a project has at most so many.
        others: conventions that no memory has, the most informative first.
        problems: files that were left out since reading them took too long.
    """

    action: ConventionAction
    memories: tuple[Memory, ...] = ()
    counts: dict[str, int] = field(default_factory=dict)
    others: tuple[Convention, ...] = ()
    problems: tuple[str, ...] = ()


class ConventionOperations(Operations):
    """conventions."""

    @operation(person=True)
    def conventions(
        self, action: ConventionAction = "list", *, limit: int = 20, every: bool = False
    ) -> Conventions:
        """Remember how the code is written: its most informative conventions, with their exceptions.

        They follow the code: numbers and exceptions are updated, and a convention that no longer holds is put
        away. If nobody wrote down why, `recortex review approve ID --reason WHY` adds the reason.

        Args:
            action: list the conventions that are kept and those that could be; or keep the latter.
            limit: maximum number of new conventions to list or keep.
            every: also list conventions of a sort that is seldom worth knowing; these are never kept.
        """
        from recortex.app.code import codebase
        from recortex.app.kept_patterns import Keeping, patterns
        from recortex.app.pattern_state import note_state
        from recortex.domain.vocabulary import Scope, Status
        from recortex.engines.ingestion.output_redaction import all_output_redacted
        from recortex.engines.keeping import is_of

        most = bounded(limit)
        found = patterns(codebase(self._app))
        note_state(self._app, found, self._app.clock())
        keeping = Keeping(self._app, self._app.services(Scope.PROJECT), found, Status.ACTIVE)
        if action == "keep":
            keeping.run(most)
        known = keeping.known()
        told = found.counted.conventions(every=True) if every else found.conventions
        others = [one for one in told if not any(is_of(each, one) for each in known)]
        shown = keeping.memories if action == "keep" else known
        return Conventions(
            action=action,
            memories=all_output_redacted(shown),
            counts=dict(+keeping.counts),
            others=tuple(others[:most]),
            problems=problems_of(found.slow),
        )


# -- making code and memories findable: index, backfill, reembed


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexedCode:
    """A piece of code with its description.

    Attributes:
        changed: False where the same was indexed before, and nothing was done.
        superseded: ids of the former pairs' memories that these stand for now.
        redacted: how many secrets were taken out of the code and the description.
    """

    description: Memory
    code: Memory
    changed: bool = True
    superseded: tuple[str, ...] = ()
    redacted: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Backfilled:
    """How many memories and exchanges got the vectors that they waited for.

    Attributes:
        done: memories, in this run.
        left: memories still without one; they are found by their words.
        embedder: who made the memories' vectors; empty where none was made.
        seconds: how long it took.
        stopped: why it ended before all had theirs; empty where nothing was in the way.
        exchanges: that got theirs in this run.
        exchanges_left: still without; they are found by their words.
        chunks, chunks_left: likewise, parts of documents.
    """

    done: int
    left: int
    embedder: str = ""
    seconds: float = 0.0
    dry_run: bool = False
    stopped: str = ""
    exchanges: int = 0
    exchanges_left: int = 0
    chunks: int = 0
    chunks_left: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Reembedded:
    """How far the memories are from the embedding model that is set.

    Attributes:
        model: that one; empty where vectors are switched off.
        former: models whose vectors memories had before this run.
        done: memories that got a vector in this run.
        left: still without one of the model; they are found by their words.
        seconds: how long it took.
        per_second: memories and exchanges in a second of this run.
        seconds_left: of work, at that rate; nothing where it is not known.
        stopped: why it ended before all had theirs; empty where nothing was in the way.
        exchanges: that got vectors in this run.
        exchanges_left: still without vectors of the model; they are found by their words.
        chunks, chunks_left: likewise, parts of documents.
    """

    model: str
    done: int
    left: int
    former: tuple[str, ...] = ()
    seconds: float = 0.0
    per_second: float = 0.0
    seconds_left: float | None = None
    dry_run: bool = False
    stopped: str = ""
    exchanges: int = 0
    exchanges_left: int = 0
    chunks: int = 0
    chunks_left: int = 0


class IndexingOperations(Operations):
    """index, backfill, reembed."""

    @operation(idempotent=True)
    def index(
        self,
        path: str,
        description: str = "",
        *,
        tags: Sequence[str] = (),
        importance: AnyImportance | None = None,
    ) -> IndexedCode:
        """Store a piece of code with a description in prose, so that questions in plain words find the code.

        The description is searched. The code is stored as it is, without secrets, and no model sees it; a
        recall that finds the description shows it. Indexing the same lines again replaces what was stored;
        your own description stays until you give another.

        Args:
            path: PATH, PATH:FIRST-LAST, or a symbol: NAME or PATH:NAME; at most 64 KB.
            description: what the code does, why, and what to know; by default a symbol's documentation.
            tags: words to find and group it by.
            importance: how much it matters.
        """
        piece = piece_of(self._app, path, file_link(path, self._app.root))
        services = self._app.services(Scope.PROJECT)
        said = description.strip() or piece.described
        if not said:
            raise InvalidInputError("The description is empty.", hint="Say what the code does, and why.")
        priority = capped(self._app, priority_of(Importance(importance or Importance.NORMAL)))
        pair = partial(
            normalised_pair,
            piece,
            tags=tuple(tags),
            priority=priority,
            now=self._app.clock(),
            new_id=lambda: str(uuid.uuid4()),
            count=TokenCounter().count,
        )
        new = pair(description=said, generated=not description.strip())
        if not description.strip():
            former = replaced(new, pieces_of_file(services.store, piece.link.path), self._still_there)
            given = next((one.description.text for one in former if was_given(one.description)), "")
            new = pair(description=given) if given else new
        kept = self._keep(services, new)
        if kept.changed:
            services.embedding.embed([kept.description])
        return kept

    @operation(idempotent=True)
    def backfill(self, *, limit: int = 0, scope: AnyScope | None = None, dry_run: bool = False) -> Backfilled:
        """Make the vectors that memories, exchanges and documents still lack, in batches.

        An interrupted run goes on where it stopped.

        Args:
            limit: maximum of memories, exchanges and document parts; 0: all.
            scope: the project's memories, or the global ones; by default both.
            dry_run: only count them.
        """
        all_services = self._to_embed(limit, scope)
        waiting, said, written = _waiting(all_services)
        if dry_run:
            return Backfilled(done=0, left=waiting, exchanges_left=said, chunks_left=written, dry_run=True)
        started = time.perf_counter()
        run = _embed(self._app, all_services, limit, waiting + said + written, missing_only=True)
        left, left_said, left_written = _waiting(all_services)
        return Backfilled(
            done=run.done,
            left=left,
            embedder=run.by,
            seconds=round(time.perf_counter() - started, 3),
            stopped=run.stopped,
            exchanges=run.exchanges,
            exchanges_left=left_said,
            chunks=run.chunks,
            chunks_left=left_written,
        )

    @operation(idempotent=True, told=("limit", "dry_run"))
    def reembed(
        self, *, limit: int = 0, scope: AnyScope | None = None, afresh: bool = False, dry_run: bool = False
    ) -> Reembedded:
        """Make the vectors that the embedding model in your settings has not made yet.

        An interrupted run goes on where it stopped; meanwhile, texts without a vector are found by their
        words. A job after each session does the same, a little at a time.

        Args:
            limit: maximum of memories, exchanges and document parts; 0: all.
            scope: the project's memories, or the global ones; by default both.
            afresh: make all vectors again, even those of this model: for a model that changed but kept its
                name.
            dry_run: only count them.
        """
        all_services = self._to_embed(limit, scope)
        before = [outlook(services) for services in all_services]
        left = sum(one.left for one in before) + (sum(map(count_embedded, all_services)) if afresh else 0)
        said, written = sum(one.exchanges for one in before), sum(one.chunks for one in before)
        if afresh:
            said = sum(services.store.exchanges.count(ExchangeQuery()) for services in all_services)
            written = sum(services.store.documents.count()[1] for services in all_services)
        started, run = time.perf_counter(), Renewed()
        if not dry_run:
            run = _embed(self._app, all_services, limit, left + said + written, afresh=afresh)
            for services in all_services:
                keep_vector_index(services, threads=self._app.settings["threads"] or 1)
            after = [outlook(services) for services in all_services]
            left, said = sum(one.left for one in after), sum(one.exchanges for one in after)
            written = sum(one.chunks for one in after)
        seconds = time.perf_counter() - started
        rate = (run.done + run.exchanges + run.chunks) / seconds
        return Reembedded(
            model=next((one.model for one in before if one.model), ""),
            former=tuple(dict.fromkeys(name for one in before for name in one.former)),
            done=run.done,
            left=left,
            seconds=round(seconds, 3),
            per_second=round(rate, 1),
            seconds_left=round((left + said + written) / rate, 1) if rate else None,
            stopped=run.stopped,
            dry_run=dry_run,
            exchanges=run.exchanges,
            exchanges_left=said,
            chunks=run.chunks,
            chunks_left=written,
        )

    def _to_embed(self, limit: int, scope: AnyScope | None) -> list[StoreServices]:
        if limit < 0:
            raise InvalidInputError("The limit must be 0 or more.", hint="0 means all.")
        return self._app.all_services(scope)

    def _still_there(self, link: FileLink) -> bool:
        return freshness_of(citations_of(self._app.root, [link])) == "fresh"

    def _keep(self, services: StoreServices, new: Pair) -> IndexedCode:
        description, code = new.description.memory, new.code.memory
        now, actor = self._app.clock(), self._app.actor
        with services.store.transaction():
            former = pieces_of_file(services.store, description.files[0].path)
            for one in former:
                if one.code is not None and unchanged(one, new):
                    said, code = output_redacted(one.description), output_redacted(one.code)
                    return IndexedCode(description=said, code=code, changed=False)
            old = replaced(new, former, self._still_there)
            for new_, replaced_ in (
                (new.description, [one.description for one in old]),
                (new.code, [one.code for one in old if one.code is not None]),
            ):
                insert_superseding(
                    services.store,
                    new_.memory,
                    replaced_,
                    actor=actor,
                    operation="create",
                    now=now,
                    without=(RelationType.SOURCE_OF,),
                    details={"redacted": sorted(set(new_.redacted))} if new_.redacted else {},
                )
            services.store.relations.put(relation(description, code, now))
        gone = [memory.id for one in old for memory in one if memory is not None]
        redacted = len(new.description.redacted) + len(new.code.redacted)
        return IndexedCode(description=description, code=code, superseded=tuple(gone), redacted=redacted)


def _embed(
    app: Application,
    all_services: Sequence[StoreServices],
    limit: int,
    waiting: int,
    *,
    missing_only: bool = False,
    afresh: bool = False,
) -> Renewed:
    """One run over all stores, as one; it ends where the first is stopped."""
    total = Renewed()
    for services in all_services:
        before = total.done + total.exchanges + total.chunks
        if total.stopped or (limit and before >= limit):
            break

        def report(count: int, before: int = before) -> None:
            app.progress("embedding", before + count, max(min(limit or waiting, waiting), before + count))

        left = limit - before if limit else 0
        run = reembed(
            services, now=app.clock, limit=left, missing_only=missing_only, afresh=afresh, progress=report
        )
        done, said = total.done + run.done, total.exchanges + run.exchanges
        written = total.chunks + run.chunks
        total = run._replace(by=run.by or total.by, done=done, exchanges=said, chunks=written)
    return total


def _waiting(all_services: Sequence[StoreServices]) -> tuple[int, int, int]:
    """How many memories, exchanges and parts of documents have no vector."""
    stores = [services.store for services in all_services]
    memories = sum(store.vectors.count_pending() for store in stores)
    exchanges = sum(store.exchange_vectors.count_waiting() for store in stores)
    return memories, exchanges, sum(store.chunk_vectors.count_waiting() for store in stores)
