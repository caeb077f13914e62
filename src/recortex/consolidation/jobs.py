"""The job `consolidation`: memories that say the same become one, when enough has changed."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, NamedTuple

from recortex.app.diagnosis import pending
from recortex.app.jobs import Job, Outcome, rest
from recortex.domain.search import MemoryQuery
from recortex.domain.text import to_micros
from recortex.domain.vocabulary import Actor
from recortex.engines.maintenance import DAY
from recortex.operations.agents import weighty

if TYPE_CHECKING:
    from recortex.app.jobs import Work
    from recortex.consolidation.consolidating import Consolidating, Proposal

NAME = "consolidation"
DAYS = 1
"""Between two looks at whether it is time."""
LONGEST_WAIT = 7.0
"""Days after which it is time, whatever happened."""
MOST_TOKENS = 50_000
MOST_LATEST = 4_000
LEAST_CONFIDENCE = 0.5
MOST_CONTRADICTED = 0.05


class Figures(NamedTuple):
    """What decides whether it is time to consolidate a store.

    Attributes:
        days: since the last time; None if never.
        tokens: of the latest active memories.
        confidence: their mean.
        contradicted: the share of them that something contradicts.
        notice: that many sessions or memories were added since; empty where not.
    """

    days: float | None
    tokens: int
    confidence: float
    contradicted: float
    notice: str


def trigger(found: Figures) -> str:
    """Why it is time to consolidate, in words; empty where it is not."""
    if found.days is not None and found.days < 1.0:
        return ""
    if found.notice:
        return "many memories were added"
    if found.tokens > MOST_TOKENS:
        return f"the memories have {found.tokens} tokens"
    if found.confidence < LEAST_CONFIDENCE:
        return f"their confidence is {found.confidence:.2f} on average"
    if found.contradicted > MOST_CONTRADICTED:
        return f"{found.contradicted:.0%} of them are contradicted"
    return "a week is over" if found.days is None or found.days >= LONGEST_WAIT else ""


def consolidate(work: Work) -> Outcome:
    """Merge the memories that surely say the same; others wait for `recortex consolidate plan`."""
    if not work.settings["consolidation.automatic"]:
        return Outcome({}, "the setting `consolidation.automatic` is off", "skipped")
    found = _figures(work)
    if not (why := trigger(found)):
        return Outcome({}, "too little has changed", record={"at": _last(work)})
    engine, merged = _engine(work), 0
    for proposal in filter(_sure, engine.plan().proposals):
        if work.left() <= 0:
            left = {"merged": merged, "at": _last(work)}
            return Outcome({"merged": merged}, "the rest follows next time", "partly", record=left)
        began = time.monotonic()
        merged += engine.carry_out(proposal) is not None
        # A merge holds the write lock. Between two of them, sessions that wait for it get their turn.
        rest(began)
    return Outcome({"merged": merged}, why, record={"merged": merged, "at": to_micros(work.now)})


def plan_consolidation(work: Work) -> Outcome:
    """How many memories would be merged into others."""
    if not trigger(_figures(work)):
        return Outcome({"merged": 0})
    return Outcome({"merged": sum(map(_sure, _engine(work).plan().proposals))})


def _engine(work: Work) -> Consolidating:
    # `status` reads when each job is due, and nothing of what it does.
    from recortex.consolidation.consolidating import Consolidating

    return Consolidating(work.services, now=work.now, actor=Actor.CONSOLIDATION)


def _sure(proposal: Proposal) -> bool:
    """Whether they are near-copies: of those the fewest only look alike (bench/RESULTS.md)."""
    # What weighs most, such as pinned or critical memories, is merged by a person only.
    return (
        proposal.result == "strengthened" and not proposal.refused and not any(map(weighty, proposal.sources))
    )


def _last(work: Work) -> int:
    """When it last consolidated, in microseconds since 1970 UTC; 0 if never."""
    run = work.services.store.maintenance.all().get(NAME)
    return run.outcome.get("at", 0) if run else 0


def _figures(work: Work) -> Figures:
    """Of the latest memories, so that a look at a large store costs no more."""
    store = work.services.store
    memories = store.memories.find(MemoryQuery(order="recorded", limit=MOST_LATEST))
    contradicted = {
        id_ for pair in store.memories.contradicting([one.id for one in memories]) for id_ in pair
    }
    count = max(len(memories), 1)
    return Figures(
        days=(to_micros(work.now) - last) / DAY if (last := _last(work)) else None,
        tokens=sum(one.tokens for one in memories),
        confidence=sum(one.confidence for one in memories) / count if memories else 1.0,
        contradicted=sum(one.id in contradicted for one in memories) / count,
        notice=pending(work.services).notice,
    )


JOBS = (Job("consolidation", consolidate, plan_consolidation, days=DAYS, counts=("merged",), ages=True),)
