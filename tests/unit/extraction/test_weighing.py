"""What the learned judge makes of what rules find, and of what the person typed beside."""

import pytest

from recortex.domain.exchange import SessionInfo, Turn
from recortex.engines.extraction.extractor import extract, weighed
from recortex.engines.extraction.sentences import ACTIVE, RuleFinding
from recortex.engines.judging import Message

INFO = SessionInfo(session_id="s", client="claude-code", path="/t.jsonl")
RULE = "We should only retry uploads that are idempotent, because others would be billed twice."


def found(text, role="user", before="Shall I go on?"):
    """What one message teaches."""
    return list(extract([Turn(0, "assistant", before), Turn(1, role, text)], INFO))


@pytest.mark.parametrize("text", [RULE, "Tests should not depend on the order in which they run."])
def test_what_should_be_waits_however_sure_the_judge_is(text):
    (one,) = found(text)
    assert (one.text, one.confidence, one.active) == (text, ACTIVE, False)


def test_a_reason_against_it_stays():
    finding = RuleFinding(RULE, "constraint", 0.6, "person_rule", RULE, hold="it was withdrawn")
    (one,) = weighed([finding], Message(RULE))
    assert one.hold == "it was withdrawn"


def test_a_question_is_no_statement_of_the_person():
    finding = RuleFinding("We use uv here.", "preference", 0.8, "person_our_way", "do we use uv here?")
    assert list(weighed([finding], Message("do we use uv here?"))) == []


def test_what_the_person_asks_to_remember_needs_no_judge():
    (one,) = found("remember that the demo box is under the stairs")
    assert one.active


@pytest.mark.parametrize("role", ["assistant", "summary"])
def test_what_the_agent_says_is_left_to_the_record_of_what_was_said(role):
    said = "The `orders` table requires a `month` filter because it is partitioned."
    assert found(f"## Key decisions\n\n- {said}\n\n**Fix:** {said}", role=role) == []


def test_a_letter_decides_what_its_option_says():
    before = (
        "Where should the sessions of the mobile clients be stored?\n\n"
        "a) Redis with a timeout of thirty minutes\nb) Postgres in the table mobile_sessions\n"
    )
    (one,) = found("b", before=before)
    assert "Postgres in the table mobile_sessions" in one.text
    assert "sessions of the mobile clients" in one.text
    assert (one.kind, one.active) == ("decision", False)


def test_yes_agrees_to_what_the_agent_proposed():
    """The words are the agent's, so they are not told as a sentence that the person said."""
    (one,) = found("yes, do that", before="Should we keep the two parsers apart in `formats/`?")
    assert one.text == "Agreed to: Keep the two parsers apart in `formats/`."
    assert found("yes, do that", before="Should I run the tests again?") == []
