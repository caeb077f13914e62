"""Prefixes, fewer dimensions, and names that keep vectors of different settings apart.

The shipped MiniLM was not trained as a Matryoshka model: that its first dimensions stand for all of them is
not promised and not tested. What is tested is the cutting, and that a nested embedding made here keeps its
order of likeness.
"""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recortex.embeddings.building import Shape
from recortex.embeddings.onnx import cut
from recortex.errors import DimensionMismatchError

FULL, KEPT = 256, 64


numbers = st.floats(min_value=-1e3, max_value=1e3, allow_nan=False).filter(lambda value: abs(value) > 1e-3)


@given(st.lists(numbers, min_size=8, max_size=64), st.integers(2, 8))
def test_cutting_twice_is_cutting_once(values, kept):
    rows = np.array([values], dtype=np.float32)
    assert np.allclose(cut(cut(rows, 8), kept), cut(rows, kept), atol=1e-5)


def test_more_dimensions_than_there_are_is_an_error():
    with pytest.raises(DimensionMismatchError, match=r"makes 4 dimensions; embedding\.dimensions asks for 5"):
        cut(np.ones((1, 4), dtype=np.float32), 5)


def test_a_prefix_may_not_pass_for_the_other():
    assert Shape("a", "").mark != Shape("", "a").mark
    assert Shape("a\0", "b").mark != Shape("a", "\0b").mark
