"""Before and after work on code: warnings, suggest, generation-context, generation-outcome."""

from __future__ import annotations

import re
import uuid
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from recortex.app.citations import cited_by, describe_citations, freshness_of, states_of
from recortex.app.knowledge import Knowledge
from recortex.codebase.git import relative
from recortex.domain.context import (
    GenerationContext,
    GenerationOutcome,
    Outcome,
    Suggestion,
    Suggestions,
    Warned,
    Warnings,
)
from recortex.domain.kinds import KINDS, Kind
from recortex.domain.memory import AuditEntry
from recortex.domain.search import ANSWERING, MemoryQuery
from recortex.domain.text import shorten, to_micros
from recortex.domain.vocabulary import Status, Trust
from recortex.engines.compression import Weighed
from recortex.engines.generation import (
    SHARES,
    WARNING_KINDS,
    adjusted,
    advice,
    conflicts,
    holds_for,
    lay_out,
    may_forbid,
    ordered,
    severity,
)
from recortex.engines.privacy import all_output_redacted, output_redacted
from recortex.engines.retrieval.service import disputes
from recortex.errors import ConfigError, InvalidInputError, PermissionsError, StoreBusyError
from recortex.operations.base import Operations, bounded, check_budget, check_length
from recortex.operations.registry import operation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from recortex.app.application import StoreServices
    from recortex.domain.context import Reason
    from recortex.domain.memory import Citation, Memory


MOST_FILES = 50
LOOKED_AT = 200
"""Memories about the files that are looked at."""


