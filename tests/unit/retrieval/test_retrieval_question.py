from datetime import UTC, datetime

import pytest

from recortex.domain.text import to_micros
from recortex.engines.indexing import Trait
from recortex.engines.retrieval.question import NamedDate, date_agreement, named_dates, question


def test_words_names_dates_and_paths_are_read_from_a_question():
    asked = question("When did Ann change getUserName in src/auth/users.py on 5 May 2025?")
    assert {"ann", "getusername", "user", "name", "users"} <= set(asked.words)
    assert "ann" in asked.names
    assert asked.dates == (NamedDate(5, 5, 2025),)
    assert asked.paths == ("src/auth/users.py",)
    assert asked.answer is Trait.TIME


@pytest.mark.parametrize(
    ("text", "trait"),
    [
        ("how many retries?", Trait.NUMBER),
        ("where is it deployed", Trait.PLACE),
        ("why redis", Trait.REASON),
        ("redis port", Trait(0)),
    ],
)
def test_the_kind_of_answer(text, trait):
    assert question(text).answer == trait


@pytest.mark.parametrize("text", ["", "   ", "\0\0", "what is it", "???", "of the"])
def test_questions_that_ask_for_nothing_have_no_words(text):
    assert question(text).words == ()


def test_the_latest_is_not_about_tests():
    assert not question("the latest release").about_tests
    assert question("flaky tests").about_tests


@pytest.mark.parametrize(
    ("text", "dates"),
    [
        ("in May", (NamedDate(None, 5, None),)),
        ("may I march on", ()),
        ("March 14, 2024", (NamedDate(14, 3, 2024),)),
        ("the 2nd of June", (NamedDate(2, 6, None),)),
        ("since 2023-07", (NamedDate(None, 7, 2023),)),
        ("2023-99", ()),
        ("back in 2022", (NamedDate(None, None, 2022),)),
    ],
)
def test_dates_in_words(text, dates):
    if text == "2023-99":
        dates = (NamedDate(None, None, 2023),)
    assert named_dates(text) == dates


def test_days_after_a_date_agree_less_and_less():
    dates = (NamedDate(10, 3, 2025),)
    days = [to_micros(datetime(2025, 3, day, tzinfo=UTC)) for day in (10, 17, 30)]
    assert [date_agreement(dates, at) for at in days] == [1.0, 0.6, 0.0]
    assert date_agreement(dates, 10**19) == 0.0
