"""What the rules and the model say of two statements becomes one verdict."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recortex.domain.change import Chances
from recortex.engines.supersession.detection import LEAST_CHANCE, NOTHING, Outcome, SupersessionVerdict
from recortex.engines.supersession.reading import AGREED, ANNOUNCED, ENDS, chance_of, read_together, readable

RULED = SupersessionVerdict(Outcome.REPLACES, "announced change", explicit=True)
ONE, OTHER = "The cart is kept for 30 days.", "The cart is kept for 60 days now."
CHANCE = st.floats(0, 1)


@given(ends=CHANCE, stays=CHANCE, ruled=st.booleans())
def test_nothing_is_replaced_that_the_model_takes_for_true(ends, stays, ruled):
    stays = min(stays, 1 - ends)
    read = Chances(stays, 1 - ends - stays, ends)
    verdict = read_together(ONE, OTHER, RULED if ruled else NOTHING, read, 1.0)
    least = AGREED if ruled else ENDS
    assert (verdict.outcome is Outcome.REPLACES) == (ends >= least)


@given(stays=CHANCE, part=CHANCE, ruled=st.booleans(), likeness=st.none() | st.floats(-1, 1))
def test_nothing_that_is_not_likely_is_kept(stays, part, ruled, likeness):
    """However sure the rules are: what the model takes for two true statements is no contradiction."""
    read = Chances(stays, part * (1 - stays), (1 - part) * (1 - stays))
    verdict = read_together(ONE, OTHER, RULED if ruled else NOTHING, read, likeness)
    assert verdict.outcome is Outcome.NOTHING or verdict.chance >= LEAST_CHANCE
    if stays > 1 - LEAST_CHANCE:
        assert verdict is NOTHING


@given(CHANCE, CHANCE, st.floats(-1, 1), st.floats(-1, 1), st.booleans())
def test_the_chance_rises_with_what_speaks_for_it(one, other, near, far, announced):
    low, high = sorted((one, other))
    far, near = sorted((near, far))
    assert chance_of(low, far, announced=False) <= chance_of(high, near, announced=announced)


@pytest.mark.parametrize(
    ("known", "new", "least"),
    [
        (ONE, "The cart is kept for 60 days.", ENDS),
        (ONE, "The cart was changed from 30 days to 60 days.", ANNOUNCED),
    ],
)
def test_the_surer_the_words_the_less_the_model_must_be(known, new, least):
    for ends, expected in ((least, Outcome.REPLACES), (least - 0.001, Outcome.CONTRADICTS)):
        found = read_together(known, new, NOTHING, Chances(0.0, 1 - ends, ends), 1.0).outcome
        assert found is expected, ends


@pytest.mark.parametrize(
    "said", ["The cart may be kept for 60 days too, for members.", "Maybe we keep the cart for 60 days."]
)
def test_what_adds_or_only_plans_ends_nothing(said):
    verdict = read_together(ONE, said, NOTHING, Chances(0.0, 0.0, 1.0), 1.0)
    assert verdict.outcome is Outcome.CONTRADICTS


def test_things_of_two_sorts_are_left_alone():
    sure = Chances(0.0, 0.0, 1.0)
    go, python = "Always use tabs in Go files", "Never use tabs in Python files"
    assert read_together(go, python, NOTHING, sure, 1.0) is NOTHING
    assert read_together(go, python.replace("Python", "Go"), NOTHING, sure, 1.0).outcome is Outcome.REPLACES


def test_statements_without_a_word_in_common_are_left_alone():
    sure = Chances(0.0, 0.01, 0.99)
    assert read_together("Deploy with make release.", "Logs are JSON now.", NOTHING, sure, 0.4) is NOTHING


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (ONE, True),
        ("Is the cart kept for 30 days?", False),
        ("should we keep the cart longer?", False),
        ("x " * 400, False),
    ],
)
def test_questions_and_long_texts_are_not_read(text, expected):
    assert readable(text) is expected
