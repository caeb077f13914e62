"""Why a recall has no answer: the reason that is true, so that whoever asked knows what to do next."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from recortex.domain.hit import ANSWERING
from recortex.domain.query import MemoryQuery
from recortex.domain.vocabulary import Status

if TYPE_CHECKING:
    from recortex.app.application import Application
    from recortex.domain.hit import Empty, Recall


def explained(app: Application, found: Recall, only: MemoryQuery, limit: int) -> Recall:
    """The same answer, and where it is empty why.

    Args:
        app: the opened application.
        found: the answer, which may be empty.
        only: the filters of the question.
        limit: of memories.
    """
    if found.hits or found.exchanges or found.documents or found.unchecked:
        return found
    if found.needed:
        return replace(found, empty="budget")
    reason, withheld = _reason(app, found, only, limit)
    return replace(found, empty=reason, withheld=withheld)


def _reason(app: Application, found: Recall, only: MemoryQuery, limit: int) -> tuple[Empty, int]:
    """Why nothing answers, and how many memories were kept back for it."""
    usual = replace(MemoryQuery(valid_at=only.valid_at), kinds=ANSWERING, statuses=only.statuses)
    if not _stored(app):
        return "nothing stored", 0
    if found.untimely:
        return "time", found.withheld
    if withheld := found.withheld or _count(app, found, only, limit, floor=False):
        return "floor", withheld
    if only != usual and (others := _count(app, found, usual, limit, floor=True)):
        return "filter", others
    return "nothing in common", 0


def _stored(app: Application) -> bool:
    query = MemoryQuery(statuses=(Status.ACTIVE,))
    return any(services.store.memories.count(query) for services in app.all_services())


def _count(app: Application, asked: Recall, only: MemoryQuery, limit: int, *, floor: bool) -> int:
    """How many memories would be told."""
    return sum(
        len(
            services.retrieval.recall(
                asked.query,
                limit=limit,
                now=app.clock(),
                recipe=asked.recipe,
                only=only,
                floor=floor,
                decayed=False,
            ).hits
        )
        for services in app.all_services(only.scope)
    )
