"""The confidence of what a correction taught: bounded, and each factor moves it the right way."""

from hypothesis import given
from hypothesis import strategies as st

from recortex.engines.validation import calibrated

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
