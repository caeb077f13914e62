from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recortex.domain.search import Facts
from recortex.engines.retrieval.question import question
from recortex.engines.retrieval.scorer import Evidence, Support, answerable, score

share = st.floats(0, 1)
facts = st.builds(
    Facts, key=st.integers(1, 10**6), kind=st.sampled_from(["tribal", "decision"]),
    session=st.sampled_from(["", "s"]), turn=st.none() | st.integers(0, 9),
    speaker=st.sampled_from(["", "Ann"]), valid_from=st.integers(-(10**17), 10**18),
    recorded_at=st.integers(0, 10**16), last_accessed_at=st.none() | st.integers(0, 10**16), confidence=share,
    priority=st.integers(1, 10), traits=st.integers(0, 4095),
)  # fmt: skip


@given(st.none() | share, share, share, st.none() | st.floats(-1, 1), st.booleans())
def test_certainty_is_a_share_and_falls_with_what_is_unknown(coverage, unknown, strangers, likeness, outline):
    sure = answerable(Support(coverage, unknown, strangers, likeness, outline))
    assert 0.0 <= sure <= 1.0
    assert answerable(Support(coverage, 1.0, strangers, likeness, outline)) <= sure


@given(st.lists(facts, max_size=12, unique_by=lambda one: one.key), st.text(max_size=40), st.data())
def test_scoring_loses_no_candidate_and_its_signals_are_shares(candidates, text, data):
    values = {one.key: data.draw(share) for one in candidates}
    found = score(question(text), Evidence(facts=candidates, keyword=values, semantic=values, now=10**16))
    assert sorted(one.facts.key for one in found) == sorted(one.key for one in candidates)
    assert all(0.0 <= value <= 1.0 for one in found for value in one.signals.values())


@st.composite
def questions_with_evidence(draw):
    """A question with what is known of its candidates."""
    candidates = draw(st.lists(facts, min_size=1, max_size=12, unique_by=lambda one: one.key))
    keyword, semantic = ({one.key: draw(share) for one in candidates} for _ in range(2))
    return question(draw(st.text(max_size=40))), Evidence(candidates, keyword, semantic, now=10**16)


@given(questions_with_evidence(), st.randoms(use_true_random=False))
def test_the_order_of_the_candidates_changes_nothing(asked, random):
    text, evidence = asked
    other = list(evidence.facts)
    random.shuffle(other)
    assert [one.facts.key for one in score(text, evidence)] == [
        one.facts.key for one in score(text, replace(evidence, facts=other))
    ]


@given(questions_with_evidence())
def test_what_each_signal_adds_is_the_whole_score(asked):
    assert all(sum(one.adds.values()) == pytest.approx(one.total, abs=1e-6) for one in score(*asked))


@given(questions_with_evidence(), st.data())
def test_among_others_the_more_important_of_equals_goes_first(asked, data):
    text, evidence = asked
    one = data.draw(st.sampled_from(evidence.facts))
    low = one._replace(key=10**7, priority=data.draw(st.integers(1, 9)))
    high = one._replace(key=10**7 + 1, priority=data.draw(st.integers(low.priority + 1, 10)))
    more = replace(
        evidence,
        facts=[*evidence.facts, low, high],
        keyword={**evidence.keyword, low.key: evidence.keyword[one.key], high.key: evidence.keyword[one.key]},
        semantic={
            **evidence.semantic,
            low.key: evidence.semantic[one.key],
            high.key: evidence.semantic[one.key],
        },
    )
    places = [each.facts.key for each in score(text, more)]
    assert places.index(high.key) < places.index(low.key)
