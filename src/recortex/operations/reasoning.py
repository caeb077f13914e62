"""Why something is as it is, and what led to what: why, infer."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from recortex.domain.context import Accounting, Verbosity, Why
from recortex.domain.memory import Memory
from recortex.domain.relation import Relation, order
from recortex.engines.ingestion.output_redaction import output_redacted
from recortex.errors import InvalidInputError
from recortex.operations.base import MAX_DEPTH, Operations, bounded
from recortex.operations.registry import operation

if TYPE_CHECKING:
    from collections.abc import Iterable

    from recortex.app.application import StoreServices
    from recortex.domain.context import Section
    from recortex.engines.reasons import Bearing


TOLD = ("about", "budget")
"""The parameters of `why` that agents are told of."""
MOST_ASKED = 4_096


class ReasonOperations(Operations):
    """why."""

    @operation(read_only=True, told=TOLD)
    def why(
        self,
        about: str,
        *,
        depth: int = 5,
        limit: int = 5,
        budget: int = 3_000,
        verbosity: Verbosity = "detailed",
        patterns: bool = True,
        constraints: bool = True,
        memories: bool = True,
        decisions: bool = True,
        warnings: bool = True,
        format: Literal["text", "json", "mermaid", "dot", "svg"] = "text",  # noqa: A002
    ) -> Why:
        """Explain why something is as it is: decisions, the commits and sessions behind it, causes.

        Each sentence names its evidence. If nothing is known, it says so.

        Args:
            about: PATH, PATH:LINE or PATH:FIRST-LAST; a symbol; the id of a pattern or memory; or a question
                in plain words.
            depth: how many relations to follow, from 0 to 10.
            limit: maximum number of memories.
            budget: maximum number of tokens.
            verbosity: how much to tell.
            patterns: include how such things are done here, and why.
            constraints: include constraints and exceptions.
            memories: include what else is known.
            decisions: include decisions.
            warnings: include what to watch out for.
            format: text; or a picture of the graph: mermaid, dot or svg.
        """
        from recortex.engines.reasons import LEAST_BUDGET, MOST_BUDGET, tell
        from recortex.operations.reasons_found import Reasons

        bounded(limit)
        if not 0 <= depth <= MAX_DEPTH:
            raise InvalidInputError(f"The depth must be from 0 to {MAX_DEPTH}, not {depth}.")
        if not LEAST_BUDGET <= budget <= MOST_BUDGET:
            raise InvalidInputError(
                f"The budget must be from {LEAST_BUDGET} to {MOST_BUDGET:,} tokens, not {budget}."
            )
        if not about.strip() or len(about) > MOST_ASKED:
            raise InvalidInputError(
                f"What is asked about must have 1 to {MOST_ASKED:,} characters.",
                hint="Name a file, PATH:LINE, a symbol, a memory, or ask in a sentence.",
            )
        wanted = _sections(patterns, constraints, memories, decisions, warnings)
        found = Reasons(self._app, about, limit, depth)
        claims = [one for one in found.claims if one.section in wanted]
        told = tell(found.head, claims, verbosity, budget, self._app.count_tokens, near=found.near)
        return Why(
            about=about,
            subject=found.subject,
            text=told.text,
            tokens=told.tokens,
            budget=budget,
            claims=told.claims,
            answers=tuple(_accounting(one) for one in found.bearings) if told.claims else (),
            confidence=found.confidence if told.claims else 0.0,
            near=tuple(_accounting(one) for one in found.near) if not told.claims else (),
            left_out=told.left_out,
            picture=found.picture(format) if format != "text" and format != "json" else "",  # noqa: PLR1714
            degraded=found.degraded,
        )


def _sections(
    patterns: bool, constraints: bool, memories: bool, decisions: bool, warnings: bool
) -> frozenset[Section]:
    """The sections that are wanted; history, and what led to what, always are."""
    from recortex.engines.reasons import TITLES

    unwanted = {
        section
        for section, wanted in (
            ("patterns", patterns), ("constraints", constraints), ("knowledge", memories),
            ("decisions", decisions), ("warnings", warnings),
        )
        if not wanted
    }  # fmt: skip
    return frozenset(TITLES) - unwanted


def _accounting(one: Bearing) -> Accounting:
    from recortex.engines.reasons import QUOTED, words_of

    memory = one.memory
    return Accounting(
        memory.id, memory.kind, words_of(memory, QUOTED), memory.status, one.relevance, one.because
    )


# -- inferring what led to what: infer


SECONDS = 20.0
"""How long one call goes on: a later one begins anew and finds what is kept already."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LikelyCause:
    """A relation that was inferred, with its cause and effect; its evidence says why."""

    cause: Memory
    effect: Memory
    relation: Relation


@dataclass(frozen=True, slots=True, kw_only=True)
class Inference:
    """What was inferred and is new, the surest first.

    Attributes:
        found: how many relations, of which `causes` may show only some.
        partly: the time was up before all sessions were read.
    """

    causes: tuple[LikelyCause, ...] = ()
    found: int = 0
    partly: bool = False
    dry_run: bool = False


class InferenceOperations(Operations):
    """infer."""

    @operation(idempotent=True, person=True)
    def infer(self, id: str = "", *, dry_run: bool = False, limit: int = 50) -> Inference:  # noqa: A002
        """Infer from sessions what led to what; each relation is a suggestion until a person confirms it.

        Args:
            id: id of a memory, or its first characters: look only at its session and what it is related to.
            dry_run: only show what would be inferred.
            limit: maximum number of relations to show.
        """
        until, most = time.monotonic() + SECONDS, bounded(limit)
        found: list[tuple[StoreServices, Relation]] = []
        partly = False
        if id:
            services, memory = self._app.locate(id)
            near = {one.other(memory.id) for one in services.store.relations.find_touching([memory.id])}
            found = self._kept(
                services, [(memory.source.session, [memory.id, *sorted(near)])], dry_run, None
            )[0]
        else:
            for services in self._app.all_services():
                sessions = [(session, list[str]()) for session in services.store.memories.sessions()]
                some, stopped = self._kept(services, sessions, dry_run, until)
                found, partly = found + some, partly or stopped
        found.sort(key=lambda one: -one[1].strength)
        return Inference(
            causes=tuple(filter(None, (likely_cause(*one) for one in found[:most]))),
            found=len(found),
            partly=partly,
            dry_run=dry_run,
        )

    def _kept(
        self,
        services: StoreServices,
        sessions: Iterable[tuple[str, list[str]]],
        dry_run: bool,
        until: float | None,
    ) -> tuple[list[tuple[StoreServices, Relation]], bool]:
        from recortex.app.changes import common_in, inferred_in_session, keep_inferred, new_ones

        now, common = self._app.clock(), common_in(services)
        kept: list[Relation] = []
        for session, also in sessions:
            inferred = inferred_in_session(services, session, common, now, also=also)
            if inferred:
                kept += (new_ones if dry_run else keep_inferred)(services, inferred)
            if until is not None and time.monotonic() > until:
                return [(services, one) for one in kept], True
        return [(services, one) for one in kept], False


def likely_cause(services: StoreServices, relation: Relation) -> LikelyCause | None:
    """A causal relation with both its ends as they are shown; None where one is gone."""
    ends = order(relation) or ("", "")
    known = {one.id: output_redacted(one) for one in services.store.memories.get(list(ends))}
    if known.keys() != {*ends}:
        return None
    return LikelyCause(cause=known[ends[0]], effect=known[ends[1]], relation=relation)
