"""Whether what is known still holds: validate."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Literal

from recortex.app.validation import validate
from recortex.domain.kinds import KINDS
from recortex.domain.search import MemoryQuery
from recortex.domain.validation import Issue, State
from recortex.domain.vocabulary import Origin
from recortex.engines.ingestion.output_redaction import output_redacted
from recortex.operations.agents import limited
from recortex.operations.base import Operations, bounded
from recortex.operations.registry import operation

if TYPE_CHECKING:
    from datetime import datetime

    from recortex.app.store_services import StoreServices
    from recortex.app.validation import Mend, Validated
    from recortex.domain.memory import Memory

ValidationScope = Literal["all", "stale", "recent"]
CANDIDATES = 100
"""Memories in doubt that are validated at once."""
UNSURE, RECENT = 0.7, timedelta(days=7)
"""What is stale has at most so much confidence, what is recent at most that age."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """What was found of a memory.

    Attributes:
        text: what it says, in a line.
        state: stale, flagged for a person, or valid.
        score: the mean of four dimensions, 0 to 1.
        confidence: what is left of it now.
        issues: what speaks against it, the gravest first.
        done: how it was healed; `undo` takes that back.
    """

    id: str
    kind: str
    text: str
    state: State
    score: float
    confidence: float
    issues: tuple[Issue, ...] = ()
    done: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Validation:
    """What a validation found, the gravest first.

    Attributes:
        total: memories that were validated.
        valid, stale, flagged: how many are each.
        healed: how many were healed.
        more: findings that are not shown.
    """

    scope: ValidationScope
    total: int = 0
    valid: int = 0
    stale: int = 0
    flagged: int = 0
    healed: int = 0
    findings: tuple[Finding, ...] = ()
    more: int = 0


class ValidationOperations(Operations):
    """validate."""

    @operation(idempotent=True, told=("ids", "scope", "heal"))
    def validate(
        self,
        ids: Sequence[str] = (),
        *,
        scope: ValidationScope = "all",
        heal: bool = False,
        candidates: bool = False,
        limit: int = 20,
    ) -> Validation:
        """Check whether memories still hold: against code, calendar, each other and patterns.

        Args:
            ids: only these memories.
            scope: stale: uncertain or long unchecked; recent: of the last week.
            heal: mend what is found: follow moved code, lower confidence, archive, or flag; an agent only
                follows and flags.
            candidates: only the memories in doubt that matter most, which `review --candidates` asks about.
            limit: maximum number of findings to show.
        """
        bounded(limit)
        now = self._app.clock()
        mend: Mend | None = None if not heal else "safe" if limited(self._app) else "all"
        found: list[Validated] = []
        for services, memories in self._doubted(now) if candidates else self._chosen(ids, scope, now):
            for chunk in validate(services, memories, now, mend=mend):
                found += chunk
                self._app.progress("validating", len(found), len(memories))
            changed = [one.healed.memory for one in found if one.healed.done]
            services.embedding.embed(
                [one for one in changed if one.scope is services.scope or not services.scope]
            )
        return _report_findings(scope, found, limit)

    def _doubted(self, now: datetime) -> list[tuple[StoreServices, list[Memory]]]:
        """The memories that a person would be asked about, by store."""
        from recortex.app.doubts import doubted_in

        chosen = []
        for services in self._app.all_services():
            ids = [one.id for one in doubted_in(services, now, CANDIDATES)]
            chosen.append((services, list(services.store.memories.get(ids))))
        return chosen

    def _chosen(
        self, ids: Sequence[str], scope: ValidationScope, now: datetime
    ) -> list[tuple[StoreServices, list[Memory]]]:
        """The memories to validate, by store."""
        if ids:
            located = [self._app.locate(id_) for id_ in ids]
            stores = list(dict.fromkeys(services for services, _ in located))
            return [(one, [memory for services, memory in located if services is one]) for one in stores]
        since = now - RECENT if scope == "recent" else None
        query = MemoryQuery(recorded_after=since, order="recorded", descending=False)
        chosen = []
        for services in self._app.all_services():
            found = [one for one in services.store.memories.find(query) if _own(one)]
            chosen.append((services, self._stale(services, found, now) if scope == "stale" else found))
        return chosen

    def _stale(self, services: StoreServices, memories: Sequence[Memory], now: datetime) -> list[Memory]:
        """Those of which little confidence is left, or that nobody has validated for long."""
        left = {one.id: one.confidence for one in self._faded(services, memories)}

        def overdue(memory: Memory) -> bool:
            every = timedelta(days=KINDS[memory.kind].revalidate_days)
            return now - max(memory.validated_at or memory.recorded_at, memory.recorded_at) > every

        return [one for one in memories if left[one.id] <= UNSURE or overdue(one)]


def _own(memory: Memory) -> bool:
    """Whether a memory is not only the project's own files, which are read anew, nor the code of another."""
    return memory.origin is not Origin.REPOSITORY and memory.kind != "code"


def _report_findings(scope: ValidationScope, found: Sequence[Validated], limit: int) -> Validation:
    counts = Counter(one.verdict.state for one in found)
    told = [one for one in found if one.verdict.issues or one.healed.done]
    order: tuple[State, ...] = ("flagged", "stale", "valid")
    told.sort(key=lambda one: (order.index(one.verdict.state), one.verdict.score))
    return Validation(
        scope=scope,
        total=len(found),
        valid=counts["valid"],
        stale=counts["stale"],
        flagged=counts["flagged"],
        healed=sum(bool(one.healed.done) for one in found),
        findings=tuple(map(_finding, told[:limit])),
        more=max(0, len(told) - limit),
    )


def _finding(one: Validated) -> Finding:
    memory = output_redacted(one.healed.memory)
    return Finding(
        id=memory.id,
        kind=memory.kind,
        text=memory.summary or memory.text,
        state=one.verdict.state,
        score=one.verdict.score,
        confidence=round(one.subject.confidence, 4),
        issues=one.verdict.issues,
        done=one.healed.done,
    )
