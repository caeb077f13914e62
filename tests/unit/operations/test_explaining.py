"""explain: why a question is answered as it is, and why a memory is found by it or is not."""

from datetime import timedelta

import pytest

from recortex.domain.vocabulary import Status

PORT = "The license server answers on port 9000"
NEAR = "The license server is restarted on Mondays, which takes a while"
QUESTION = "on which port does the license server answer?"


@pytest.fixture
def port(cortex):
    """A memory that answers the question, beside others."""
    for number in range(12):
        cortex.remember(f"The server in rack {number} is labelled {number * 7}", tags=["rack"])
    return cortex.remember(PORT, tags=["license"])


def causes(cortex, memory, query=QUESTION, **asked):
    return [one.cause for one in cortex.explain(memory.id, query=query, **asked).reasons]


def test_a_hit_tells_which_words_it_has_how_rare_they_are_and_what_each_signal_adds(cortex, port):
    hit = cortex.recall(QUESTION, explain=True, limit=1).hits[0]
    assert hit.memory.id == port.id
    assert hit.why.has == {"port": 1, "license": 1, "answer": 1, "server": 13}
    assert hit.why.adds["keyword"] > hit.why.adds["confidence"] > 0
    assert hit.why.behind == 0.0
    assert "“license” (in 1 of 13 memories)" in hit.why.text
    assert cortex.recall(QUESTION, limit=1).hits[0].why is None


def test_explaining_changes_nothing(cortex, port):
    cortex.explain(QUESTION)
    cortex.explain(port.id, query=QUESTION)
    assert cortex.get(port.id).access_count == 0


def test_a_question_is_told_as_it_is_understood(cortex, port):
    found = cortex.explain("why does the license server answer in Paris on 9000?", floor=False)
    (store,) = found.understood
    assert store.words["license"] == 1
    assert store.unknown == ("paris",)
    assert store.names == ("paris",)
    assert store.asks_for == "reason"
    assert store.for_an_answer["unknown names"] < 0 < store.for_an_answer["coverage"]
    assert found.hits[0].memory.id == port.id


def test_a_memory_that_does_not_answer_has_the_reason_that_is_true(cortex, port, clock):
    rack = cortex.list(tags=["rack"]).memories[0]
    near = cortex.remember(NEAR)
    assert causes(cortex, near, limit=1) == ["limit"]
    assert causes(cortex, near, budget=port.tokens) == ["budget"]
    assert causes(cortex, rack) == ["far"]
    assert causes(cortex, port, tags=["rack"]) == ["filter"]
    assert causes(cortex, port, kinds=["decision"], files=["a.py"]) == ["filter", "filter"]
    assert causes(cortex, port, query="how is bread baked?") == ["candidates"]
    assert causes(cortex, rack, query="bread of the server room in Paris with Anna") == ["floor"]
    later = cortex.remember(f"{PORT} in Berlin", valid_from=clock() + timedelta(days=3))
    assert causes(cortex, later) == ["not yet true"]
    old = cortex.remember(f"{PORT} in Rome", valid_from=clock() - timedelta(9), valid_until=clock())
    assert causes(cortex, old) == ["no longer true"]
    assert causes(cortex, old, valid_at=clock() - timedelta(days=1)) == ["answers"]


@pytest.mark.parametrize("status", [Status.ARCHIVED, Status.SUPERSEDED, Status.QUARANTINED])
def test_a_status_that_does_not_answer_is_told_with_the_signals(cortex, status):
    one = cortex.remember(PORT, status=status)
    found = cortex.explain(one.id, query=QUESTION)
    assert [reason.cause for reason in found.reasons] == ["status"]
    assert found.hit.signals["keyword"] > 0


def test_a_proposed_memory_stands_apart(cortex):
    one = cortex.remember(PORT, status=Status.PROPOSED)
    assert causes(cortex, one) == ["proposed"]


def test_raw_code_answers_only_where_its_kind_is_asked_for(cortex):
    one = cortex.remember("def license_server(port): return port", kind="code")
    assert causes(cortex, one) == ["kind"]
    assert causes(cortex, one, kinds=["code"]) == ["answers"]
