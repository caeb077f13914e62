"""A job whose process is ended before it is done holds up no other, and is tried less and less often."""

import os
from itertools import pairwise

import pytest

from recortex import Cortex
from recortex.app.jobs.running import run
from recortex.app.jobs.table import Job
from recortex.app.jobs.work import Outcome
from recortex.domain.vocabulary import Scope

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs processes that begin as copies")


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
