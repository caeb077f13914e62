"""What of a text is indexed."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recortex.engines.indexing import _ANSWERS, Trait, is_code, is_outline, self_description, traits
from recortex.text.words import LETTERS, LONGER, WORD, tokens

FUNCTION = '''def read_lines(path):
    """Read a file into a list of lines. Blank lines are kept.

    :param path: where it is
    """
    with open(path) as handle:
        return handle.read().splitlines()
'''
OUTLINE = "store/rows.py\nclass RowStore\nRowStore.def insert(self, row)\ndef connect(path)\n"


def test_a_function_body_is_code_and_says_what_it_does():
    assert is_code(FUNCTION)
    assert not is_outline(FUNCTION)
    assert self_description(FUNCTION) == "read lines Read a file into a list of lines."


def test_a_list_of_declarations_is_an_outline():
    assert is_outline(OUTLINE)
    assert not is_code(OUTLINE)


@pytest.mark.parametrize(
    "text",
    [
        "function names should be snake_case",
        "Use class UserStore for reading; type checks run in CI.",
        "Never call refresh() in a transaction = deadlock",
        "To release:\n- bump the version\n- tag it\n- push",
    ],
)
def test_notes_are_neither_code_nor_outline(text):
    assert not traits(text) & (Trait.CODE | Trait.OUTLINE)


@pytest.mark.parametrize(
    ("text", "trait"),
    [
        ("We moved there last spring in May", Trait.TIME), ("She has two dogs", Trait.NUMBER),
        ("They met in Lisbon", Trait.PLACE), ("We chose it because it is small", Trait.REASON),
        ("Did you see it?", Trait.QUESTION), ("word " * 400, Trait.DOCUMENT),
    ],
)  # fmt: skip
def test_what_a_text_may_answer(text, trait):
    assert traits(text) & trait


@pytest.mark.parametrize(
    ("speaker", "session", "trait"),
    [("Ann", "s1", Trait.DIALOGUE), ("user", "s1", Trait.MESSAGE), ("Assistant", "s1", Trait.REPLY)],
)
def test_speakers_tell_dialogue_from_chat(speaker, session, trait):
    assert traits("Hello there", speaker=speaker, session=session) & trait


def test_tests_are_known_by_their_path():
    assert traits(OUTLINE, files=["tests/unit/test_rows.py"]) & Trait.TEST
    assert not traits(OUTLINE, files=["src/contest.py"]) & Trait.TEST


# -- Text of ASCII is read by tables of characters and by its words: that finds what the expressions find.
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
