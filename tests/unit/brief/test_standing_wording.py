"""Whether the wording of what was found in a session says something that still holds."""

from dataclasses import replace

import pytest

from example_memories import memory
from recortex.domain.memory import Source
from recortex.domain.vocabulary import Trust
from recortex.engines.brief import DECISION, RULE, WARNING, still_holds

FOUND = Source(rule="person_rule")


@pytest.mark.parametrize(
    "text",
    [
        "Never push to the release branch without asking",
        "Use tabs in Makefiles",
        "Our staging server is called birch",
        "Commit messages must name the ticket",
    ],
)
def test_a_rule_that_holds_for_all_cases(text):
    assert still_holds(memory(1, text, source=FOUND, trust=Trust.TRUSTED), RULE)


@pytest.mark.parametrize(
    "text",
    [
        "Wouldn't it be better to always use tabs", "I think we should never use tabs",
        "We should rename the folder to parts", "Let's always do it the other way",
        "Continue, the network should be better now", "The validation functions should be removed",
        "That should always be the first one", "Do we use tabs everywhere?", "Use the other one instead",
        "Don't fix anything, but just look whether it works", "Go with your recommendation for every test",
    ],
)  # fmt: skip
def test_doubts_questions_and_single_orders_are_no_rules(text):
    assert not still_holds(memory(1, text, source=FOUND, trust=Trust.TRUSTED), RULE)
    assert still_holds(memory(1, text, source=Source(rule="person_repeated"), trust=Trust.TRUSTED), RULE)
    assert not still_holds(memory(1, text, source=FOUND, trust=Trust.TRUSTED, evidence=3), RULE)
    assert still_holds(memory(1, text), RULE)


def test_a_decision_needs_no_word_of_lasting_and_a_report_of_what_was_done_is_none():
    assert still_holds(memory(1, "Redis holds the queue", source=FOUND, trust=Trust.TRUSTED), DECISION)
    assert not still_holds(memory(1, "`a.py`: Changed `f` to return a pair", source=FOUND), WARNING)
    assert not still_holds(replace(memory(1, "So the loop never ends"), source=FOUND), WARNING)
