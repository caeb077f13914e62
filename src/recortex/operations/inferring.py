"""What led to what, as sessions let it be inferred: infer."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from recortex.domain.memory import Memory
from recortex.domain.relation import Relation, order
from recortex.engines.ingestion.output_redaction import output_redacted
from recortex.operations.base import Operations, bounded
from recortex.operations.registry import operation

if TYPE_CHECKING:
    from collections.abc import Iterable

    from recortex.app.application import StoreServices

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
