"""A task with what is known for it, laid out for a model: frame."""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from recortex.domain.context import Frame
from recortex.domain.hit import ANSWERING
from recortex.domain.query import MemoryQuery
from recortex.domain.vocabulary import Domain, Scope
from recortex.errors import InvalidInputError, PermissionsError, StoreBusyError
from recortex.operations.base import Operations
from recortex.operations.registry import operation

if TYPE_CHECKING:
    from recortex.app.store_services import StoreServices
    from recortex.domain.hit import Hit
    from recortex.engines.compression.packing import Weighed
    from recortex.engines.context.frame import Known, LaidOut
    from recortex.engines.retrieval.service import Meaning

MAX_TEXT = 200_000
"""Characters of a task, a state or instructions."""
CANDIDATES = 60
"""Memories that are asked for; some 40 lines fill the usual share."""
CATCH_UP = 32
"""Memories without a vector that are embedded first, as in `recall`."""
COUNT_SECONDS = 0.25
"""How long an answer waits for another writer, to count what it gave."""


class FrameOperations(Operations):
    """frame."""

    @operation(read_only=True)
    def frame(
        self,
        task: str,
        *,
        budget: int = 15_500,
        state: str = "",
        instructions: str = "",
        domains: Sequence[Domain] = (),
        files: Sequence[str] = (),
    ) -> Frame:
        """Lay out a task with what documents and memories know for it, within a budget of tokens.

        The task stands on top, then parts of documents, then memories, the strongest at the edges, then the
        state and the instructions.

        Args:
            task: what is to be done, in plain words.
            budget: at most so many tokens; each section has its part of them.
            state: where the work stands.
            instructions: what holds for the answer.
            domains: only these areas of the software.
            files: paths in view.
        """
        from recortex.engines.context.frame import LEAST_BUDGET, MOST_BUDGET, lay_out
        from recortex.engines.retrieval.service import InPlay

        began = time.monotonic()
        given = {"task": task, "state": state, "instructions": instructions}
        _check(given)
        if not LEAST_BUDGET <= budget <= MOST_BUDGET:
            raise InvalidInputError(
                f"The budget must be from {LEAST_BUDGET} to {MOST_BUDGET:,} tokens, not {budget}."
            )
        in_play = InPlay(tuple(files), frozenset())
        asked = []
        for services in self._app.all_services():
            services.embedding.catch_up(CATCH_UP)
            asked.append((services, services.retrieval.meaning(task, recipe="frame", in_play=in_play)))
        only = MemoryQuery(kinds=ANSWERING, domains=tuple(domains), valid_at=self._app.clock())
        knowledge = self._knowledge(asked, task, only)
        hits, degraded = self._learnings(asked, task, only)
        laid = lay_out(given, knowledge, _weighed(hits), budget, self._app.count_tokens)
        self._count_told(asked, knowledge, laid)
        self._keep_receipts(task, hits, laid, began)
        return Frame(
            task=task,
            text=laid.text,
            tokens=laid.tokens,
            budget=budget,
            sections=laid.sections,
            knowledge=laid.knowledge,
            learnings=laid.learnings,
            left_out=laid.left_out,
            degraded=degraded,
        )

    def _knowledge(
        self, asked: Sequence[tuple[StoreServices, Meaning]], task: str, only: MemoryQuery
    ) -> list[Known]:
        """The parts of the project's documents that bear on a task, best first."""
        from recortex.engines.context.frame import Known
        from recortex.engines.ingestion.output_redaction import record_redacted

        found: list[Known] = []
        for services, meaning in asked:
            if services.scope is not Scope.GLOBAL:
                retrieval = services.chunk_retrieval
                ranked = retrieval.ranked(
                    task, now=self._app.clock(), meaning=meaning, recipe="frame", only=only
                )
                scores = {one.facts.key: score for one, score in ranked}
                chunks = retrieval.chunks(list(scores))
                found += [
                    Known(record_redacted(chunk), score)
                    for chunk, score in zip(chunks, scores.values(), strict=False)
                ]
        return found

    def _learnings(
        self, asked: Sequence[tuple[StoreServices, Meaning]], task: str, only: MemoryQuery
    ) -> tuple[list[Hit], tuple[str, ...]]:
        """The memories that bear on a task, best first, and what could not be used."""
        from recortex.engines.ingestion.output_redaction import output_redacted

        found = [
            services.retrieval.recall(
                task,
                limit=CANDIDATES,
                now=self._app.clock(),
                recipe="frame",
                only=only,
                floor=self._app.settings["recall.floor"],
                meaning=meaning,
            )
            for services, meaning in asked
        ]
        hits = sorted((hit for one in found for hit in one.hits), key=lambda hit: -hit.score)
        degraded = tuple(dict.fromkeys(note for one in found for note in one.degraded))
        return [replace(hit, memory=output_redacted(hit.memory)) for hit in hits], degraded

    def _count_told(
        self, asked: Sequence[tuple[StoreServices, Meaning]], knowledge: Sequence[Known], laid: LaidOut
    ) -> None:
        """Count what was given: what is often needed ranks a little higher."""
        told = {one.id for one in laid.knowledge}
        ids = [one.chunk.id for one in knowledge if one.chunk.id in told]
        memories = {one.id for one in laid.learnings}
        for services, _ in asked:
            store = services.store
            own = [one.id for one in store.memories.get(list(memories))] if memories else []
            parts = ids if services.scope is not Scope.GLOBAL else []
            if own or parts:
                with (
                    suppress(StoreBusyError, PermissionsError),
                    store.transaction(patience=COUNT_SECONDS),
                ):
                    store.memories.touch(own, self._app.clock())
                    store.documents.touch(parts, self._app.clock())

    def _keep_receipts(self, task: str, hits: Sequence[Hit], laid: LaidOut, began: float) -> None:
        """Keep receipts of the memories that an agent's session was given."""
        from recortex.app.given import Asking
        from recortex.engines.intent.classifying import classify

        memories = {hit.memory.id: hit.memory for hit in hits}
        given = [(memories[one.id], one.score, one.tokens) for one in laid.learnings]
        Asking(self._app).note(given, classify(task), round(1_000 * (time.monotonic() - began)))


def _weighed(hits: Sequence[Hit]) -> list[Weighed]:
    from recortex.engines.compression.packing import Weighed

    return [Weighed(hit.memory, hit.score) for hit in hits]


def _check(given: dict[str, str]) -> None:
    """Raise where a text is too long, or the task empty."""
    if not given["task"].strip():
        raise InvalidInputError("The task is empty.", hint="Say what is to be done.")
    for name, text in given.items():
        if len(text) > MAX_TEXT:
            raise InvalidInputError(
                f"The {name} has more than {MAX_TEXT:,} characters.", hint="Give its gist."
            )
