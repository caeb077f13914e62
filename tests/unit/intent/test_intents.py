"""Classifying what a task is about, and what helps with it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recortex.engines.retrieval.explaining import USUAL, boosts, classify, read_matrix, rules
from recortex.errors import InvalidInputError

TASKS = {
    "the login page crashes with a TypeError when the token is missing": "fix_bug",
    "users get logged out at random, please fix": "fix_bug",
    "implement CSV export for invoices": "add_feature", "add an endpoint that lists devices": "add_feature",
    "extract method from the importer and clean up the duplicated parsing": "refactor",
    "check the upload handler for SQL injection and other vulnerabilities": "security_audit",
    "how does the retry queue work?": "understand_code",
    "write tests for the tariff calculator": "add_test", "review this pull request": "review_code",
    "deploy the worker to staging": "deploy",
    "migrate the settings table from MySQL to Postgres": "migrate",
    "should we use SSE or websockets here?": "decide",
    "what did we say about the cache last time?": "recall",
    "give me a recap of this week's work": "summarize",
    "where were we, and what is left?": "track_progress",
    "spawn a sub-agent that reads the docs": "spawn_agent",
    "what is the difference between the two parsers": "compare", "": USUAL, "zebra": USUAL,
}  # fmt: skip


@pytest.mark.parametrize(("task", "intent"), TASKS.items())
def test_a_task_in_ordinary_words_has_its_intent(task, intent):
    assert classify(task) == intent


def test_files_in_view_and_recent_actions_decide_where_words_do_not():
    assert classify("next", files=["tests/test_invoice.py"]) == "add_test"
    assert classify("next", files=["deploy/service.yaml"]) == "deploy"
    assert classify("next", actions=["failed"]) == "fix_bug"


@given(st.text(max_size=200), st.lists(st.text(max_size=30), max_size=3))
def test_any_text_has_one_intent(task, files):
    assert classify(task, files) in rules()


def test_bugs_want_gotchas_and_incidents_first():
    found = boosts("fix_bug")
    assert found["tribal"] == 1.5
    assert found["incident"] > found["procedural"]


def test_a_matrix_of_the_persons_goes_before_the_usual_one():
    own = read_matrix("[fix_bug]\ntribal = 0.1\n")
    assert boosts("fix_bug", own)["tribal"] == 0.1
    assert boosts("fix_bug", own)["code_smell"] == 1.5


@pytest.mark.parametrize(
    "text", ["[fix_bug", "[nothing]\n", "[fix_bug]\nzebra = 1", "[fix_bug]\ntribal = 9", "fix_bug = 1"]
)
def test_a_matrix_that_is_none_is_refused_with_what_is_wrong(text):
    with pytest.raises(InvalidInputError):
        read_matrix(text)


def test_each_intent_has_kinds_that_count_more():
    assert len(rules()) == 19
    for intent in set(rules()) - {USUAL}:
        weights = boosts(intent)
        assert max(weights.values()) > 1, intent
        assert all(0 < one <= 2 for one in weights.values())


@pytest.mark.parametrize(
    ("intent", "numbers"),
    [
        ("add_feature", (1.0, 1.0, 1.5, 1.2, 0.5, 1.3, 1.0, 0.8, 1.2)),
        ("fix_bug", (1.0, 1.5, 0.8, 1.2, 1.0, 1.0, 0.8, 1.0, 1.5)),
        ("refactor", (1.0, 1.2, 1.0, 1.3, 0.5, 1.5, 1.2, 1.5, 1.3)),
        ("security_audit", (1.0, 2.0, 1.0, 1.5, 0.3, 1.2, 1.5, 1.0, 1.8)),
        ("understand_code", (1.0, 1.2, 0.8, 1.5, 0.5, 1.5, 0.8, 1.5, 1.0)),
        ("add_test", (1.0, 1.2, 1.5, 1.0, 0.5, 1.0, 0.8, 0.8, 1.3)),
    ],
)
def test_the_numbers_that_were_asked_for(intent, numbers):
    kinds = "core tribal procedural semantic episodic pattern_rationale constraint_override decision_context"
    assert tuple(boosts(intent)[kind] for kind in (*kinds.split(), "code_smell")) == numbers
