"""Importance moves by a step, by five signals, limits and safeguards."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recortex.domain.maintenance import Given, Standing
from recortex.domain.vocabulary import Actor, Importance, importance_of, priority_of
from recortex.engines.maintenance import DAY, DOWN, MONTH, UP, WEIGHTS, moved, score, set_by_person, signals

NOW = 1_000 * DAY
LOW, NORMAL, HIGH, CRITICAL = Importance.LOW, Importance.NORMAL, Importance.HIGH, Importance.CRITICAL
USER, AGENT, RULES = Actor.USER, Actor.AGENT, Actor.RECLASSIFICATION
SCORES = st.lists(st.none() | st.floats(0, 1), min_size=3, max_size=3)


def standing(importance=NORMAL, **changes):
    return Standing(**{"key": 1, "id": "a", "priority": priority_of(importance), "recorded_at": 0} | changes)


def test_the_weights_of_the_signals_make_one():
    assert sum(WEIGHTS.values()) == pytest.approx(1)


def test_what_is_given_often_and_first_confirmed_linked_and_won_scores_one():
    found = signals(standing(links=3, won=1, confirmed=1), Given(times=20, places=20))
    assert score(found) == pytest.approx(1)
    assert score(signals(standing(), Given())) == 0


def test_a_place_beyond_the_fifth_and_an_open_dispute_count_less():
    found = signals(standing(won=1, contested=3), Given(times=10, places=100))
    assert found == {"given": 0.5, "rank": 0.5, "links": 0, "won": 0.25, "confirmed": 0}


@pytest.mark.parametrize(("importance", "step"), list(UP.items()))
def test_it_rises_when_each_month_was_above_the_limit(importance, step):
    enough = [step.limit + 0.01] * step.months
    assert moved(standing(importance), enough, NOW) is step.to
    assert moved(standing(importance), [step.limit, *enough[1:]], NOW) is not step.to
    assert moved(standing(importance), enough[1:], NOW) is not step.to


@pytest.mark.parametrize(("importance", "step"), list(DOWN.items()))
def test_it_falls_when_each_month_was_below_the_limit(importance, step):
    little = [step.limit - 0.01] * step.months
    assert moved(standing(importance), little, NOW) is step.to
    assert moved(standing(importance), [*little[1:], step.limit], NOW) is not step.to


@given(st.sampled_from(Importance), SCORES, st.integers(0, 1_000 * DAY), st.none() | st.integers(0, NOW))
def test_it_moves_by_one_step_at_most_once_a_month_and_never_by_months_before_it(
    importance, scores, recorded_at, moved_at
):
    one = standing(importance, recorded_at=recorded_at, moved_at=moved_at)
    to = moved(one, scores, NOW)
    if to is not None:
        words = list(Importance)
        assert abs(words.index(to) - words.index(importance_of(one.priority))) == 1
        assert moved_at is None or NOW - moved_at >= MONTH * DAY
        assert NOW - recorded_at >= 2 * MONTH * DAY
        assert None not in scores[:2]


@given(st.sampled_from(Importance), SCORES, st.floats(0, 1))
def test_a_higher_score_never_lowers(importance, scores, more):
    words, one = list(Importance), standing(importance)
    higher = [None if score is None else max(score, more) for score in scores]
    before, after = (moved(one, each, NOW) or importance for each in (scores, higher))
    assert words.index(after) >= words.index(before)


@pytest.mark.parametrize(
    ("versions", "kept"),
    [
        ([(1, CRITICAL, USER)], True),
        ([(1, CRITICAL, AGENT)], False),
        ([(1, NORMAL, USER)], False),
        ([(2, CRITICAL, USER), (1, CRITICAL, AGENT)], False),  # the person changed something else
        ([(2, CRITICAL, USER), (1, NORMAL, AGENT)], True),
        ([(3, CRITICAL, AGENT), (2, CRITICAL, USER), (1, NORMAL, AGENT)], True),
        ([(2, CRITICAL, RULES), (1, HIGH, USER)], False),
        ([(3, NORMAL, USER), (2, LOW, RULES), (1, NORMAL, AGENT)], True),  # taken back
        ([(12, CRITICAL, AGENT), (11, CRITICAL, AGENT)], True),  # who said so is not known any more
        ([(12, NORMAL, AGENT), (11, NORMAL, USER)], False),
    ],
)
def test_what_a_person_decided_stays(versions, kept):
    assert set_by_person(versions) is kept
