"""Validation every few hours: memories are compared with the working tree, those first that never were.

It may be stopped at any moment: what was validated has its time, and the next run goes on with the rest.
"""

from __future__ import annotations

import time
from collections import Counter
from datetime import timedelta
from typing import TYPE_CHECKING

from recortex.app.jobs.work import Outcome, rest
from recortex.app.validation import validate

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from recortex.app.jobs.work import Work
    from recortex.app.validation import Validated
    from recortex.domain.citation import Reach
    from recortex.domain.memory import Memory

HOURS = 4
"""Between two validations of a memory."""
SECONDS = 2.0
"""After which a run begins no further batch: other jobs have their turn."""
BATCH = 1_000
"""Memories of one batch; what they cite is looked for together."""
_MANY = 2**62


def plan_validation(work: Work) -> Outcome:
    """Count the memories whose turn it is."""
    if why := _obstacle(work):
        return Outcome({}, why, "skipped")
    return Outcome({"memories": len(work.services.store.memories.unchecked(_before(work), _MANY))})


def do_validation(work: Work) -> Outcome:
    """Validate them; follow code to other files, and flag what is severe."""
    if why := _obstacle(work):
        return Outcome({}, why, "skipped")
    counts, ends = Counter[str](), time.monotonic() + SECONDS
    done: set[str] = set()
    while ids := set(work.services.store.memories.unchecked(_before(work), BATCH)) - done:
        if work.left() <= 0 or time.monotonic() > ends:
            return Outcome(dict(counts), "the rest follows next time", "partly")
        for chunk in _validated(work, sorted(ids)):
            counts += _counted(chunk)
        done |= ids  # also what another process changed meanwhile: the next run sees to it
    return Outcome(dict(counts))


def _validated(work: Work, ids: list[str]) -> Iterator[list[Validated]]:
    """The batch, chunk by chunk; between two, other writers get their turn.

    Code that was not found before is not looked for again in every file.
    """
    memories = work.services.store.memories
    missed = {id_ for id_, found in memories.verdicts(ids).items() if "citation:" in found}
    batch = memories.get(ids)
    parts: dict[Reach, list[Memory]] = {
        "tree": [one for one in batch if one.id not in missed],
        "renames": [one for one in batch if one.id in missed],
    }
    for reach, part in parts.items():
        began = time.monotonic()
        for chunk in validate(work.services, part, work.now, mend="safe", reach=reach):
            yield chunk
            rest(began)
            began = time.monotonic()


def _counted(chunk: list[Validated]) -> Counter[str]:
    states = Counter(one.verdict.state for one in chunk)
    healed = sum(bool(one.healed.done) for one in chunk)
    named = {"memories": len(chunk), "stale": states["stale"], "flagged": states["flagged"]}
    return Counter(named | {"healed": healed})


def _before(work: Work) -> datetime:
    return work.earlier(timedelta(hours=HOURS))


def _obstacle(work: Work) -> str:
    """Why memories cannot be compared with code here: a worker on a server has no working tree."""
    project = work.services.location.project
    return "" if project is not None and project.root.is_dir() else "there is no working tree here"
