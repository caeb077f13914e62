"""Questions that ask for more than one thing."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from example_memories import memory
from recortex.domain.search import Hit
from recortex.engines.retrieval.question import MOST_PARTS, asks_for_a_set, cap_scores, in_turns, split


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("how do we hash passwords and where are the sessions stored?",
         ("how do we hash passwords", "where are the sessions stored?")),
        ("Which port does redis use? Who decided on Kafka?",
         ("Which port does redis use", "Who decided on Kafka?")),
        ("is there a largest upload, and which status says so?",
         ("is there a largest upload", "which status says so?")),
        ("what does Ann do at night and what did John do with his kids?",
         ("what does Ann do at night", "what did John do with his kids?")),
    ],
)  # fmt: skip
def test_two_questions_in_one(text, parts):
    assert split(text) == parts


@pytest.mark.parametrize(
    "text",
    [
        "how do we hash passwords and where are they stored?",
        "which port does redis use? And who decided that?",
    ],
)
def test_a_part_that_leans_on_another_is_asked_with_all(text):
    first, second = split(text)
    assert second == text
    assert first != text


@pytest.mark.parametrize(
    "text",
    [
        "how do we hash passwords?", "why redis and why not memcached?", "when and where do we deploy?",
        "what did Ann say about how and when we deploy?",
        "what is the difference between how A works and how B works?", "fix the login and add a test",
        "how are retries bounded, and why?", "", "what is it and what is it and what is it? " * 50,
    ],
)  # fmt: skip
def test_one_question_stays_whole(text):
    assert split(text) == (text,)


@given(
    st.text(max_size=80)
    | st.lists(st.sampled_from(["how", "what", "and", "?", "redis", "stored", ";", ",", "they"])).map(
        " ".join
    )
)
def test_any_text_has_few_parts_with_words_of_it(text):
    found = split(text)
    assert 1 <= len(found) <= MOST_PARTS
    assert all(one in text for one in found)


@pytest.mark.parametrize(
    ("text", "many"),
    [
        ("which services use Redis?", True),
        ("which days do we release?", True),
        ("what are the ports of the services?", True),
        ("what kinds of tests do we have?", True),
        ("list all environments", True),
        ("which indexes exist", True),
        ("what reads the token stream in the parser module?", False),
        ("which port does the license server use?", False),
        ("what happens when redis is down?", False),
        ("what is the status of the release?", False),
        ("how are passwords hashed?", False),
    ],
)
def test_whether_several_things_are_asked_for(text, many):
    assert asks_for_a_set(text) is many


@given(st.lists(st.lists(st.integers(0, 9), max_size=6), max_size=3))
def test_answers_take_turns(answers):
    found = in_turns(answers, lambda one: one)
    assert sorted(found) == sorted({one for some in answers for one in some})
    for some in answers:
        if some:
            assert found.index(some[0]) < len(answers)


@given(st.lists(st.floats(0, 1), max_size=6))
def test_scores_of_joined_answers_never_rise(scores):
    found = cap_scores([Hit(memory=memory(1), score=score) for score in scores])
    assert [hit.score for hit in found] == sorted((hit.score for hit in found), reverse=True)
    assert len(found) == len(scores)
