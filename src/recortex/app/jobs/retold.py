"""What an agent wrote of the person's own words gives way to them, so that one thing is known once.

An agent that is told something remembers it in its words while the session runs; afterwards the session is
read, and the person's sentence becomes a memory too. Where the agent's adds nothing, the person's stays.
"""

from __future__ import annotations

import re
from datetime import timedelta
from typing import TYPE_CHECKING

from recortex.app.jobs.repeats import Finder
from recortex.app.jobs.work import Outcome
from recortex.domain.vocabulary import Actor, Origin, Status
from recortex.engines.ingestion.query_terms import query_terms
from recortex.engines.languages import negations
from recortex.engines.repetition.wishes import as_wish
from recortex.engines.similarity.near_duplicates import marked

if TYPE_CHECKING:
    from collections.abc import Iterator

    from recortex.app.jobs.work import Work
    from recortex.domain.memory import Memory
    from recortex.engines.repetition.groups import Likeness

NAME, COUNT = "retold", "retold"
BATCH = 100
APART = timedelta(days=1)
"""The most between what the person said and what the agent wrote of it."""
ADDED = 0.3
"""The share of the agent's words, by rarity, that the person need not have said: more is something new."""

_NUMBER = re.compile(r"\d[\w.]*")


def fold_retold(work: Work) -> Outcome:
    """Look at the memories that were added since the last run, while seconds are left."""
    store, folded = work.services.store, 0
    done = store.maintenance.all().get(NAME)
    last = done.outcome.get("key", 0) if done else 0
    finder = Finder(work.services)
    while found := store.memories.added_after(last, BATCH):
        for key, memory_id in found:
            for memory in store.memories.get([memory_id]):
                folded += sum(_fold(work, said, retold) for said, retold in _pairs(work, finder, memory))
            last = key
            if work.left() <= 0:
                break
        store.maintenance.note(NAME, work.now, {"key": last})
        if work.left() <= 0:
            return Outcome({COUNT: folded}, "the rest follows next time", "partly")
    return Outcome({COUNT: folded})


def _pairs(work: Work, finder: Finder, memory: Memory) -> Iterator[tuple[Memory, Memory]]:
    """What the person said and what an agent wrote of it, of which one is that memory."""
    if memory.status is not Status.ACTIVE or memory.origin not in {Origin.USER, Origin.AGENT}:
        return
    store = work.services.store
    ids = [id_ for id_, _ in store.search.candidates(query_terms(memory.text)) if id_ != memory.id]
    for other in store.memories.get(ids):
        said, retold = (memory, other) if memory.origin is Origin.USER else (other, memory)
        if (said.origin, retold.origin) == (Origin.USER, Origin.AGENT) and _may_fold(said, retold):
            likeness = finder.likeness([as_wish(said.text), as_wish(retold.text)])
            if says_no_more(said.text, retold.text, likeness):
                yield said, retold


def _may_fold(said: Memory, retold: Memory) -> bool:
    active = said.status is retold.status is Status.ACTIVE
    near = abs(retold.recorded_at - said.valid_from) <= APART
    return active and near and bool(said.source.session) and not (retold.pinned or retold.files)


def says_no_more(said: str, retold: str, likeness: Likeness) -> bool:
    """Whether an agent's sentence says what the person said, and nothing besides.

    Args:
        said: the person's sentence.
        retold: the agent's.
        likeness: what the two are compared by.
    """
    exact = {*_NUMBER.findall(retold), *marked(retold)}
    if not exact <= {*_NUMBER.findall(said), *marked(said)} or bool(negations(said)) != bool(
        negations(retold)
    ):
        return False
    theirs, own = as_wish(said), as_wish(retold)
    return likeness.same(theirs, own) and likeness.share_of(own, theirs) >= 1 - ADDED


def _fold(work: Work, said: Memory, retold: Memory) -> bool:
    work.services.ingestion.supersede(
        said, retold, now=work.now, actor=Actor.LEARNING, why="the person's own words", reworded=True
    )
    return True
