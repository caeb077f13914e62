"""Where a sentence ends is found by its mark: at the same places as between the sentences."""

from hypothesis import given
from hypothesis import strategies as st

from recortex.engines.exchanges.building import _BETWEEN, _parts


@given(st.text("a.!? \n\t\"'”*_`。é)", max_size=40))
def test_parts_are_those_between_the_ends(text):
    assert list(_parts(text)) == _BETWEEN.split(text)