class AdviceOperations(Operations):
    """warnings, suggest."""

    @operation(read_only=True)
    def warnings(self, files: Sequence[str] = (), *, focus: str = "", limit: int = 10) -> Warnings:
        """Show what to watch out for: gotchas, incidents, smells, corrections, exceptions; worst first.

        Args:
            files: files to be touched, or folders ending in a slash.
            focus: what you are working on, in plain words.
            limit: maximum number.
        """
        bounded(limit)
        paths = self._paths(files, focus)
        told = list(self._about(MemoryQuery(files=paths, kinds=WARNING_KINDS)) if paths else [])
        # Approved exceptions that hold for some of the files.
        every = self._about(MemoryQuery(kinds=(Kind("constraint_override"),))) if paths else []
        told += [one for one in every if any(holds_for(one, path) for path in paths)]
        if focus:
            only = MemoryQuery(kinds=WARNING_KINDS, valid_at=self._app.clock())
            told += self._on_focus(focus, only, limit)
        cited = cited_by(self._app.all_services(), told, tree=self._app.tree)
        kept = ordered([self._warned(one, paths, cited[one.id]) for one in told])
        return Warnings(warnings=tuple(kept[:limit]), more=max(len(kept) - limit, 0))

    @operation(read_only=True)
    def suggest(self, files: Sequence[str] = (), *, focus: str = "", limit: int = 8) -> Suggestions:
        """Suggest what else is worth knowing: how to go about it, what is related, what to check.

        Args:
            files: files you are working on, or folders ending in a slash.
            focus: what you are working on, in plain words.
            limit: maximum number.
        """
        bounded(limit)
        paths = self._paths(files, focus)
        known = self._about(MemoryQuery(files=paths, kinds=ANSWERING)) if paths else []
        only = MemoryQuery(kinds=ANSWERING, valid_at=self._app.clock())
        known += self._on_focus(focus or " ".join(paths), only, limit)
        waiting = MemoryQuery(files=paths, statuses=(Status.PROPOSED, Status.QUARANTINED), limit=limit)
        found = [
            # What needs a check comes first: followed blindly, it does harm.
            *self._to_check(known),
            *(
                _suggested(one, "follow", "how it is done here")
                for one in known
                if (KINDS[one.kind].category == "pattern" and one.kind != "preference")
            ),
            *(_suggested(one, "related", "bears on what is worked on") for one in known),
            *self._documents(focus or " ".join(paths)),
            *self._related(known),
            *(
                _suggested(one, "waiting", "waits for review")
                for one in (self._found(waiting) if paths else ())
            ),
        ]
        # A memory may be suggested for several reasons: the first, most pressing one is told.
        once: dict[str, Suggestion] = {}
        for one in found:
            once.setdefault(one.id, one)
        return Suggestions(suggestions=tuple(once.values())[:limit])

    def _documents(self, focus: str) -> Iterator[Suggestion]:
        """The parts of documents that bear on the work, as `context` tells them."""
        for one in Knowledge(self._app, focus, (), ()).written():
            place = f"{one.path}:{one.first_line}"
            told = " > ".join(one.headings) or shorten(one.text)
            yield Suggestion(id=one.id, kind="document", reason="related", text=told, because=f"in {place}")

    def _paths(self, files: Sequence[str], focus: str) -> tuple[str, ...]:
        """The files as memories cite them.

        Raises:
            InvalidInputError: there are too many, or neither files nor focus.
        """
        if not (files or focus.strip()):
            raise InvalidInputError(
                "Neither files nor a focus is given.",
                hint="Name files, or say with --focus what you are working on.",
            )
        if len(files) > MOST_FILES:
            raise InvalidInputError(f"At most {MOST_FILES} files can be given.")
        # A slash at the end is kept, since it makes a folder of the path.
        return tuple(relative(path, self._app.root) + "/" * path.endswith("/") for path in files)

    def _found(self, query: MemoryQuery) -> Sequence[Memory]:
        found = (one for services in self._app.all_services() for one in services.store.memories.find(query))
        return all_output_redacted(list(found))

    def _about(self, query: MemoryQuery) -> list[Memory]:
        """What is known of files, true now."""
        return self._undisputed(
            self._found(replace(query, valid_at=self._app.clock(), order="importance", limit=LOOKED_AT))
        )

    def _undisputed(self, memories: Sequence[Memory]) -> list[Memory]:
        """The memories without those that a later one contradicts."""
        ids, now = [one.id for one in memories], self._app.clock()
        pairs = [pair for services in self._app.all_services() for pair in services.contradicting(ids, now)]
        against = disputes(pairs)
        return [one for one in memories if one.id not in against]

    def _on_focus(self, focus: str, only: MemoryQuery, limit: int) -> list[Memory]:
        """What answers the focus, above the floor."""
        return [
            output_redacted(hit.memory)
            for services in self._app.all_services()
            for hit in services.retrieval.recall(focus, limit=limit, now=self._app.clock(), only=only).hits
            if not hit.disputed
        ]

    def _warned(self, memory: Memory, paths: Sequence[str], cited: Sequence[Citation]) -> Warned:
        files = [link.path for link in memory.files]
        return Warned(
            id=memory.id,
            kind=memory.kind,
            severity=severity(memory),
            text=memory.text,
            advice=advice(memory),
            about=tuple(
                path
                for path in paths
                if holds_for(memory, path)
                or any((one == path or (path.endswith("/") and one.startswith(path))) for one in files)
            ),
            freshness=freshness_of(cited),
            pattern_state=states_of(self._app, [memory]).get(memory.id, ()),
        )

    def _to_check(self, known: Sequence[Memory]) -> Iterator[Suggestion]:
        """What may not hold any more: its code changed, or nobody has confirmed it for long."""
        now = self._app.clock()
        cited = cited_by(self._app.all_services(), known, "renames", tree=self._app.tree)
        for memory in known:
            state = freshness_of(cited[memory.id])
            if state in {"changed", "gone"}:
                because = f"the code that it cites is {state}: {describe_citations(cited[memory.id])}"
                yield _suggested(memory, "check", because)
            elif _overdue(memory, now):
                yield _suggested(memory, "check", "nobody has confirmed it for long")

    def _related(self, known: Sequence[Memory]) -> Iterator[Suggestion]:
        """What is linked to what is known."""
        ids = {one.id for one in known}
        for services in self._app.all_services():
            links = {
                other: relation.type.words
                for relation in services.store.relations.find_touching(list(ids))
                if not relation.doubted
                for other in (relation.source_id, relation.target_id)
                if other not in ids
            }
            memories = [
                one for one in services.store.memories.get(list(links)) if one.status is Status.ACTIVE
            ]
            for memory in self._undisputed(all_output_redacted(memories)):
                yield _suggested(memory, "related", f"{links[memory.id]}: linked to what is known here")


def _overdue(memory: Memory, now: datetime) -> bool:
    """Whether its kind asks for a check that nobody has made in time."""
    # A memory that was validated before it was imported counts from the import on.
    last = max(memory.validated_at or memory.recorded_at, memory.recorded_at)
    return to_micros(now) > to_micros(last + timedelta(days=KINDS[memory.kind].revalidate_days))


def _suggested(memory: Memory, reason: Reason, because: str) -> Suggestion:
    return Suggestion(
        id=memory.id, kind=memory.kind, reason=reason, text=memory.summary or memory.text, because=because
    )


