"""Background jobs are rows: a new one needs no other change, and one that fails holds up no other."""

from dataclasses import replace

import pytest

from recortex.app.hooks.context import STATUS, read_status
from recortex.app.jobs import capture, running, table
from recortex.app.jobs.capture import RunCounts
from recortex.app.jobs.running import run
from recortex.app.jobs.table import AFTER_SESSION, JOBS, MAINTENANCE, Job
from recortex.app.jobs.work import Outcome
from recortex.domain.address import parse
from recortex.domain.vocabulary import Scope
from recortex.errors import RecortexError


def test_every_job_follows_those_that_it_names():
    names = [job.name for job in JOBS]
    assert len(set(names)) == len(names)
    for job in JOBS:
        assert {*job.after} <= {*names[: names.index(job.name)]}, job.name


def test_jobs_that_gc_runs_can_say_what_they_would_do():
    assert [job.name for job in JOBS if (job.days is None) != (job.plan is None)] == []


def _broken(_):
    raise ValueError("out of order")


@pytest.fixture
def services(cortex):
    cortex.remember("Retries are bounded at five")
    return cortex._app.services(Scope.PROJECT)


def test_a_job_that_fails_is_told_and_holds_up_no_other(services, clock, cortex):
    done = run(services, clock, services.settings, [replace(JOBS[0], run=_broken), *AFTER_SESSION[1:]])
    other = ["skipped" if one.name == "sync" else "done" for one in AFTER_SESSION[1:]]  # nothing is shared
    assert [one.state for one in done] == ["failed", *other]
    assert [one.note for one in done if one.note and one.state != "skipped"] == ["out of order"]
    assert "job: embedding" in {one.component for one in cortex.status().fallbacks}


def test_a_job_that_fails_in_a_worker_is_told_and_given_back_to_the_queue(services, cortex, monkeypatch):
    broken = [replace(job, run=_broken) if job.name in {"embedding", "sessions"} else job for job in JOBS]
    monkeypatch.setattr(running, "AFTER_SESSION", [job for job in broken if job.days is None])
    monkeypatch.setattr(running, "JOBS", broken)
    of_server = running.Worker(parse("postgresql://host/db", workspace="a"), lambda _: cortex._app)
    for name, failed in (("embedding", "embedding"), (MAINTENANCE, "sessions")):
        with pytest.raises(RecortexError, match=f"{failed}: out of order"):
            of_server.do(name, "a")
        assert f"job: {failed}" in {one.component for one in cortex.status().fallbacks}
    of_server.do("lifecycle", "a")
    assert services.store.maintenance.all().keys() >= {"growth", "compaction"}


def test_what_a_new_job_counts_is_recorded(context, monkeypatch):
    new = Job(name="new", run=lambda _: Outcome({"things": 2}), counts=("things",), before_brief=True)
    monkeypatch.setattr(capture, "AFTER_SESSION", (*table.AFTER_SESSION, new))
    capture.follow_up(context, RunCounts(), seconds=0.0)
    record = read_status(context.location.place(STATUS))
    assert record["totals"]["things"] == 2 * len(list(context.app.readable_services()))
