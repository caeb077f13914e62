"""Consolidation from the plan to the merged memory and back, on every engine, with the shipped model."""

import pytest

from recortex import Cortex
from recortex.consolidation.consolidating import Consolidating
from recortex.domain.vocabulary import Actor, Status

SAID = (
    ("How is the site deployed?", "The release workflow on GitHub Actions deploys the site."),
    ("what deploys the site?", "The site is deployed by the release workflow on GitHub Actions."),
    ("deployment of the site", "GitHub Actions deploys the site with the release workflow."),
    ("Why is the search index so large?", "Stop words were kept in it."),
)


@pytest.fixture
def cortex(project, clock, layout, server):
    url = f"sqlite:///{project}/cortex.db" if layout == "sqlite" else server.workspace_url(layout)
    with Cortex.open(project, url=url, clock=clock) as opened:
        yield opened


@pytest.fixture
def episodes(cortex, clock):
    """Three episodes on one matter and one on another, ten days old."""
    kept = [
        cortex.remember(kind="episodic", content={"user_query": asked, "agent_response": answered})
        for asked, answered in SAID
    ]
    clock.pass_(days=10)
    return kept


def statuses(cortex, memories):
    return [cortex.get(one.id).status for one in memories]


def test_episodes_become_knowledge_that_is_found_and_undone_as_one_change(cortex, episodes):
    *same, other = episodes
    (planned,) = cortex.consolidate("plan").groups
    assert statuses(cortex, episodes) == [Status.ACTIVE] * 4
    (group,) = cortex.consolidate("run").groups
    assert (group.refused, group.result) == ("", "strengthened")
    assert group.memory.text == planned.memory.text
    assert statuses(cortex, same) == [Status.SUPERSEDED] * 3
    assert cortex.get(other.id).status is Status.ACTIVE
    assert cortex.recall("how is the site deployed?").hits[0].memory.id == group.memory.id
    assert cortex.consolidate("metrics").metrics["precision"] >= 0.7
    assert cortex.consolidate("run").groups == ()
    cortex.undo(group.memory.id)
    assert statuses(cortex, episodes) == [Status.ACTIVE] * 4


def test_what_another_process_changed_meanwhile_is_left_as_it_is(cortex, clock, episodes):
    engine = Consolidating(cortex._app.all_services()[0], now=clock(), actor=Actor.USER)
    (proposal,) = engine.plan().proposals
    cortex.forget(episodes[0].id)
    assert engine.carry_out(proposal) is None
    assert statuses(cortex, episodes) == [Status.ARCHIVED, *[Status.ACTIVE] * 3]
    assert cortex.list(kinds=["semantic"]).memories == ()


def test_what_a_person_keeps_apart_is_not_merged(cortex, episodes):
    one, two, three, _ = episodes
    cortex.review("both", [one.id, two.id])
    cortex.review("both", [one.id, three.id])
    cortex.review("both", [two.id, three.id])
    assert cortex.consolidate("plan").groups == ()
