"""What to know before writing code, and what became of it: generation-context, generation-outcome."""

from __future__ import annotations

import re
import uuid
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from recortex.domain.generation import GenerationContext, GenerationOutcome, Outcome
from recortex.domain.history import AuditEntry
from recortex.domain.hit import ANSWERING
from recortex.domain.kinds import Kind
from recortex.domain.query import MemoryQuery
from recortex.domain.vocabulary import Trust
from recortex.errors import ConfigError, InvalidInputError, PermissionsError, StoreBusyError
from recortex.operations.base import Operations
from recortex.operations.registry import operation

if TYPE_CHECKING:
    from recortex.app.store_services import StoreServices
    from recortex.domain.memory import Memory
    from recortex.engines.compression.packing import Weighed

GIVEN, TOLD = "generation", "generation_outcome"
"""The audit operations that tell which memories were given to a generation, and that its outcome was told."""
WHOLE = 100
LEAST_BUDGET, MOST_BUDGET = 100, 100_000
MOST_FILES, MAX_FOCUS = 50, 20_000
MOST_CHECKED = 2_000
"""Memories of a store, the most important ones, that code is checked against."""
_ID = re.compile(r"g[0-9a-f]{12}")


class GenerationOperations(Operations):
    """generation-context, generation-outcome."""

    @operation(read_only=True)
    def generation_context(
        self, focus: str, *, files: Sequence[str] = (), code: str = "", budget: int = 2_000
    ) -> GenerationContext:
        """Tell what to know before writing code: patterns, what nobody wrote down, rules, what to avoid.

        Each comes with the inline comment for where it had influence. Tell the outcome with
        generation_outcome.

        Args:
            focus: what is to be written, in plain words.
            files: that are going to be touched.
            code: code or a plan to check against what is known.
            budget: at most so many tokens.
        """
        from recortex.engines.generation.conflicts import conflicts
        from recortex.engines.generation.shares import lay_out

        _check(focus, files, budget)
        ranked = self._gathered(focus, files)
        laid = lay_out(ranked, budget, self._app.count_tokens, self._parts())
        told = {one.id for one in laid.provenance}
        given = [one.memory for one in ranked if one.memory.id in told]
        generation = f"g{uuid.uuid4().hex[:12]}" if given else ""
        self._note_given(generation, given)
        return GenerationContext(
            generation=generation,
            text=laid.text,
            tokens=laid.tokens,
            budget=budget,
            spent=laid.spent,
            provenance=laid.provenance,
            conflicts=tuple(conflicts(self._checked(ranked), code, files, self._exceptions()))
            if code
            else (),
        )

    @operation(idempotent=True)
    def generation_outcome(self, generation: str, outcome: Outcome) -> GenerationOutcome:
        """Tell whether what was written was accepted, modified or rejected, so that memories learn from it.

        The first outcome counts; `undo` takes it back, memory by memory.

        Args:
            generation: as generation_context named it.
            outcome: accepted, modified or rejected.
        """
        if not _ID.fullmatch(generation):
            raise InvalidInputError(
                f"{generation[:40]!r} is no generation.", hint="Give the id that generation-context answered."
            )
        entries = [
            (services, services.store.ledger.of_generation(generation))
            for services in self._app.all_services()
        ]
        if not any(found for _, found in entries):
            raise InvalidInputError(
                f"Nothing was given to the generation {generation}.", hint="It may belong to another project."
            )
        confidence: dict[str, float] = {}
        for services, found in entries:
            if all(one.operation == GIVEN for one in found):
                confidence |= self._adjust_all(
                    services, [one.memory_id for one in found], generation, outcome
                )
        return GenerationOutcome(generation=generation, outcome=outcome, confidence=confidence)

    def _adjust_all(
        self, services: StoreServices, ids: Sequence[str], generation: str, outcome: Outcome
    ) -> dict[str, float]:
        """Change the confidence of what had influence; returns it as it is now."""
        from recortex.engines.generation.feedback import adjusted

        now, actor, learned = self._app.clock(), self._app.actor, {}
        reason = f"{outcome} in {generation}"
        with services.store.transaction():
            for old in services.store.memories.get(ids):
                new = replace(old, confidence=adjusted(old.confidence, outcome))
                kept = services.ingestion.change(
                    old, new, now=now, actor=actor, operation="feedback", reason=reason
                )
                learned[kept.id] = round(kept.confidence, 4)
            services.store.ledger.record([self._entry(one, TOLD, generation) for one in learned])
        return learned

    def _gathered(self, focus: str, files: Sequence[str]) -> list[Weighed]:
        """Each memory that bears on the focus or the files, once, if no later one contradicts it."""
        from recortex.app.knowledge import Knowledge
        from recortex.engines.compression.packing import Weighed

        offers = sorted(Knowledge(self._app, focus, files, ()).offers({}), key=lambda one: one.relevance)
        best = {one.memory.id: one for one in offers}  # the most relevant offer of each comes last
        return [Weighed(one.memory, one.relevance) for one in best.values() if not one.disputed]

    def _checked(self, ranked: Sequence[Weighed]) -> list[Memory]:
        """What code is checked against: what bears on the focus, and all that forbids something.

        What a plan goes against shares no words with its focus, mostly.
        """
        from recortex.engines.generation.conflicts import may_forbid
        from recortex.engines.ingestion.output_redaction import all_output_redacted
        from recortex.engines.retrieval.disputes import disputes

        query = MemoryQuery(
            kinds=ANSWERING, valid_at=self._app.clock(), order="importance", limit=MOST_CHECKED
        )
        every, pairs = [one.memory for one in ranked], []
        for services in self._app.all_services():
            found = [one for one in services.store.memories.find(query) if may_forbid(one)]
            every += all_output_redacted([one for one in found if one.trust is not Trust.UNTRUSTED])
            pairs += services.contradicting([one.id for one in found], self._app.clock())
        against = disputes(pairs)
        return [one for one in {one.id: one for one in every}.values() if one.id not in against]

    def _exceptions(self) -> list[Memory]:
        """Approved exceptions that hold now."""
        query = MemoryQuery(
            kinds=(Kind("constraint_override"),), valid_at=self._app.clock(), limit=MOST_CHECKED
        )
        return [
            one
            for services in self._app.all_services()
            for one in services.store.memories.find(query)
            if one.trust is not Trust.UNTRUSTED
        ]

    def _parts(self) -> dict[str, float]:
        """The shares of the budget.

        Raises:
            ConfigError: the setting does not name five of them that are a hundred together.
        """
        from recortex.engines.generation.shares import SHARES

        said = self._app.settings["generation.shares"]
        numbers = [int(one) if one.strip().isdecimal() else -1 for one in said.split("/")]
        if len(numbers) != len(SHARES) or min(numbers) < 0 or sum(numbers) != WHOLE:
            raise ConfigError(
                f"`generation.shares` is {said[:40]!r}.",
                hint="Five numbers that are 100 together: 30/25/20/15/10.",
            )
        return {name: number / WHOLE for name, number in zip(SHARES, numbers, strict=True)}

    def _note_given(self, generation: str, given: Sequence[Memory]) -> None:
        """Keep what was given, so that its outcome can be told; a busy store loses that, not the answer."""
        for scope in {one.scope for one in given}:
            services = self._app.services(scope)
            entries = [self._entry(one.id, GIVEN, generation) for one in given if one.scope is scope]
            with suppress(StoreBusyError, PermissionsError), services.store.transaction():
                services.store.ledger.record(entries)

    def _entry(self, memory_id: str, what: str, generation: str) -> AuditEntry:
        details = {"generation": generation}
        return AuditEntry(
            memory_id=memory_id, operation=what, actor=self._app.actor, at=self._app.clock(), details=details
        )


def _check(focus: str, files: Sequence[str], budget: int) -> None:
    """Raise where the focus, the files or the budget cannot be used."""
    if not LEAST_BUDGET <= budget <= MOST_BUDGET:
        raise InvalidInputError(
            f"The budget must be from {LEAST_BUDGET} to {MOST_BUDGET:,} tokens, not {budget}."
        )
    if len(focus) > MAX_FOCUS:
        raise InvalidInputError(f"The focus has more than {MAX_FOCUS:,} characters.", hint="Give its gist.")
    if len(files) > MOST_FILES:
        raise InvalidInputError(f"At most {MOST_FILES} files can be given.")
