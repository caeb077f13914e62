"""An answer is what holds now, in full, and says where it is not sure."""

from datetime import UTC, datetime, timedelta

import pytest

from recortex.domain.maintenance import Degradation
from recortex.errors import InvalidInputError

PORT = "The license server answers on port 9000"
QUESTION = "on which port does the license server answer?"


def test_a_budget_that_fits_nothing_is_told(cortex):
    kept = cortex.remember(PORT)
    none = cortex.recall(QUESTION, budget=3)
    assert none.hits == ()
    assert none.needed == kept.tokens
    assert cortex.recall(QUESTION, budget=none.needed).hits
    assert cortex.recall("how is bread baked?", budget=3).needed == 0


def test_no_hit_below_the_floor_stands_beside_one_above_it(cortex):
    kept = cortex.remember(PORT)
    for number in range(12):
        cortex.remember(f"The server in rack {number} is labelled {number * 7}")
    answer = cortex.recall(QUESTION)
    assert answer.hits[0].memory.id == kept.id
    assert answer.withheld == 8 - len(answer.hits) > 0
    assert all(hit.score >= answer.floor for hit in answer.hits)
    whole = cortex.recall(QUESTION, floor=False)
    assert len(whole.hits) == 8
    assert {hit.weak for hit in whole.hits} == {True, False}


def test_an_exception_ends_when_it_says(cortex, clock):
    ends = clock() + timedelta(days=3)
    said = {"reason": "The importer may skip validation", "constraint_name": "validate input"}
    kept = cortex.remember(kind="constraint_override", content={**said, "expires_at": ends.isoformat()})
    assert kept.valid_until == ends
    later = ends + timedelta(days=2)
    assert cortex.edit(kept.id, content={"expires_at": later.isoformat()}).valid_until == later
    clock.pass_(days=30)
    assert not cortex.recall("may the importer skip validation?", floor=False).hits
    past = cortex.remember(
        kind="constraint_override", content={"reason": "It was so", "expires_at": "2020-01-01"}
    )
    assert past.valid_from == past.valid_until == datetime(2020, 1, 1, tzinfo=UTC)
    with pytest.raises(InvalidInputError, match="not a date"):
        cortex.remember(kind="constraint_override", content={**said, "expires_at": "soon"})


def test_a_fallback_is_told_until_the_part_works_again(cortex, clock):
    app = cortex._app
    cortex.remember("One thing to know")
    for component in ("surface file", "job: backup", "embedding model"):
        app.degraded(Degradation(component, "it failed", "something else"))
    assert len(cortex.status().fallbacks) == 3
    clock.pass_(days=9)
    app.works_again("embedding model")
    cortex.gc()
    assert {one.component for one in cortex.status().fallbacks} == {"surface file"}


def test_confidence_is_what_is_left_of_it_now(cortex, clock):
    fades = cortex.remember("The build is red on Mondays", kind="insight", confidence=0.9)
    stays = cortex.remember("The build needs make", kind="insight", confidence=0.6, pinned=True)
    assert cortex.get(fades.id).confidence == 0.9
    clock.pass_(days=400)
    left = cortex.get(fades.id).confidence
    assert left < 0.3
    assert cortex.get(stays.id).confidence == 0.6
    listed = {one.id: one.confidence for one in cortex.list().memories}
    assert listed == {fades.id: left, stays.id: 0.6}
    assert [one.id for one in cortex.list(min_confidence=0.5).memories] == [stays.id]
    assert [one.id for one in cortex.list(max_confidence=0.5).memories] == [fades.id]
    assert [one.id for one in cortex.list(order="confidence").memories] == [stays.id, fades.id]
    assert cortex.get(fades.id, as_of=clock()).confidence == 0.9  # as it was recorded
    assert '"confidence":0.9' in cortex.export().text.replace(" ", "")


def test_a_hub_fades_half_as_fast_in_every_answer(cortex, clock):
    hub, leaf = (cortex.remember(text, kind="insight") for text in (PORT, "The backup runs at night"))
    for number in range(3):
        other = cortex.remember(f"Client {number} reads its configuration from a file", kind="insight")
        cortex.link(other.id, hub.id)
    clock.pass_(days=400)
    left = cortex.get(hub.id).confidence
    assert left > cortex.get(leaf.id).confidence
    assert {one.id: one.confidence for one in cortex.list().memories}[hub.id] == left
    assert cortex.related(hub.id).memory.confidence == left
    (hit,) = cortex.recall(QUESTION, floor=False, limit=1).hits
    assert (hit.memory.id, hit.memory.confidence) == (hub.id, left)