# -- what to know before writing code, and what became of it: generation-context, generation-outcome


GIVEN, TOLD = "generation", "generation_outcome"
"""The audit operations that tell which memories were given to a generation, and that its outcome was told."""
WHOLE = 100
LEAST_BUDGET, MOST_BUDGET = 100, 100_000
MAX_FOCUS = 20_000
MOST_CHECKED = 2_000
"""Memories of a store, the most important ones, that code is checked against."""
_ID = re.compile(r"g[0-9a-f]{12}")


class GenerationOperations(Operations):
    """generation-context, generation-outcome."""

    @operation(read_only=True)
    def generation_context(
        self, focus: str, *, files: Sequence[str] = (), code: str = "", budget: int = 2_000
    ) -> GenerationContext:
        """Show what to know before writing code: patterns, unwritten knowledge, rules, what to avoid.

        Each comes with the comment to write where you followed it. Report the outcome with
        generation_outcome.

        Args:
            focus: what you are going to write, in plain words.
            files: files to be touched.
            code: code or a plan to check against what is known.
            budget: maximum number of tokens.
        """
        check_budget(budget, LEAST_BUDGET, MOST_BUDGET)
        check_length("focus", focus, MAX_FOCUS)
        if len(files) > MOST_FILES:
            raise InvalidInputError(f"At most {MOST_FILES} files can be given.")
        # Each memory that bears on the focus or the files, once, if no later one contradicts it.
        # From the least to the most relevant, so that of several offers of a memory a dict keeps the best.
        offers = sorted(Knowledge(self._app, focus, files, ()).offers({}), key=lambda one: one.relevance)
        best = {one.memory.id: one for one in offers}  # the most relevant offer of each comes last
        ranked = [Weighed(one.memory, one.relevance) for one in best.values() if not one.disputed]
        laid = lay_out(ranked, budget, self._app.count_tokens, self._parts())
        told = {one.id for one in laid.provenance}
        given = [one.memory for one in ranked if one.memory.id in told]
        generation = f"g{uuid.uuid4().hex[:12]}" if given else ""
        # Keep what was given, so that its outcome can be told; a busy store loses that, not the answer
        for scope in {one.scope for one in given}:
            services = self._app.services(scope)
            entries = [self._entry(one.id, GIVEN, generation) for one in given if one.scope is scope]
            with suppress(StoreBusyError, PermissionsError), services.store.transaction():
                services.store.ledger.record(entries)
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
        """Report whether your code was accepted, modified or rejected, so that memories learn from it.

        Only the first outcome counts; `undo` takes it back, one memory at a time.

        Args:
            generation: the id that generation_context gave.
            outcome: what became of the code.
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
            # Told once already: a second outcome would count the same code twice.
            if all(one.operation == GIVEN for one in found):
                confidence |= self._adjust_all(
                    services, [one.memory_id for one in found], generation, outcome
                )
        return GenerationOutcome(generation=generation, outcome=outcome, confidence=confidence)

    def _adjust_all(
        self, services: StoreServices, ids: Sequence[str], generation: str, outcome: Outcome
    ) -> dict[str, float]:
        """Change the confidence of what had influence; returns it as it is now."""
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

    def _checked(self, ranked: Sequence[Weighed]) -> list[Memory]:
        """What code is checked against: what bears on the focus, and all that forbids something.

        What a plan goes against shares no words with its focus, mostly.
        """
        query = MemoryQuery(
            kinds=ANSWERING, valid_at=self._app.clock(), order="importance", limit=MOST_CHECKED
        )
        every, pairs = [one.memory for one in ranked], []
        for services in self._app.all_services():
            found = [one for one in services.store.memories.find(query) if may_forbid(one)]
            # Text of a stranger must not forbid anything to the agent.
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
        said = self._app.settings["generation.shares"]
        numbers = [int(one) if one.strip().isdecimal() else -1 for one in said.split("/")]
        if len(numbers) != len(SHARES) or min(numbers) < 0 or sum(numbers) != WHOLE:
            raise ConfigError(
                f"`generation.shares` is {said[:40]!r}.",
                hint="Five numbers that are 100 together: 30/25/20/15/10.",
            )
        return {name: number / WHOLE for name, number in zip(SHARES, numbers, strict=True)}

    def _entry(self, memory_id: str, what: str, generation: str) -> AuditEntry:
        details = {"generation": generation}
        return AuditEntry(
            memory_id=memory_id, operation=what, actor=self._app.actor, at=self._app.clock(), details=details
        )
