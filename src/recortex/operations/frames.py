"""A task with what is known for it, laid out for a model: frame."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from recortex.domain.context import Frame
from recortex.domain.hit import ANSWERING
from recortex.domain.query import MemoryQuery
from recortex.domain.vocabulary import Scope
from recortex.errors import InvalidInputError, PermissionsError, StoreBusyError
from recortex.operations.base import Operations
from recortex.operations.registry import operation

if TYPE_CHECKING:
    from recortex.app.store_services import StoreServices
    from recortex.domain.document import Chunk
    from recortex.domain.hit import Hit
    from recortex.engines.compression.packing import Weighed
    from recortex.engines.context.frame import Known, LaidOut
    from recortex.engines.retrieval.asking import Meaning

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
        files: Sequence[str] = (),
    ) -> Frame:
        """Lay out a task with what documents and memories know, the best at the edges.

        Args:
            task: in words.
            budget: at most so many tokens.
            state: where the work stands.
            instructions: for the answer.
            files: paths in view.
        """
        from recortex.engines.context.frame import LEAST_BUDGET, MOST_BUDGET, lay_out
        from recortex.engines.retrieval.asking import InPlay

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
        only = MemoryQuery(kinds=ANSWERING, valid_at=self._app.clock())
        number, knowledge = self._knowledge(asked, task, only)
        hits, degraded = self._learnings(asked, task, only)
        laid = lay_out(given, knowledge, _weighed(hits), budget, self._app.count_tokens)
        self._count_told(asked, laid)
        self._keep_receipts(task, hits, laid, began)
        return Frame(
            task=task,
            text=laid.text,
            tokens=laid.tokens,
            budget=budget,
            sections=laid.sections,
            knowledge=laid.knowledge,
            learnings=laid.learnings,
            left_out=max(number - len(laid.chunks), 0) + len(hits) - len(laid.learnings),
            degraded=degraded,
        )

    def _knowledge(
        self, asked: Sequence[tuple[StoreServices, Meaning]], task: str, only: MemoryQuery
    ) -> tuple[int, Iterator[Known]]:
        """How many parts of the project's documents bear on a task, and these, best first."""
        for services, meaning in asked:
            if services.scope is not Scope.GLOBAL:
                number, found = services.chunk_retrieval.for_frame(
                    task, now=self._app.clock(), meaning=meaning, only=only
                )
                if number:
                    return number, _redacted(services, found)
        return 0, iter(())

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
        standing = (hit for one in found for hit in one.hits if not hit.disputed)
        hits = sorted(standing, key=lambda hit: -hit.score)
        degraded = tuple(dict.fromkeys(note for one in found for note in one.degraded))
        return [replace(hit, memory=output_redacted(hit.memory)) for hit in hits], degraded

    def _count_told(self, asked: Sequence[tuple[StoreServices, Meaning]], laid: LaidOut) -> None:
        """Count what was given: what is often needed ranks a little higher."""
        for services, _ in asked:
            store, ids = services.store, [one.id for one in laid.learnings]
            memories = [one.id for one in store.memories.get(ids)] if ids else []
            chunks = laid.chunks if services.scope is not Scope.GLOBAL else ()
            if memories or chunks:
                with (
                    suppress(StoreBusyError, PermissionsError),
                    store.transaction(patience=COUNT_SECONDS),
                ):
                    store.memories.touch(memories, self._app.clock())
                    store.documents.touch(chunks, self._app.clock())

    def _keep_receipts(self, task: str, hits: Sequence[Hit], laid: LaidOut, began: float) -> None:
        """Keep receipts of the memories that an agent's session was given."""
        from recortex.app.given import Asking
        from recortex.engines.intent.classifying import classify

        memories = {hit.memory.id: hit.memory for hit in hits}
        given = [(memories[one.id], one.score, one.tokens) for one in laid.learnings]
        Asking(self._app).note(given, classify(task), round(1_000 * (time.monotonic() - began)))


def _redacted(services: StoreServices, found: Iterator[tuple[Chunk, float]]) -> Iterator[Known]:
    """The chunks as they may be told: those from which secrets were taken out by other rules, by the present.

    Looking through all of them each time would take longer than all else.
    """
    from recortex.app.decision_answers import paths_of_records
    from recortex.engines.context.frame import Known
    from recortex.engines.ingestion.output_redaction import record_redacted
    from recortex.engines.privacy.table import rules_in_use

    others = services.store.documents.by_other_rules(rules_in_use())
    records = paths_of_records(services)
    for chunk, score in found:
        if chunk.path in records:  # its memory tells it, and knows whether it still holds
            continue
        yield Known(record_redacted(chunk) if chunk.path in others else chunk, score)


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
