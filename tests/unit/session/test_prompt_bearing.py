"""A prompt that asks for work in everyday words brings nothing to mind."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recortex.engines.sessions.relevance_gate import ALIKE, is_relevant, topic
from recortex.engines.words import EVERYDAY


@pytest.fixture
def memory(cortex):
    return cortex.remember(
        "Invoices are sent by the Celery task `send_invoice`; the test fails when Redis is down",
        files=["src/billing.py"],
    )


@pytest.mark.parametrize(
    "prompt", ["the test fails, fix it", "did you push?", "let's fix 3 too", "run the tests again", "ok", ""]
)
def test_everyday_orders_bear_on_nothing(memory, prompt: str):
    assert not is_relevant(prompt, memory, 0.9, 0.0)
    assert not is_relevant(prompt, memory, 0.9, 1.0)


@pytest.mark.parametrize(
    "prompt",
    [
        "why is send_invoice slow?",
        "how are invoices sent with celery",
        "what is celery for?",
        "open billing.py",
    ],
)
def test_what_names_the_matter_bears_on_it(memory, prompt: str):
    assert is_relevant(prompt, memory, 0.9, 0.0)


def test_one_shared_word_of_many_is_not_enough(memory):
    assert not is_relevant("move the redis settings of the staging cluster into terraform", memory, 0.9, 0.0)
    assert is_relevant("move the redis settings of the staging cluster into terraform", memory, 0.9, ALIKE)


def test_a_shared_name_needs_no_high_score(memory):
    assert is_relevant(
        "add a retry to send_invoice and a test for it, then update the changelog", memory, 0.55, 0.0
    )
    assert not is_relevant("how are invoices sent with celery", memory, 0.55, 0.0)


@given(st.lists(st.sampled_from(sorted(EVERYDAY)), max_size=12))
def test_everyday_words_tell_nothing(said: list[str]):
    assert topic(" ".join(said)) == frozenset()


@given(st.text(max_size=300))
def test_any_text_has_its_telling_words(text: str):
    assert all(word == word.lower() for word in topic(text))
