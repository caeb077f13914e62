"""What rests on a memory that ends becomes less sure, the less the further; a consensus resists."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from example_memories import AT
from recortex.domain.memory import Relation
from recortex.domain.vocabulary import RelationStatus, RelationType
from recortex.engines.supersession import ENDED, FACTOR, LEAST, losses, supporters

relations = st.lists(
    st.builds(
        Relation, st.sampled_from("abcdef"), st.sampled_from("abcdef"),
        st.sampled_from(tuple(RelationType)), st.just(AT), status=st.sampled_from(RelationStatus),
    ),
    max_size=12,
)  # fmt: skip


def reading(known):
    return lambda ids: [one for one in known if {one.source_id, one.target_id} & set(ids)]


@given(relations)
def test_losses_are_bounded_end_and_halve_with_each_step(known):
    lost = losses("a", reading(known))
    assert "a" not in lost
    steps = [ENDED * FACTOR**step for step in range(1, 5)]
    assert set(lost.values()) <= {one for one in steps if one >= LEAST}
    assert list(lost.values()) == sorted(lost.values(), reverse=True)


def test_what_rests_on_it_follows_the_direction_of_the_relation():
    known = [
        Relation("a", "b", RelationType.SUPPORTS, AT),
        Relation("c", "a", RelationType.DERIVED_FROM, AT),
        Relation("d", "c", RelationType.DEPENDS_ON, AT),
        Relation("e", "a", RelationType.SUPPORTS, AT),
        Relation("f", "a", RelationType.RELATED, AT),
        Relation("g", "a", RelationType.REQUIRES, AT, status=RelationStatus.SUGGESTED),
    ]
    assert losses("a", reading(known)) == {"b": 0.25, "c": 0.25, "d": 0.125}
    assert supporters("a", known) == {"e"}


@pytest.fixture
def notes(cortex):
    def keep(text):
        return cortex.remember(text, kind="decision").id

    return keep


def test_a_decision_that_ended_makes_what_rests_on_it_less_sure(cortex, notes):
    redis = notes("Sessions are stored in Redis")
    expiry, more, pinned = (
        notes("Logins expire by TTL"),
        notes("No cron job cleans up logins"),
        notes("Keep keys short"),
    )
    cortex.link(expiry, redis, relation="depends_on")
    cortex.link(more, expiry, relation="depends_on")
    cortex.link(pinned, redis, relation="depends_on")
    cortex.edit(pinned, pinned=True)
    new = cortex.remember(
        "Sessions are stored in Postgres instead of Redis", kind="decision", supersedes=redis
    )
    left = [round(cortex.get(id_).confidence, 3) for id_ in (expiry, more, pinned, new.id)]
    assert left == [0.75, 0.875, 1.0, 1.0]
    assert cortex.undo(expiry).confidence == 1.0
    cortex.undo(redis)  # it stands again, and so does what rests on it
    assert [cortex.get(id_).confidence for id_ in (expiry, more, pinned)] == [1.0, 1.0, 1.0]


def test_what_three_others_support_is_not_ended_by_one(reading):
    cortex = reading

    def notes(text):
        return cortex.remember(text, kind="decision").id

    known = notes("CI runs on Jenkins")
    for text in ("Agents are in the cellar", "Backups keep the job folder", "The plugin list is frozen"):
        cortex.link(notes(text), known, relation="supports")
    new = cortex.remember("We moved CI from Jenkins to Buildkite", kind="decision")
    assert cortex.get(known).status == "active"
    assert [(one.done, one.id) for one in new.known] == [("contradicts", known)]
    (pair,) = cortex.review().contradictions
    assert {pair.newer.id, pair.older.id} == {new.id, known}
