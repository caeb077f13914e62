"""Whatever two statements say: judging them ends, and is repeatable."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recortex.domain.memory import Chances
from recortex.engines.supersession.reading import Outcome, announced_changes, may_end, read_together

WORDS = [
    "use", "Redis", "PostgreSQL", "for", "the", "queue", "instead", "of", "no", "longer", "not", "is", "are",
    "runs", "on", "never", "always", ",", ".", ";", "we", "moved", "from", "to", "30", "s", "now", "drop",
    "`npm test`", "with", "and",
]  # fmt: skip
SAID = st.one_of(st.text(max_size=200), st.lists(st.sampled_from(WORDS), max_size=25).map(" ".join))


@given(SAID, SAID, st.floats(0, 1), st.floats(-1, 1))
def test_any_two_texts_are_judged_alike_twice(new, known, ends, likeness):
    read = Chances(1 - ends, 0.0, ends)
    judged = read_together(known, new, read, likeness)
    assert judged == read_together(known, new, read, likeness)
    assert bool(judged.evidence) == (judged.outcome is not Outcome.NOTHING)


@pytest.mark.parametrize(
    "unit",
    ["use x for y, ", "not ", "from a to b ", "we moved ", "a", " ", ",", "is gone ", "`", "replace a with "],
)
def test_a_megabyte_of_anything_ends(unit):
    text = unit * (1_000_000 // len(unit))
    assert isinstance(announced_changes(text), tuple)
    assert not may_end(text, "use b")
