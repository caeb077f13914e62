"""Invariants of decay, such as that it never raises confidence, over all kinds and all circumstances."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recortex.domain.kinds import KINDS
from recortex.domain.statistics import MemoryStatistics
from recortex.engines.decay.confidence import DAY, below_since, confidence, curve, half_life_days
from recortex.engines.decay.many import confidences
from recortex.engines.decay.transitions import Rules, transition

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
def test_confidence_is_between_nothing_and_its_base(one, central, now):
    assert 0.0 <= confidence(curve(one, central), now) <= one.confidence


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


@given(standings, st.integers(0, 40))
def test_a_half_life_halves(one, lives):
    plain = one._replace(
        pinned=0,
        priority=5,
        access_count=0,
        patterns=0,
        standing=None,
        validated_at=None,
        last_accessed_at=None,
    )
    days = half_life_days(plain, 0.0)
    if days is not None:
        now = int(one.recorded_at + lives * days * DAY)
        assert confidence(curve(plain, 0.0), now) == pytest.approx(one.confidence * 0.5**lives, rel=1e-6)


@given(standings, centralities)
def test_boosts_are_capped_and_never_lift_above_the_base(one, central):
    fall = curve(one, central)
    assert fall.lift <= 2.0 * 1.5 * 1.3
    assert confidence(fall, fall.start) <= one.confidence


@given(standings, centralities, nows)
def test_what_is_pinned_is_stable_and_stays(one, central, now):
    pinned = one._replace(pinned=1)
    assert confidence(curve(pinned, central), now) == one.confidence
    assert transition(pinned, central, now, Rules()) is None


@given(standings, centralities)
def test_adaptive_half_lives_are_longer_and_bounded(one, central):
    days, usual = half_life_days(one, central), KINDS[one.kind].half_life_days
    if one.pinned or usual is None:
        assert days is None
    else:
        assert usual <= days <= usual * 2 * 1.3 * 2 * 2 * (1 + 1e-9)


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
