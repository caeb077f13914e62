"""Text of ASCII is read by tables of characters and by its words: that finds what the expressions find."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recortex.engines.indexing import _ANSWERS, Trait, traits
from recortex.text.words import LETTERS, LONGER, WORD, tokens

SAID = st.lists(
    st.sampled_from(
        "since days Mondays 1999 2024s 20245 x1 one ones 12 3_ _4 in the Paris To so that helps want to "
        "wanted may's fridays dozen 192.168 v20 2019-03 don't a' motivation \x1c \x85 é ’".split(" ")
    )
).map(" ".join)


@pytest.mark.parametrize("pattern", [WORD, LETTERS, LONGER])
@given(text=st.text("aB0_'’é-. \n\x1c\x85") | SAID)
def test_words_are_those_of_the_expression(pattern, text):
    assert tokens(text, pattern) == pattern.findall(text.lower())
    assert tokens(text, pattern, lower=False) == pattern.findall(text)


@given(SAID)
def test_traits_are_those_of_the_expressions(text):
    found = {trait for trait, pattern in _ANSWERS.items() if pattern.search(text.strip())}
    assert {trait for trait in Trait if trait in _ANSWERS and trait in traits(text)} == found
