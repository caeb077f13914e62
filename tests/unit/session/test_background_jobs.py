"""Background jobs are rows: a new one needs no other change, and one that fails holds up no other."""

from dataclasses import replace

import pytest

from recortex.app.jobs import post_capture, running, table
from recortex.app.jobs.post_capture import RunCounts
from recortex.app.jobs.running import run, run_due
from recortex.app.jobs.table import BEHIND_SESSION, JOBS, Job
from recortex.app.jobs.work import Outcome
from recortex.domain.vocabulary import Scope


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
    done = run(services, clock, services.settings, [replace(JOBS[0], run=_broken), *BEHIND_SESSION[1:]])
    assert [one.state for one in done] == ["failed", "done", "done"]
    assert [one.note for one in done if one.note] == ["out of order"]
    assert "job: embedding" in {one.component for one in cortex.status().fallbacks}


def test_a_maintenance_job_that_fails_is_due_again_and_holds_up_no_other(services, clock, monkeypatch):
    broken = [replace(job, run=_broken) if job.name == "sessions" else job for job in JOBS]
    monkeypatch.setattr(running, "JOBS", broken)
    states = {one.name: one.state for one in run_due(services, clock, services.settings)}
    assert states.pop("sessions") == "failed"
    assert set(states.values()) <= {"done", "skipped"}
    assert [one.name for one in run_due(services, clock, services.settings)][:1] == ["sessions"]


def test_what_a_new_job_counts_is_recorded(context, monkeypatch):
    new = Job(name="new", does="count", run=lambda _: Outcome({"things": 2}), counts=("things",), before_brief=True)  # fmt: skip
    monkeypatch.setattr(post_capture, "BEHIND_SESSION", (*table.BEHIND_SESSION, new))
    post_capture.after(context, RunCounts(), seconds=0.0)
    record = post_capture.read_status(context.location.place(post_capture.STATUS))
    assert record["totals"]["things"] == 2 * len(list(context.app.readable_services()))
