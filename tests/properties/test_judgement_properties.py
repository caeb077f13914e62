"""Whatever two statements say: judging ends, is repeatable, and never lets a statement replace itself."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from recortex.engines.supersession.claims import MAX_TEXT, claims
from recortex.engines.supersession.detection import Outcome, find_supersession

WORDS = [
    "use", "Redis", "PostgreSQL", "for", "the", "queue", "instead", "of", "no", "longer", "not", "is", "are",
    "runs", "on", "never", "always", ",", ".", ";", "we", "moved", "from", "to", "30", "s", "now", "drop",
    "`npm test`", "with", "and",
]  # fmt: skip
SAID = st.one_of(st.text(max_size=200), st.lists(st.sampled_from(WORDS), max_size=25).map(" ".join))


@given(SAID, SAID)
def test_any_two_texts_are_judged_alike_twice(new, known):
    judged = find_supersession(new, known)
    assert judged == find_supersession(new, known)
    assert bool(judged.evidence) == (judged.outcome is not Outcome.NOTHING)


@given(SAID)
def test_nothing_replaces_itself(text):
    assert find_supersession(text, text).outcome is Outcome.NOTHING


@example(",for 0")
@given(SAID)
def test_claims_are_well_formed(text):
    for claim in claims(text):
        assert bool(claim.verb) == bool(claim.value) or not claim.verb


@pytest.mark.parametrize(
    "unit",
    ["use x for y, ", "not ", "from a to b ", "we moved ", "a", " ", ",", "is gone ", "`", "replace a with "],
)
def test_a_megabyte_of_anything_ends(unit):
    text = unit * (1_000_000 // len(unit))
    assert find_supersession(text, text[: MAX_TEXT // 2] + " b") is not None
    assert find_supersession("use b", text) is not None
