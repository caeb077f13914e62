"""Chains and texts of reasons over random graphs: bounds hold, and nothing is told without evidence."""

from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from recortex.domain.context import Claim, Evidence
from recortex.domain.memory import Relation
from recortex.domain.vocabulary import RelationType
from recortex.why.reasons import NOTHING, TITLES, links, tell

AT = datetime(2026, 3, 1, tzinfo=UTC)
NODES = [f"{number:02}" for number in range(12)]
relations = st.lists(
    st.builds(
        lambda ends, type_, strength: Relation(*ends, type_, AT, strength),
        st.tuples(st.sampled_from(NODES), st.sampled_from(NODES)).filter(lambda ends: ends[0] != ends[1]),
        st.sampled_from(RelationType),
        st.floats(0, 1),
    ),
    max_size=40,
)


def of(graph):
    return lambda ids: [one for one in graph if {one.source_id, one.target_id} & set(ids)]


@given(relations, st.integers(0, 6), st.integers(1, 10), st.floats(0, 1))
def test_depth_strength_and_number_are_bounded(graph, depth, most, least):
    found = links(["00"], of(graph), depth=depth, least=least, most=most)
    for near, relation, path in found:
        assert len(path) <= depth
        assert all(one.strength >= least for one in path)
        assert path[-1] is relation
        assert near in {relation.source_id, relation.target_id}
    reached = {id_ for one in found for id_ in (one.relation.source_id, one.relation.target_id)} - {"00"}
    assert len(reached) <= most


@given(relations, st.integers(1, 5))
def test_each_path_begins_at_the_start_and_hangs_together(graph, depth):
    for near, _, path in links(["00"], of(graph), depth=depth, least=0.0):
        at = "00"
        for one in path[:-1]:
            assert at in {one.source_id, one.target_id}
            at = one.other(at)
        assert at == near


claims = st.lists(
    st.builds(
        lambda section, words, id_: Claim(section, " ".join(words), (Evidence("memory", id_),)),
        st.sampled_from(list(TITLES)),
        st.lists(
            st.sampled_from(["kiln", "fires", "because", "glaze", "of", "heat"]), min_size=1, max_size=40
        ),
        st.sampled_from(["0b5d3b1e", "1c5d3b1e"]),
    ),
    max_size=30,
)


@given(claims, st.integers(20, 400), st.sampled_from(["summary", "detailed", "comprehensive"]))
def test_the_text_keeps_the_budget_and_tells_its_claims_alone(found, budget, verbosity):
    def count(text):
        return len(text.split())

    told = tell("# Why: x", found, verbosity, budget, count)
    assert told.tokens == count(told.text) <= budget
    lines = [line for line in told.text.split("\n") if line.startswith("- ")]
    assert len(lines) == len(told.claims) or len(told.claims) == 1
    assert all(line.endswith("]") for line in lines)
    if not found:
        assert told.text.endswith(NOTHING)
