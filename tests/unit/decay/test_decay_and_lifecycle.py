"""How memories age, and what moves their importance and confidence."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recortex.domain.kinds import KINDS
from recortex.domain.maintenance import MemoryStatistics, Standing
from recortex.domain.memory import priority_of
from recortex.domain.vocabulary import Actor, Importance
from recortex.engines.decay import DAY, Rules, confidence, curve, half_life_days, transition
from recortex.engines.maintenance import DAY as TICKS_OF_A_DAY
from recortex.engines.maintenance import DOWN, UP, WEIGHTS, moved, set_by_person
from recortex.engines.validation import calibrated

# -- Decay is monotone and bounded, boosts are capped, half-lives adapt, archival is triggered.
RULES = Rules()


def standing(kind="tribal", **changes):
    values = {
        "key": 1, "id": "a", "kind": kind, "status": "active", "confidence": 1.0, "priority": 5, "pinned": 0,
        "recorded_at": 0, "updated_at": 0, "validated_at": None, "last_accessed_at": None, "access_count": 0,
        "patterns": 0,
    }  # fmt: skip
    return MemoryStatistics(**values | changes)


def at(one, days, centrality=0.0):
    return confidence(curve(one, centrality), round(days * DAY))


@pytest.mark.parametrize("kind", [name for name, content in KINDS.items() if content.half_life_days])
def test_a_half_life_halves(kind):
    half = KINDS[kind].half_life_days
    assert at(standing(kind), half) == pytest.approx(0.5)
    assert at(standing(kind, confidence=0.8), 2 * half) == pytest.approx(0.2)


@pytest.mark.parametrize("kind", [name for name, content in KINDS.items() if content.half_life_days is None])
def test_what_is_stable_never_fades(kind):
    assert at(standing(kind), 100_000) == 1.0
    assert half_life_days(standing(kind), 0.0) is None


def test_what_is_pinned_keeps_its_confidence():
    assert at(standing("episodic", pinned=1, confidence=0.7, priority=1), 10_000) == 0.7


def test_a_frequently_used_tribal_memory_lasts_longer_than_a_year():
    used = standing(access_count=10, last_accessed_at=30 * DAY)
    assert half_life_days(used, 0.0) == pytest.approx(2 * 365)
    assert half_life_days(standing(access_count=5, last_accessed_at=30 * DAY), 0.0) == pytest.approx(
        1.5 * 365
    )


def test_a_recent_validation_slows_decay_while_it_is_recent():
    half, recent = KINDS["tribal"].half_life_days, KINDS["tribal"].revalidate_days
    validated = standing(validated_at=10 * DAY)
    assert at(validated, 50) == pytest.approx(0.5 ** (50 / (1.5 * half)))
    assert at(validated, 10 + recent) == pytest.approx(0.5 ** ((10 + recent) / half))


def test_code_that_stood_when_it_was_looked_at_validates_and_code_that_changed_does_not():
    by_person, by_code = standing(validated_at=10 * DAY), standing(checked_at=10 * DAY, standing=1.0)
    assert at(by_code, 50) == at(by_person, 50) > at(standing(), 50)
    assert at(standing(checked_at=10 * DAY, standing=None), 50) == at(standing(), 50)
    changed = standing(checked_at=10 * DAY, standing=0.5)
    assert at(changed, 50) == pytest.approx(0.75 * at(standing(), 50))


def test_a_memory_whose_code_went_yesterday_is_not_archived_today():
    faded = standing(kind="semantic", confidence=0.5, standing=0.0, standing_since=100 * DAY)
    assert at(faded, 101) < KINDS["semantic"].archive_below
    assert transition(faded, 0.0, 101 * DAY, Rules()) is None
    assert transition(faded, 0.0, 115 * DAY, Rules()).status == "archived"


@pytest.mark.parametrize(
    "changes", [{"pinned": 1}, {"status": "quarantined"}, {"status": "superseded"}, {"kind": "core"}]
)
def test_what_is_exempt_stays(changes):
    assert transition(standing(**{"kind": "episodic"} | changes), 0.0, 10_000 * DAY, RULES) is None


def test_pruning_waits_for_thirty_days_without_an_access():
    archived = standing("episodic", status="archived", updated_at=100 * DAY)
    assert transition(archived, 0.0, 129 * DAY, RULES) is None
    assert transition(archived, 0.0, 130 * DAY, RULES).status == "pruned"


# -- Importance moves by a step, by five signals, limits and safeguards.
NOW = 1_000 * TICKS_OF_A_DAY
LOW, NORMAL, HIGH, CRITICAL = Importance.LOW, Importance.NORMAL, Importance.HIGH, Importance.CRITICAL
USER, AGENT, BY_RULES = Actor.USER, Actor.AGENT, Actor.RECLASSIFICATION


def settled(importance=NORMAL, **changes):
    return Standing(**{"key": 1, "id": "a", "priority": priority_of(importance), "recorded_at": 0} | changes)


def test_the_weights_of_the_signals_make_one():
    assert sum(WEIGHTS.values()) == pytest.approx(1)


@pytest.mark.parametrize(("importance", "step"), list(UP.items()))
def test_it_rises_when_each_month_was_above_the_limit(importance, step):
    enough = [step.limit + 0.01] * step.months
    assert moved(settled(importance), enough, NOW) is step.to
    assert moved(settled(importance), [step.limit, *enough[1:]], NOW) is not step.to
    assert moved(settled(importance), enough[1:], NOW) is not step.to


@pytest.mark.parametrize(("importance", "step"), list(DOWN.items()))
def test_it_falls_when_each_month_was_below_the_limit(importance, step):
    little = [step.limit - 0.01] * step.months
    assert moved(settled(importance), little, NOW) is step.to
    assert moved(settled(importance), [*little[1:], step.limit], NOW) is not step.to


@pytest.mark.parametrize(
    ("versions", "kept"),
    [
        ([(1, CRITICAL, USER)], True),
        ([(1, CRITICAL, AGENT)], False),
        ([(1, NORMAL, USER)], False),
        ([(2, CRITICAL, USER), (1, CRITICAL, AGENT)], False),  # the person changed something else
        ([(2, CRITICAL, USER), (1, NORMAL, AGENT)], True),
        ([(3, CRITICAL, AGENT), (2, CRITICAL, USER), (1, NORMAL, AGENT)], True),
        ([(2, CRITICAL, BY_RULES), (1, HIGH, USER)], False),
        ([(3, NORMAL, USER), (2, LOW, BY_RULES), (1, NORMAL, AGENT)], True),  # taken back
        ([(12, CRITICAL, AGENT), (11, CRITICAL, AGENT)], True),  # who said so is not known any more
        ([(12, NORMAL, AGENT), (11, NORMAL, USER)], False),
    ],
)
def test_what_a_person_decided_stays(versions, kept):
    assert set_by_person(versions) is kept


# -- The confidence of what a correction taught: bounded, and each factor moves it the right way.
ROUNDING = 1e-12
shares = st.floats(0, 1)
evidence, accesses = st.integers(1, 50), st.integers(0, 10_000)
days = st.floats(0, 4_000)


@given(base=shares, evidence=evidence, accesses=accesses, age=days, validated=st.booleans())
def test_it_stays_a_share_and_is_what_its_factors_make(base, evidence, accesses, age, validated):
    found = calibrated(
        base, evidence=evidence, accesses=accesses, age_days=age, half_life_days=90, validated=validated
    )
    assert 0 <= found.confidence <= 1
    assert base - ROUNDING <= found.evidence <= 1
    assert found.usage >= 1 >= found.temporal >= 0


@given(base=shares, evidence=evidence, age=days)
def test_more_evidence_or_an_approval_never_makes_it_less_sure_and_age_never_surer(base, evidence, age):
    plain = calibrated(base, evidence=evidence, age_days=age, half_life_days=90).confidence
    assert (
        calibrated(base, evidence=evidence + 1, age_days=age, half_life_days=90).confidence
        >= plain - ROUNDING
    )
    assert (
        calibrated(base, evidence=evidence, age_days=age, half_life_days=90, validated=True).confidence
        >= plain
    )
    assert calibrated(base, evidence=evidence, age_days=age + 1, half_life_days=90).confidence <= plain
