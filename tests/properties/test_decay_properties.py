"""Invariants of decay, such as that it never raises confidence, over all kinds and all circumstances."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recortex.domain.kinds import KINDS
from recortex.domain.maintenance import MemoryStatistics
from recortex.engines.decay import DAY, Rules, below_since, confidence, confidences, curve, transition

instants = st.integers(0, 5_000 * DAY)
standings = st.builds(
    MemoryStatistics,
    key=st.just(1),
    id=st.just("a"),
    kind=st.sampled_from(sorted(KINDS)),
    status=st.just("active"),
    confidence=st.floats(0, 1),
    priority=st.integers(1, 10),
    pinned=st.integers(0, 1),
    recorded_at=instants,
    updated_at=instants,
    validated_at=st.none() | instants,
    last_accessed_at=st.none() | instants,
    access_count=st.integers(0, 100_000),
    patterns=st.integers(0, 20),
    checked_at=st.none() | instants,
    standing=st.none() | st.floats(0, 1),
    standing_since=st.none() | instants,
)
centralities = st.floats(0, 1)
nows = st.integers(0, 20_000 * DAY)


@given(standings, centralities, nows, nows)
def test_confidence_never_rises_without_access(one, central, first, second):
    fall = curve(one, central)
    assert confidence(fall, max(first, second)) <= confidence(fall, min(first, second))


@given(standings, centralities, nows)
def test_code_that_changed_only_lowers_confidence(one, central, now):
    unchanged = one._replace(standing=None)
    assert confidence(curve(one._replace(standing=0.99), central), now) <= confidence(
        curve(unchanged, central), now
    )


@given(st.lists(st.tuples(standings, centralities), max_size=20), nows)
def test_many_fade_as_each_alone(several, now):
    found = confidences([one for one, _ in several], [central for _, central in several], now)
    assert found == pytest.approx([confidence(curve(*one), now) for one in several], rel=1e-12, abs=1e-300)


@given(standings, centralities)
def test_boosts_are_capped_and_never_lift_above_the_base(one, central):
    fall = curve(one, central)
    assert fall.lift <= 2.0 * 1.5 * 1.3
    assert confidence(fall, fall.start) <= one.confidence


@given(standings, centralities, centralities, nows)
def test_a_hub_never_fades_sooner(one, central, other, now):
    low, high = sorted((central, other))
    assert confidence(curve(one, low), now) <= confidence(curve(one, high), now)


@given(standings, centralities, nows, st.floats(0.01, 1))
def test_since_when_it_is_below_agrees_with_the_curve(one, central, now, threshold):
    fall = curve(one, central)
    since = below_since(fall, threshold)
    value = confidence(fall, now)
    close = abs(value - threshold) < 1e-9
    if since is None or now < since:
        assert value >= threshold or close or now < fall.start
    elif now > since:
        assert value < threshold or close


@given(standings, centralities, nows, nows)
def test_what_is_due_stays_due(one, central, now, later):
    first, last = sorted((now, later))
    if transition(one, central, first, Rules()):
        assert transition(one, central, last, Rules())
