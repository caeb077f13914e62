"""What holds of every count of tokens."""

from hypothesis import assume, given
from hypothesis import strategies as st

from recortex.engines.tokens.counter import PIECE, TokenCounter, pieces

COUNTER = TokenCounter()
TEXT = st.text(max_size=200)


@given(TEXT, TEXT)
def test_joining_at_a_space_adds_nothing(first, second):
    """The place where long texts are cut: after a visible character, before a space and another one."""
    assume(first and not first[-1].isspace() and second and not second[0].isspace())
    second = " " + second
    assert COUNTER.count(first + second) == COUNTER.count(first) + COUNTER.count(second)


@given(TEXT, TEXT)
def test_joining_at_the_end_of_a_line_adds_nothing(first, second):
    """The other place where long texts are cut: after a line's end, before a visible character."""
    assume(second and not second[0].isspace())
    first += "\n"
    assert COUNTER.count(first + second) == COUNTER.count(first) + COUNTER.count(second)


@given(TEXT, TEXT, st.sampled_from([" ", "\n", "\n\n"]))
def test_subadditive_at_word_boundaries(first, second, gap):
    """count(a + b) <= count(a) + count(b) + 1 where b starts a word; not guaranteed inside words."""
    assert COUNTER.count(first + gap + second) <= COUNTER.count(first) + COUNTER.count(gap + second) + 1


@given(TEXT)
def test_a_token_has_at_least_one_byte(text):
    assert COUNTER.count(text) <= len(text.encode("utf-8", "surrogatepass"))
    assert (COUNTER.count(text) == 0) == (text == "")


@given(st.text(st.sampled_from("ab \n你"), max_size=40), st.integers(1, 4_000))
def test_pieces_are_the_text(text, times):
    cut = list(pieces(text * times))
    assert "".join(cut) == text * times
    assert all(len(piece) <= PIECE for piece in cut)
