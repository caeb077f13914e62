"""No minute holds more requests than are allowed, whatever the pauses between them."""

from hypothesis import given
from hypothesis import strategies as st

from recortex.embeddings.providers import MINUTE, RateLimit


@given(st.integers(1, 9), st.lists(st.floats(0, 40), max_size=60))
def test_no_minute_holds_more_than_the_limit(limit, pauses):
    now = 0.0
    rate = RateLimit(limit, now=lambda: now)
    taken = []
    for pause in pauses:
        now += pause
        while wait := rate.acquire():
            now += wait
        taken.append(now)
    for start in taken:
        assert sum(start <= one < start + MINUTE for one in taken) <= limit


@given(st.integers(1, 9), st.integers(1, 20), st.lists(st.floats(0, 40), max_size=30))
def test_room_for_several_is_there_when_it_is_said_and_no_sooner(limit, count, pauses):
    now = 0.0
    rate = RateLimit(limit, now=lambda: now)
    for pause in pauses:
        now += pause
        rate.acquire()
    before = rate.seconds_until(count)
    assert rate.seconds_until(count) == before  # asking takes none
    now += before
    assert rate.seconds_until(count) <= 0.001
    now += 0.001
    assert [rate.acquire() for _ in range(min(count, limit))] == [0.0] * min(count, limit)
