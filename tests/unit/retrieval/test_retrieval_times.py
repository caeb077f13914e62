"""Times that a question names: resolved, compared, and left out where no memory has their words."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recortex.domain.search import Facts
from recortex.domain.text import to_micros
from recortex.engines.indexing import Trait
from recortex.engines.retrieval.question import agreement, periods, question
from recortex.engines.retrieval.scorer import Evidence, lifted, score

NOW = datetime(2026, 3, 11, 15, tzinfo=UTC)  # a Wednesday
DAY = timedelta(days=1)


def days(text):
    """The times of a text as days."""
    return [
        tuple(
            None if at is None else f"{datetime.fromtimestamp(at / 1e6, UTC):%m-%d}"
            for at in (one.since, one.until)
        )
        for one in periods(text, NOW)
    ]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("what did we decide yesterday?", ("03-10", "03-11")),
        ("what broke last night", ("03-10", "03-11")),
        ("the day before yesterday", ("03-09", "03-10")),
        ("what changed today", ("03-11", "03-12")),
        ("last week", ("03-02", "03-09")),
        ("this week", ("03-09", "03-16")),
        ("in the last 3 days", ("03-08", "03-11")),
        ("over the past two weeks", ("02-25", "03-11")),
        ("three days ago", ("03-08", "03-09")),
        ("a couple of months ago", ("12-26", "01-25")),
        ("on Friday", ("03-06", "03-07")),
        ("since Monday", ("03-09", None)),
        ("before last week", (None, "03-02")),
        ("last month", ("02-01", "03-01")),
        ("this quarter", ("01-01", "04-01")),
        ("last weekend", ("03-07", "03-09")),
        ("since March", ("03-01", None)),
        ("since 5 February", ("02-05", None)),
        ("until 2026-01-02", (None, "01-02")),
        ("after December", ("12-01", None)),
    ],
)
def test_a_time_is_resolved(text, found):
    assert days(text) == [found]


@pytest.mark.parametrize(
    "text",
    [
        "the last one", "may I use it", "Monday's build", "in March", "two weeks before 5 May 2025",
        "until 31 February", "the week",
    ],
)  # fmt: skip
def test_what_is_no_time_relative_to_now(text):
    assert days(text) == []


WORDS = ["since", "last", "999", "years", "months", "ago", "on", "31", "june", "weekend"]
INSTANTS = st.datetimes(timezones=st.just(UTC))


@given(st.text(max_size=60) | st.lists(st.sampled_from(WORDS)).map(" ".join), INSTANTS)
def test_any_text_at_any_time_has_times_or_none(text, now):
    for one in periods(text, now):
        assert one.since is None or one.until is None or one.since <= one.until
        assert 0.0 <= agreement([one], to_micros(now)) <= 1.0


def facts(key, day, traits=0):
    return Facts(
        key=key, kind="tribal", session="", turn=None, speaker="", valid_from=to_micros(NOW - day * DAY),
        recorded_at=0, last_accessed_at=None, confidence=1.0, priority=5, traits=traits,
    )  # fmt: skip


def test_code_has_no_time_and_a_turn_of_dialogue_is_compared_with_dates_itself():
    text = "what changed since 1 March?"
    code, turn = facts(1, 1, int(Trait.CODE)), facts(2, 1, int(Trait.DIALOGUE))
    for one in (code, turn):
        (before,) = score(question(text), Evidence([one], {one.key: 0.2}, {}, now=to_micros(NOW)))
        assert lifted([before], periods(text, NOW), question(text).dates) == [before]
    (said,) = score(question("x"), Evidence([turn], {2: 0.2}, {}, now=to_micros(NOW)))
    (after,) = lifted([said], periods("yesterday", NOW), ())
    assert after == replace_total(said, said.weights.spoken.date)


def replace_total(one, added):
    return one._replace(total=one.total + added, spoken=one.spoken._replace(date=1.0))


def test_nothing_is_lost_by_lifting():
    found = score(question("x"), Evidence([facts(n, n) for n in range(9)], {}, {}, now=to_micros(NOW)))
    after = lifted(found, periods("last week", NOW), ())
    assert sorted(one.facts.key for one in after) == list(range(9))
