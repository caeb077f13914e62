"""The job `prediction`: after each turn, what the next one will probably need is worked out ahead."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recortex.app.jobs.work import Job, Outcome
from recortex.domain.vocabulary import Scope

if TYPE_CHECKING:
    from recortex.app.jobs.work import Work


def work_out(work: Work) -> Outcome:
    """Predict for the sessions that are live and for the next one; the brief is not kept waiting for it."""
    location = work.services.location
    if work.services.scope is Scope.GLOBAL or location.project is None or location.remote:
        return Outcome({}, "there is no working tree here", "skipped")
    from recortex.prediction.engine import preload

    return Outcome({"predicted": preload(work.services, location.project.root, work.now)})


JOBS = (Job("prediction", work_out),)
