"""Decay is monotone and bounded, boosts are capped, half-lives adapt, archival is triggered."""

import pytest

from recortex.domain.kinds import KINDS
from recortex.domain.maintenance import MemoryStatistics
from recortex.engines.decay import (
    DAY,
    Rules,
    confidence,
    curve,
    half_life_days,
    transition,
)

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
