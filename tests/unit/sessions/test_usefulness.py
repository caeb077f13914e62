"""What was used is given rather than what was not, and nothing is given again and again without use."""

from hypothesis import given
from hypothesis import strategies as st

from recortex.domain.session import Outcome, risen, usefulness

chances = st.floats(0, 1)
outcomes = st.integers(0, 40).flatmap(
    lambda given_: st.integers(0, given_).map(lambda used: Outcome(given_, used))
)


@given(outcomes)
def test_use_raises_and_its_absence_lowers(outcome: Outcome):
    given_, used = outcome
    assert usefulness(Outcome(given_ + 1, used + 1)) >= usefulness(Outcome(given_ + 1, used))
    assert usefulness(Outcome(given_ + 1, used)) < usefulness(outcome)


@given(chances, outcomes)
def test_a_chance_stays_one(chance: float, outcome: Outcome):
    assert 0 <= risen(chance, outcome) <= 1
