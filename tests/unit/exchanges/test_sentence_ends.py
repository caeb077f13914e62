"""Where a sentence ends is found by its mark, and blocks of code and blanks are left out line by line."""

from hypothesis import given
from hypothesis import strategies as st

from recortex.engines.exchanges import _BETWEEN, _parts, prose


@given(st.text("a.!? \n\t\"'”*_`。é)", max_size=40))
def test_parts_are_those_between_the_ends(text):
    assert list(_parts(text)) == _BETWEEN.split(text)


def test_prose_is_what_is_left_without_code_rules_and_blanks():
    said = "\n\n  One\t two   three \n\n~~~~py\ncode\n~~~\n  ~~~~\n---\n \x0b\n- four\n***  \n```\nno end"
    assert prose(said) == "One two three \n- four"
    assert prose("a\n    b\n```\nx\n```\nc") == "a\n b\nc"
