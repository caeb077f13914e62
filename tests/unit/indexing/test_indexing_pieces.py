"""A question and texts compared word by word."""

import numpy as np
import pytest

from recortex.engines.indexing import AskedPieces, wordings

ROWS = np.array([[1, 1, 1, 1, 1, 1, 1, 1], [1, 1, 1, 1, -1, -1, -1, -1]], np.float32) / np.sqrt(8)
SAME, HALF, OPPOSITE = 0b11111111, 0b11110000, 0b00000000
"""The signs of a piece that is the first of the question, of its second, and of the opposite of the first."""


def asked(telling="11"):
    """The question; of its two pieces those count as telling that have a 1."""
    return AskedPieces(ROWS, np.array([one == "1" for one in telling]))


def test_each_piece_counts_with_the_one_that_is_most_like_it():
    found = wordings(asked(), {1: bytes([SAME, HALF]), 2: bytes([SAME]), 3: bytes([OPPOSITE])}, {})
    assert found[1] == pytest.approx((1.0, 1.0, 1.0, 2))
    assert found[2] == pytest.approx((0.5, 0.0, 0.5, 1))
    assert found[3] == pytest.approx((-0.5, -1.0, -0.5, 1))


def test_what_a_text_lacks_may_stand_beside_it():
    found = wordings(asked(), {1: bytes([SAME]), 2: bytes([HALF])}, {1: [2, 9]})
    assert found[1].words == pytest.approx(0.5)
    assert found[1].passage == pytest.approx(1.0)
    assert found[2].passage == pytest.approx(0.5)


def test_function_words_count_only_in_the_mean():
    (found,) = wordings(asked("10"), {1: bytes([OPPOSITE])}, {}).values()
    assert (found.weakest, found.passage) == pytest.approx((-1.0, -1.0))
    assert found.words == pytest.approx(-0.5)


@pytest.mark.parametrize("codes", [{}, {1: b""}])
def test_texts_without_pieces_are_left_out(codes):
    assert wordings(asked(), codes, {}) == {}


def test_pieces_of_another_width_are_left_out():
    wide = AskedPieces(np.ones((1, 16), np.float32) / 4, np.array([True]))
    assert set(wordings(wide, {1: bytes(3), 2: bytes(4)}, {1: [2]})) == {2}
