"""What led to what never comes back to where it began, whatever order relations are made in."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from example_memories import AT
from recortex.domain.relation import Relation
from recortex.domain.vocabulary import RelationType as Type
from recortex.engines.graph.causality import cycle, in_words, order

LED = [Type.CAUSED, Type.ENABLED, Type.PREVENTED, Type.TRIGGERED_BY, Type.DERIVED_FROM]
RELATIONS = st.builds(
    Relation, st.sampled_from("abcdef"), st.sampled_from("abcdef"), st.sampled_from([*LED, Type.SUPPORTS]),
    st.just(AT)
)  # fmt: skip


def kept(relations):
    """Those that are kept one after another, and the circles that were refused."""
    held, refused = [], []

    def of(ids):
        return [one for one in held if {one.source_id, one.target_id} & set(ids)]

    for one in relations:
        path = cycle(one, of)
        (refused if path else held).append(path or one)
    return held, refused


def reached(start, arcs):
    found, edge = set(), [start]
    while edge:
        here = edge.pop()
        for first, then in arcs:
            if first == here and then not in found:
                found.add(then)
                edge.append(then)
    return found


@given(st.lists(RELATIONS, max_size=20))
def test_what_is_kept_has_no_circle_and_what_is_refused_is_one(relations):
    held, refused = kept(relations)
    arcs = [ends for one in held if (ends := order(one))]
    assert not [end for end in "abcdef" if end in reached(end, arcs)]
    for path in refused:
        ends = [order(one) for one in path]
        assert [then for _, then in ends] == [first for first, _ in ends[1:]] + [ends[0][0]]
        assert set(path[1:]) <= set(held)


@given(st.lists(RELATIONS, max_size=20))
def test_nothing_is_refused_that_closes_no_circle(relations):
    held, refused = kept(relations)
    arcs = [ends for one in held if (ends := order(one))]
    for path in refused:
        first, then = order(path[0])
        assert first == then or first in reached(then, arcs)


@pytest.mark.parametrize("type_", LED)
def test_no_cause_holds_both_ways(type_):
    one = Relation("a" * 36, "b" * 36, type_, AT, bidirectional=True)
    assert cycle(one, lambda _: ()) == [one]
    assert in_words([one]) == f"aaaaaaaa {type_} bbbbbbbb"
