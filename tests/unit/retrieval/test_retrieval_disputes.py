"""Of two answers that contradict each other, the later one stands before the earlier one."""

from datetime import timedelta

from hypothesis import given
from hypothesis import strategies as st

from example_memories import AT, memory
from recortex.domain.search import Hit, MemoryQuery
from recortex.engines.retrieval.service import later_first

ANY = MemoryQuery()


def hits(said):
    """Hits in this order, each said so many days after the first."""
    return [
        Hit(
            memory=memory(number, f"Statement {number}", valid_from=AT + timedelta(days=day)),
            score=1 - number / 10,
        )
        for number, day in enumerate(said)
    ]


@given(said=st.permutations(range(6)), pairs=st.sets(st.tuples(st.integers(0, 5), st.integers(0, 5))))
def test_the_later_one_goes_first_nothing_is_lost_and_the_earlier_one_says_so(said, pairs):
    found = hits(said)
    pairs = {(one, other) for one, other in pairs if one != other}
    told = later_first(found, [(found[one].memory, found[other].memory) for one, other in pairs], ANY)
    assert {hit.memory.id for hit in told} == {hit.memory.id for hit in found}
    scores = [hit.score for hit in told]
    assert scores == sorted(scores, reverse=True)
    earlier = {min(pair, key=lambda number: said[number]) for pair in pairs}
    assert {hit.memory.id for hit in told if hit.disputed} == {found[number].memory.id for number in earlier}
    if len(pairs) == 1:
        ((one, other),) = pairs
        places = {hit.memory.id: place for place, hit in enumerate(told)}
        later, before = sorted((one, other), key=lambda number: -said[number])
        assert places[found[later].memory.id] < places[found[before].memory.id]


def test_a_later_one_that_is_no_hit_becomes_one_where_the_filters_let_it():
    found, later = hits([0]), memory(9, "Ports are assigned", valid_from=AT + timedelta(days=3))
    pairs = [(later, found[0].memory)]
    first, second = later_first(found, pairs, ANY)
    assert (first.memory, first.score, first.disputed) == (later, second.score, "")
    assert second.disputed == f"2026-03-04, {later.id[:8]}: Ports are assigned"
    (told,) = later_first(found, pairs, MemoryQuery(kinds=("incident",)))
    assert told.disputed == second.disputed
