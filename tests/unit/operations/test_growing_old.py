"""lifecycle: what fades is put away step by step, for reasons that can be read, and comes back."""

from dataclasses import replace

import pytest

from recortex.app.jobs.lifecycle import run_lifecycle
from recortex.domain.vocabulary import Actor, Status


def statuses(cortex, *memories):
    return [cortex.get(one.id).status for one in memories]


@pytest.fixture
def old(cortex, clock):
    """An episode that has been below its kind's threshold for long, and is linked to nothing."""
    memory = cortex.remember("The build was green after the cache was emptied", kind="episodic")
    clock.pass_(days=60)
    return memory


def test_what_faded_is_archived_then_pruned(cortex, clock, old):
    kept = cortex.remember("The service is written in Go", kind="core")
    first = cortex.lifecycle(trust_clock=True)
    assert (first.archived, first.pruned) == (1, 0)
    (change,) = first.changes
    assert (change.id, change.kind, change.status, change.scope) == (
        old.id, "episodic", "archived", "project",
    )  # fmt: skip
    assert change.reason == "confidence 0.00, below 0.1 since 2026-03-24"
    assert statuses(cortex, old, kept) == [Status.ARCHIVED, Status.ACTIVE]
    assert cortex.lifecycle(trust_clock=True).changes == ()
    clock.pass_(days=29)
    assert cortex.lifecycle(trust_clock=True).changes == ()
    clock.pass_(days=1)
    assert cortex.lifecycle(trust_clock=True).pruned == 1
    assert statuses(cortex, old, kept) == [Status.PRUNED, Status.ACTIVE]
    clock.pass_(days=1000)
    assert cortex.lifecycle(trust_clock=True).changes == ()


def test_each_step_is_in_the_history_and_can_be_undone(cortex, old):
    cortex.lifecycle(trust_clock=True)
    history = cortex.history(old.id)
    assert (history.versions[0].changed_by, history.versions[0].reason[:10]) == (Actor.DECAY, "confidence")
    assert [(one.operation, one.actor) for one in history.audit][-1] == ("archive", Actor.DECAY)
    cortex.undo(old.id)
    assert statuses(cortex, old) == [Status.ACTIVE]
    assert cortex.lifecycle(trust_clock=True).changes == ()


def test_a_proposal_that_nothing_confirmed_is_archived_and_comes_back_as_one(cortex, clock, monkeypatch):
    memory = cortex.remember("The worker may need a second queue", kind="decision")
    services, proposed = cortex._app.services(memory.scope), replace(memory, status=Status.PROPOSED)
    services.ingestion.change(memory, proposed, now=clock(), actor=Actor.USER, operation="doubt")
    clock.pass_(days=59)
    assert cortex.lifecycle(trust_clock=True).changes == ()
    clock.pass_(days=1)
    assert (
        cortex.lifecycle(trust_clock=True).changes[0].reason
        == "proposed, and nothing confirmed it since 2026-03-01"
    )
    assert statuses(cortex, memory) == [Status.ARCHIVED]
    cortex.undo(memory.id)
    assert statuses(cortex, memory) == [Status.PROPOSED]
    monkeypatch.setenv("RECORTEX_LIFECYCLE_PROPOSAL_DAYS", "0")
    clock.pass_(days=1000)
    with type(cortex).open(cortex._app.root, clock=clock) as patient:
        assert patient.lifecycle(trust_clock=True).changes == ()


def test_a_recall_resets_the_decay(cortex, clock, old):
    del old
    assert cortex.recall("build green cache emptied", floor=False).hits
    assert cortex.lifecycle(trust_clock=True).changes == ()
    clock.pass_(days=20)
    assert cortex.lifecycle(trust_clock=True).changes == ()


def test_pinned_ones_and_hubs_stay(cortex, clock):
    pinned = cortex.remember("A pinned episode", kind="episodic", pinned=True)
    hub = cortex.remember("An episode that much hangs on", kind="episodic")
    for name in ("one", "two"):
        cortex.link(cortex.remember(f"Leaf {name}", kind="core").id, hub.id)
    lesser = cortex.remember("An episode that little hangs on", kind="episodic")
    cortex.link(hub.id, lesser.id)
    clock.pass_(days=1000)
    assert [one.id for one in cortex.lifecycle(trust_clock=True).changes] == [lesser.id]
    assert statuses(cortex, pinned, hub) == [Status.ACTIVE, Status.ACTIVE]


def test_a_suggested_relation_makes_no_hub(cortex, clock):
    from dataclasses import replace

    from recortex.domain.vocabulary import RelationStatus

    leaf = cortex.remember("A leaf", kind="core")
    memory = cortex.remember("An episode", kind="episodic")
    cortex.link(leaf.id, memory.id)
    relations = cortex._app.all_services()[0].store.relations
    relations.put(replace(relations.all()[0], status=RelationStatus.SUGGESTED))
    clock.pass_(days=1000)
    assert cortex.lifecycle(trust_clock=True).archived == 1


def test_a_dry_run_changes_nothing(cortex, old):
    result = cortex.lifecycle(dry_run=True)
    assert (result.dry_run, result.archived, len(result.changes)) == (True, 1, 1)
    assert statuses(cortex, old) == [Status.ACTIVE]


def test_what_another_process_changed_meanwhile_is_left_alone(cortex, clock, old):
    services = cortex._app.all_services()[0]
    late = services.store.statistics.fading

    def fading(before):
        found = late(before)
        cortex.edit(old.id, tags=["new"])
        return found

    services.store.statistics.fading = fading
    assert run_lifecycle(services, clock.now, cortex._app.settings).transitions == ()
    assert statuses(cortex, old) == [Status.ACTIVE]
