"""What holds of every count of tokens."""

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from recortex.text import tokens as counting
from recortex.text.tokens import PIECE, VOCABULARY, TokenCounter, open_encoding, pieces

COUNTER = TokenCounter()
TEXT = st.text(max_size=200)
WORDS = st.text(
    st.sampled_from("abSLve'09 _-.,(…’é你🎉²Ⅷ\u0301\u0660\u017f\u00a0\u2028\t\n\r\x0b\x0c\x1c\x85\x00\ud800"),
    max_size=60,
)


@given(TEXT, TEXT)
def test_joining_at_a_space_adds_nothing(first, second):
    """The place where long texts are cut: after a visible character, before a space and another one."""
    assume(first and not first[-1].isspace() and second and not second[0].isspace())
    second = " " + second
    assert COUNTER.count(first + second) == COUNTER.count(first) + COUNTER.count(second)


@given(st.text(st.sampled_from("ab \n你"), max_size=40), st.integers(1, 4_000))
def test_pieces_are_the_text(text, times):
    cut = list(pieces(text * times))
    assert "".join(cut) == text * times
    assert all(len(piece) <= PIECE for piece in cut)


@pytest.mark.parametrize("merged", [counting.MERGED, 40, 0])
@given(WORDS, st.lists(WORDS, max_size=9))
def test_words_that_were_counted_before_count_the_same(merged, text, before):
    """A counter that knows words, and merges their pairs itself, counts as the encoding does."""
    encoding, counter = open_encoding(VOCABULARY), TokenCounter()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(counting, "MERGED", merged)
        for one in (*before, text, text):
            assert counter.count(one) == len(encoding.encode_ordinary(one))


def test_not_too_many_words_are_remembered(monkeypatch):
    monkeypatch.setattr(counting, "REMEMBERED_WORDS", 2)
    counter = TokenCounter()
    assert [counter.count(text) for text in ("one two", "three four", "five", "one two")] == [2, 2, 1, 2]
    assert len(counter._words) <= 4
    assert counter.count(" ".join(f"w{number}" for number in range(99))) == 198
