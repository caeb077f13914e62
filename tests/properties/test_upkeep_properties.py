"""What regular upkeep reckons with: what is due, how a store grows, how a log is summed up."""

import math

from hypothesis import assume, example, given
from hypothesis import strategies as st

from recortex.domain.maintenance import SizeSample
from recortex.engines.maintenance import (
    DAY,
    LEAST_SPAN,
    Believed,
    bytes_per_day,
    days_until,
    looked_at,
)


@given(
    st.integers(-10_000, 10_000), st.integers(0, 10**9), st.lists(st.integers(0, 89), min_size=2, unique=True)
)
def test_a_steady_growth_is_found_whenever_it_was_measured(rate, start, days):
    assume(max(days) - min(days) >= LEAST_SPAN // DAY)
    samples = [SizeSample(day * DAY, 0, start + rate * day) for day in days]
    found = bytes_per_day(samples)
    assert found is not None
    assert abs(found - rate) < 1e-3 * max(1, abs(rate))
    assert bytes_per_day(list(reversed(samples))) is not None


@example(0, 4950, 2.8e-305)
@given(st.integers(0, 10**12), st.integers(1, 10**12), st.floats(-1e9, 1e9) | st.none())
def test_days_until_a_size_end_at_that_size(size, threshold, rate):
    left = days_until(size, threshold, rate)
    if size >= threshold:
        assert left == 0
    elif rate is None or rate <= 0 or math.isinf((threshold - size) / rate):
        assert left is None
    else:
        assert left is not None
        assert abs(size + left * rate - threshold) < 1e-6 * threshold


@given(st.lists(st.integers(0, 30 * DAY), max_size=30), st.integers(31 * DAY, 10**17), st.integers(1, 5))
def test_nothing_ages_by_a_clock_that_leaps_for_a_few_sessions(steps, leap, sessions):
    """Whatever came before, and wherever it leaps to; and ageing goes on when it is right again."""
    now = 10**15
    known, _ = looked_at(Believed(at=now), now)
    for step in steps:
        now += step
        known, believed = looked_at(known, now)
        assert believed
    for hour in range(sessions):
        known, believed = looked_at(known, now + leap + hour * DAY // 24)
        assert not believed
        assert known.at == now
    known, believed = looked_at(known, now + DAY)
    assert believed
    assert known == Believed(at=now + DAY)
