"""Prefixes, fewer dimensions, and names that keep vectors of different settings apart.

The shipped MiniLM was not trained as a Matryoshka model: that its first dimensions stand for all of them is
not promised and not tested. What is tested is the cutting, and that a nested embedding made here keeps its
order of likeness.
"""

import hashlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recortex.embeddings.building import CachedEmbedder, Shape, ShapedEmbedder, shaped
from recortex.embeddings.onnx import cut, normalised
from recortex.errors import DimensionMismatchError, EmbeddingError

FULL, KEPT = 256, 64


class NestedEmbedder:
    """What Matryoshka training gives: each block of dimensions says the same, later ones with less weight.

    A text's meaning is a point; every block of eight dimensions is a random, but fixed, projection of it.
    """

    name, dimensions = "nested", FULL

    def __init__(self):
        chance = np.random.default_rng(3)
        self._projection = chance.normal(size=(8, FULL)) * np.linspace(1.0, 0.3, FULL)
        self.asked = []

    def embed(self, texts, *, purpose="passage"):
        self.asked += [(text, purpose) for text in texts]
        return normalised(np.array([self._point(text) for text in texts]) @ self._projection)

    def _point(self, text):
        seed = int.from_bytes(hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=8).digest())
        return np.random.default_rng(seed).normal(size=8)


numbers = st.floats(min_value=-1e3, max_value=1e3, allow_nan=False).filter(lambda value: abs(value) > 1e-3)


@given(st.lists(numbers, min_size=8, max_size=64), st.integers(2, 8))
def test_cutting_twice_is_cutting_once(values, kept):
    rows = np.array([values], dtype=np.float32)
    assert np.allclose(cut(cut(rows, 8), kept), cut(rows, kept), atol=1e-5)


def test_more_dimensions_than_there_are_is_an_error():
    with pytest.raises(DimensionMismatchError, match=r"makes 4 dimensions; embedding\.dimensions asks for 5"):
        cut(np.ones((1, 4), dtype=np.float32), 5)


def test_what_is_left_must_have_a_direction():
    with pytest.raises(EmbeddingError, match="zero"):
        cut(np.array([[0.0, 0.0, 1.0]], dtype=np.float32), 2)


def test_a_query_and_a_passage_of_the_same_words_are_remembered_apart():
    inner = NestedEmbedder()
    cached = CachedEmbedder(ShapedEmbedder(inner, Shape("query: ", "passage: ")))
    first = [cached.embed(["cache"], purpose=purpose)[0] for purpose in ("query", "passage")]
    again = [cached.embed(["cache"], purpose=purpose)[0] for purpose in ("query", "passage")]
    assert len(inner.asked) == 2
    assert np.array_equal(first, again)
    assert not np.allclose(*first)


prefixes = st.text(max_size=12)
shapes = st.builds(Shape, prefixes, prefixes, st.sampled_from([0, 64, 128]))


@given(st.lists(shapes, min_size=2, max_size=8, unique=True))
def test_shapes_that_differ_have_names_that_differ(several):
    names = [shaped(NestedEmbedder(), shape).name for shape in several]
    assert len(set(names)) == len(names)


def test_a_prefix_may_not_pass_for_the_other():
    assert Shape("a", "").mark != Shape("", "a").mark
    assert Shape("a\0", "b").mark != Shape("a", "\0b").mark
