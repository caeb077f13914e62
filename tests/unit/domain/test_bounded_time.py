"""Times that come from outside are possible, or another one stands for them."""

from datetime import UTC, datetime, timedelta, timezone

import pytest

from recortex.domain.text import bounded_time

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
SESSION = datetime(2026, 2, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    ("at", "expected"),
    [
        (datetime(2026, 2, 2, 9, tzinfo=UTC), datetime(2026, 2, 2, 9, tzinfo=UTC)),
        (datetime(2026, 2, 2, 9, tzinfo=timezone(timedelta(hours=9))), datetime(2026, 2, 2, tzinfo=UTC)),
        (datetime(2099, 1, 1, tzinfo=UTC), SESSION),
        (datetime(1970, 1, 1, tzinfo=UTC), SESSION),
        (None, SESSION),
    ],
)
def test_an_impossible_time_is_that_of_its_session(at, expected):
    assert bounded_time(at, NOW, SESSION) == expected


def test_without_any_possible_time_it_is_now():
    assert bounded_time(datetime(2099, 1, 1, tzinfo=UTC), NOW, None) == NOW
