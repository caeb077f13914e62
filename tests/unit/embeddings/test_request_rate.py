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
