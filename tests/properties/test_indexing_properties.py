from hypothesis import given
from hypothesis import strategies as st

from recortex.engines.indexing import traits
from recortex.text.words import content_words, identifier_parts, units, words


@given(
    st.text(max_size=500),
    st.text(max_size=10),
    st.text(max_size=5),
    st.lists(st.text(max_size=30), max_size=2),
)
def test_any_text_has_traits(text, speaker, session, files):
    assert 0 <= int(traits(text, speaker=speaker, session=session, files=files)) < 2**12


@given(st.text(max_size=300))
def test_content_words_are_different_words_of_the_text(text):
    found = content_words(text)
    assert len(found) == len(set(found))
    assert set(found) <= set(units(words(text)))


@given(st.text(alphabet="abcXYZ_09.", max_size=40))
def test_parts_hold_every_letter_and_digit_of_an_identifier(identifier):
    assert "".join(identifier_parts(identifier)) == "".join(c.lower() for c in identifier if c.isalnum())
