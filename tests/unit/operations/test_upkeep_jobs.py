"""Jobs of operations: what ends, what is made later, what is reported."""

import json
import logging
import os
import subprocess
import sys
from contextlib import contextmanager
from itertools import pairwise

import pytest

from recortex import Cortex, telemetry
from recortex.app.jobs import Outcome
from recortex.app.jobs.running import run
from recortex.app.jobs.table import Job
from recortex.domain.vocabulary import Scope
from recortex.telemetry import Record, count, event, ignore, listen, span, to_logging


# -- A job whose process is ended before it is done holds up no other, and is tried less and less often.
def session_ends(project, clock, told):
    """Run a job that never ends and one that does, in a process that is ended in the first."""
    jobs = (
        Job("reader", lambda _: told("began") or os._exit(1)),
        Job("writer", lambda _: told("wrote") or Outcome()),
    )
    child = os.fork()
    if not child:
        try:
            with Cortex.open(project, clock=clock) as cortex:
                services = cortex._app.services(Scope.PROJECT)
                done = run(services, clock, services.settings, jobs)
                told(f"skipped: {[one.note for one in done if one.state == 'skipped']}")
        finally:
            os._exit(0)
    os.waitpid(child, 0)


@pytest.fixture
def day(project, clock, tmp_path):
    """What a session at the present time left behind."""
    with Cortex.open(project, clock=clock) as cortex:
        cortex.remember("The importer of parcels reads one line at a time.")
    log = tmp_path / "told"

    def told(word):
        with log.open("a", encoding="utf-8") as file:
            file.write(f"{word}\n")

    def one():
        log.write_text("", encoding="utf-8")
        session_ends(project, clock, told)
        return log.read_text(encoding="utf-8").splitlines()

    return one


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs processes that begin as copies")
@pytest.mark.parametrize("days", [1, pytest.param(3, marks=pytest.mark.full)])
def test_it_comes_last_then_waits_longer_each_time_and_the_rest_goes_on(day, clock, days):
    assert day() == ["began"]
    assert day() == ["wrote", "began"]
    wrote, skipped = day()
    assert wrote == "wrote"
    assert "did not end 2 times" in skipped
    tried = []
    for hour in range(24 * days):
        clock.pass_(hours=1, minutes=1)
        words = day()
        assert words[0] == "wrote"
        if "began" in words:
            tried.append(hour)
    waits = [after - before for before, after in pairwise(tried)]
    assert waits == sorted(waits)
    assert 2 * waits[0] <= waits[-1]
    assert len(tried) < 8


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs processes that begin as copies")
def test_the_status_says_so_and_what_ends_again_is_tried_as_before(day, project, clock):
    for _ in range(3):
        day()
    with Cortex.open(project, clock=clock) as cortex:
        services = cortex._app.services(Scope.PROJECT)
        told = [one.degradation for one in services.store.ledger.degradations()]
        assert ("job: reader", "it did not end in its time") in [(one.component, one.failure) for one in told]
        for answer in (cortex.status(), cortex.doctor()):
            assert "less and less often" in repr(answer)
        clock.pass_(hours=3)
        jobs = (Job("reader", lambda _: Outcome({"read": 1})),)
        for _ in range(2):
            (done,) = run(services, clock, services.settings, jobs)
            assert done.state == "done"


# -- Vectors that were left out are made later, in batches, however often it is stopped.
COUNT = 150


@pytest.fixture
def waiting(project, clock, monkeypatch):
    """The memory of a project with 150 statements and one global one, none with a vector."""
    monkeypatch.setenv("RECORTEX_EMBEDDER", "hashed")
    told = []
    with Cortex.open(project, clock=clock, progress=lambda *step: told.append(step)) as cortex:
        wishes = [
            {"text": f"The service number{place} listens on port {8000 + place}"} for place in range(COUNT)
        ]
        cortex.remember_many(wishes, embed=False)
        cortex.remember_many([{"text": "Short answers are liked", "scope": "global"}], embed=False)
        told.clear()
        yield cortex, told


def test_everything_is_embedded_with_progress(waiting):
    cortex, told = waiting
    done = cortex.backfill()
    assert (done.done, done.left, done.dry_run) == (COUNT + 1, 0, False)
    assert done.embedder
    assert done.seconds > 0
    overall = [step for step in told if step[2] == COUNT + 1]
    assert [step[1] for step in overall] == [50, 100, 150, 151]
    again = cortex.backfill()
    assert (again.done, again.left) == (0, 0)


def test_it_goes_on_where_it_ended(waiting):
    cortex, _ = waiting
    parts = [cortex.backfill(limit=70, scope=Scope.PROJECT) for _ in range(3)]
    assert [one.done for one in parts] == [70, 70, 10]
    assert [one.left for one in parts] == [80, 10, 0]
    assert cortex.backfill().done == 1


# -- What operations and jobs report, and that reporting breaks nothing.
@contextmanager
def listening(listener):
    """Give every record to a listener while the block runs."""
    listen(listener)
    try:
        yield
    finally:
        ignore(listener)


@pytest.fixture
def heard():
    """Every record of the test."""
    records: list[Record] = []
    with listening(records.append):
        yield records


def test_operations_and_jobs_report_their_time(cortex, heard):
    cortex.remember("Retries are bounded at five")
    cortex.gc()
    spans = [one for one in heard if one.kind == "span"]
    told = [(one.name, one.fields.get("operation") or one.fields.get("job")) for one in spans]
    assert ("operation", "remember") in told
    assert ("operation", "gc") in told
    assert ("job", "growth") in told
    assert all(one.seconds > 0 and not one.error for one in spans)
    assert "samples" in {one.fields.get("counter") for one in heard if one.kind == "count"}


def test_no_text_of_a_memory_is_reported(cortex, heard):
    cortex.remember("Retries are bounded at five")
    cortex.recall("how often do we retry?")
    assert "five" not in repr(heard)
    assert "retry" not in repr(heard)


def test_a_listener_that_fails_breaks_nothing(cortex):
    def broken(_):
        raise ValueError

    with listening(broken):
        cortex.remember("Retries are bounded at five")
    assert telemetry._listeners == ()


def test_records_go_to_logging_with_their_fields(caplog):
    with listening(to_logging()), caplog.at_level(logging.DEBUG, "recortex"):
        with span("operation", operation="recall"):
            event("index", rebuilt=True)
            count("hit", 3, layer="words")
        with pytest.raises(KeyError), span("job", job="backup"):
            raise KeyError
    told = [(one.levelname, one.name, one.fields) for one in caplog.records]
    assert told[0] == ("DEBUG", "recortex.index", {"rebuilt": True})
    assert told[1] == ("DEBUG", "recortex.hit", {"layer": "words", "number": 3})
    assert told[2][:2] == ("INFO", "recortex.operation")
    assert told[2][2]["operation"] == "recall"
    assert told[3][:2] == ("WARNING", "recortex.job")
    assert told[3][2]["error"] == "KeyError"


def test_the_command_line_logs_lines_of_json_where_it_is_asked_to(project, monkeypatch):
    monkeypatch.setenv("RECORTEX_LOG", "info")
    command = [sys.executable, "-m", "recortex", "status"]
    done = subprocess.run(command, cwd=project, capture_output=True, text=True, check=True)
    lines = [json.loads(line) for line in done.stderr.splitlines() if line.startswith("{")]
    assert [(one["logger"], one["operation"]) for one in lines] == [("recortex.operation", "status")]
