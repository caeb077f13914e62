"""What is only proposed answers an explicit question, apart from what is active."""

import pytest

from recortex import Cortex

ACTIVE = "The parcels service logs with slog; the key of a parcel is parcel_id."
PROPOSED = "The parcels service keeps its locks in Redis, because Postgres was too slow for that."


@pytest.fixture
def cx(tmp_path):
    with Cortex.open(tmp_path) as opened:
        opened.remember(ACTIVE)
        opened.remember(PROPOSED, status="proposed")
        yield opened


def test_a_proposed_memory_stands_apart(cx):
    found = cx.recall("where does the parcels service keep its locks?")
    assert [one.text for one in found.unchecked] == [PROPOSED]
    assert PROPOSED not in [hit.memory.text for hit in found.hits]


def test_it_is_left_out_where_statuses_are_asked_for_and_beyond_the_budget(cx):
    question = "where does the parcels service keep its locks?"
    assert cx.recall(question, statuses=["active"]).unchecked == ()
    found = cx.recall("which key do the logs of the parcels service have?", budget=20)
    assert found.tokens <= 20
    assert found.unchecked == ()
