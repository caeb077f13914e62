"""What would go wrong in the background without anybody noticing, on a real store with the shipped model.

Each test breaks something for real, or leads to where it would break, and says what would be seen if nothing
looked after it.
"""

import pytest

from example_exchanges import exchange, keep
from recortex import Cortex
from recortex.consolidation.consolidating import EVENTS, MEASURED, Event, details
from recortex.domain.vocabulary import Actor, Scope, Status
from recortex.engines.supersession import record

FIRST = "The proxy strips the header before it forwards"
SECOND = "Before it forwards, the proxy strips the header"
THIRD = "The header is stripped by the proxy before it forwards"


@pytest.fixture
def cortex(project, clock):
    with Cortex.open(project, clock=clock) as opened:
        yield opened


@pytest.fixture
def services(cortex):
    return cortex._app.services(Scope.PROJECT)


@pytest.fixture
def words_alone(monkeypatch):
    """Without vectors, so that what is lost from the index of words is found by nothing else."""
    monkeypatch.setenv("RECORTEX_EMBEDDER", "none")


def change(services, statement, *values):
    with services.store.transaction():
        services.store.pool.rows(statement, values)


def statuses(cortex, memories):
    return [cortex.get(one.id).status for one in memories]


# -- consolidation


@pytest.mark.usefixtures("words_alone")
def test_a_gate_that_let_everything_pass_would_end_a_memory_that_nothing_finds(cortex, services, clock):
    kept = [cortex.remember(text) for text in (FIRST, SECOND)]
    change(services, "DELETE FROM memories_fts WHERE rowid = 2")
    clock.pass_(days=10)
    (group,) = cortex.consolidate("run").groups
    assert "not found" in group.refused
    assert statuses(cortex, kept) == [Status.ACTIVE] * 2
    assert cortex.consolidate("metrics").events == 0
    change(services, "INSERT INTO memories_fts (memories_fts) VALUES ('rebuild')")
    (group,) = cortex.consolidate("run").groups
    assert not group.refused
    assert statuses(cortex, kept) == [Status.SUPERSEDED] * 2


@pytest.mark.usefixtures("words_alone")
def test_a_successor_that_nothing_finds_would_take_its_sources_along(cortex, services, clock):
    kept = [cortex.remember(text) for text in (FIRST, SECOND)]
    lose = "DELETE FROM memories_fts WHERE rowid = (SELECT max(key) FROM memories);"
    merged = "AFTER INSERT ON audit WHEN new.operation = 'consolidate'"
    change(services, f"CREATE TRIGGER lose {merged} BEGIN {lose} END")
    clock.pass_(days=10)
    (group,) = cortex.consolidate("run").groups
    assert group.refused
    assert statuses(cortex, kept) == [Status.ACTIVE] * 2
    assert {one.id for one in cortex.list(limit=10, statuses=list(Status)).memories} == {
        one.id for one in kept
    }


def test_bad_consolidations_would_go_on_as_before(cortex, services, clock):
    """A hundred of them found little of what their sources did: two alike are no group any more."""
    pair = [cortex.remember(text) for text in (FIRST, SECOND)]
    clock.pass_(days=10)
    assert len(cortex.consolidate("plan").groups) == 1
    made = cortex.consolidate("run").groups[0].memory
    bad = Event(id=made.id, sources=2, precision=0.2, compression=4.0, lift=2.0)
    change(services, "DELETE FROM audit WHERE operation = ?", MEASURED)
    for number in range(EVENTS - 1):
        one = cortex.remember(f"Event {number} of the archive", kind="insight")
        change(services, "UPDATE memories SET origin = 'consolidation' WHERE id = ?", one.id)
        with services.store.transaction():
            record(services.store, one.id, MEASURED, Actor.USER, clock(), details(bad))
    with services.store.transaction():
        record(services.store, made.id, MEASURED, Actor.USER, clock(), details(bad))
    cortex.undo(made.id)
    assert statuses(cortex, pair) == [Status.ACTIVE] * 2
    clock.pass_(days=10)
    assert cortex.consolidate("metrics").missed[0] == "precision"
    assert [one for one in cortex.consolidate("plan").groups if len(one.sources) < 3] == []


# -- contradictions


def test_a_contradiction_would_be_served_where_no_session_is_ever_learned_from(cortex):
    kept = [cortex.remember(f"The API listens on port {port}").id for port in (8080, 9090)]
    cortex.remember("The admin page listens on port 9091")
    found = cortex.validate(heal=True).findings
    assert {one.id for one in found} == set(kept)
    assert {issue.dimension for one in found for issue in one.issues} == {"contradiction"}
    assert len(cortex.review().contradictions) == 1


# -- prediction


def test_what_was_forgotten_would_be_predicted_from_the_cache(cortex, services):
    kept = [
        cortex.remember(text, files=["src/proxy.py"])
        for text in ("Never log the header", "Retry three times")
    ]
    keep(services, exchange(1, session="old", files=("src/proxy.py",), message="Look at src/proxy.py"))
    cortex.preload()
    cortex.forget(kept[0].id)
    found = cortex.predict(files=["src/proxy.py"])
    assert found.cached
    assert kept[0].id not in {one.id for one in found.predicted}
    assert kept[1].id in {one.id for one in found.predicted}


def test_a_new_session_would_get_the_predictions_of_another(cortex, services, clock):
    keep(services, exchange(1, session="old", files=("src/proxy.py",), message="Look at src/proxy.py"))
    cortex.preload(session="one")
    assert cortex.predict(session="one").cached
    clock.pass_(days=2)
    assert not cortex.predict(session="two").cached


# -- all of it together


def test_a_memory_is_made_found_merged_fades_and_is_checked(cortex, project, clock):
    (project / "src").mkdir()
    (project / "src" / "proxy.py").write_text("def forward():\n    pass\n")
    kept = [cortex.remember(text, files=["src/proxy.py"]) for text in (FIRST, SECOND, THIRD)]
    assert cortex.recall("does the proxy strip headers?").hits[0].memory.id in {one.id for one in kept}
    clock.pass_(days=10)
    (group,) = cortex.consolidate("run").groups
    made = cortex.get(group.memory.id)
    assert statuses(cortex, kept) == [Status.SUPERSEDED] * 3
    before = cortex.recall("does the proxy strip headers?").hits[0]
    assert before.memory.id == made.id
    clock.pass_(days=400)
    after = cortex.recall("does the proxy strip headers?").hits[0].memory
    assert after.id == made.id
    assert 0.0 < after.confidence < before.memory.confidence <= 1.0
    assert [one for one in cortex.validate([made.id]).findings if "proxy.py" in str(one)] == []
    (project / "src" / "proxy.py").unlink()
    (finding,) = cortex.validate([made.id]).findings
    assert finding.id == made.id
    cortex.undo(made.id)
    assert statuses(cortex, kept) == [Status.ACTIVE] * 3
