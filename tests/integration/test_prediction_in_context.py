"""What is predicted fills what `context` has room for, and pushes out nothing that answers."""

import os

from recortex import Cortex
from recortex.app.jobs.running import run
from recortex.app.jobs.table import AFTER_SESSION
from recortex.domain.session import Session
from recortex.domain.vocabulary import Actor, Scope


def test_context_is_filled_up_with_what_was_predicted_after_the_turn(project, clock):
    (project / "src").mkdir()
    with Cortex.open(project, clock=clock, actor=Actor.AGENT) as cortex:
        answer = cortex.remember("The retry of webhooks waits twice as long each time", kind="decision")
        linked = cortex.remember("Bodies are never logged", kind="insight", files=["src/hook.py"])
        services = cortex._app.services(Scope.PROJECT)
        now = clock()
        session = Session(id="one", started_at=now, seen_at=now, process=os.getppid())
        services.store.sessions.put(session)
        before = cortex.context("How long does a retry of webhooks wait?")
        assert linked.id not in {one.id for one in before.entries}
        (project / "src" / "hook.py").write_text("x = 1\n")
        assert linked.id == cortex.predict(files=["src/hook.py"]).predicted[0].id
        _turn(services, clock, "src/hook.py")
        after = cortex.context("How long does a retry of webhooks wait?", again=True)
        told = {one.id: one for one in after.entries}
        assert told[linked.id].why == "predicted"
        assert told[answer.id].relevance > told[linked.id].relevance
        assert after.entries[0].id == answer.id
        small = cortex.context("How long does a retry of webhooks wait?", again=True, budget=60)
        assert linked.id not in {one.id for one in small.entries}


def _turn(services, clock, path):
    """Let the jobs of a turn run in which a file was worked on."""
    from example_exchanges import exchange, keep

    at = clock()
    keep(
        services,
        exchange(1, session="one", files=(path,), started_at=at, ended_at=at, message=f"Mend {path}"),
    )
    settings = services.settings
    job = [one for one in AFTER_SESSION if one.name == "prediction"]
    assert [one.state for one in run(services, clock, settings, job)] == ["done"]
