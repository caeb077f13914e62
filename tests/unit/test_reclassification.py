"""Importance moves by a step, by five signals, limits and safeguards."""

import pytest

from recortex.domain.maintenance import Standing
from recortex.domain.memory import priority_of
from recortex.domain.vocabulary import Actor, Importance
from recortex.engines.maintenance import DAY, DOWN, UP, WEIGHTS, moved, set_by_person

NOW = 1_000 * DAY
LOW, NORMAL, HIGH, CRITICAL = Importance.LOW, Importance.NORMAL, Importance.HIGH, Importance.CRITICAL
USER, AGENT, RULES = Actor.USER, Actor.AGENT, Actor.RECLASSIFICATION


def standing(importance=NORMAL, **changes):
    return Standing(**{"key": 1, "id": "a", "priority": priority_of(importance), "recorded_at": 0} | changes)


def test_the_weights_of_the_signals_make_one():
    assert sum(WEIGHTS.values()) == pytest.approx(1)


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
