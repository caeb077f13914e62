"""What a rule only proposes of the person's words is active where the learned judge is sure."""

import pytest

from recortex.domain.transcript import SessionInfo, Turn
from recortex.engines.extraction import extract
from recortex.engines.extraction.drafting import ACTIVE, RuleFinding
from recortex.engines.extraction.weighing import weighed

INFO = SessionInfo(session_id="s", client="claude-code", path="/t.jsonl")
RULE = "We should only retry uploads that are idempotent, because others would be billed twice."


def found(text, role="user"):
    """What one message teaches."""
    return list(extract([Turn(0, "assistant", "Shall I go on?"), Turn(1, role, text)], INFO))


@pytest.mark.parametrize("text", [RULE, "Tests should not depend on the order in which they run."])
def test_a_rule_of_the_person_that_the_judge_expects_to_last_is_active(text):
    (one,) = found(text)
    assert (one.text, one.confidence, one.active) == (text, ACTIVE, True)


def test_what_is_no_sentence_of_the_message_stays_as_it_was():
    finding = RuleFinding(RULE, "constraint", 0.6, "person_rule", "something else that was not said")
    assert weighed(finding, RULE, "") is finding


@pytest.mark.parametrize("more", [{"hold": "it was withdrawn"}, {"confidence": 0.8}])
def test_a_reason_against_it_and_certainty_come_first(more):
    finding = RuleFinding(
        **({"text": RULE, "kind": "constraint", "confidence": 0.6} | more), rule="r", quote=RULE
    )
    assert weighed(finding, RULE, "") is finding


def test_the_judge_does_not_raise_what_passes():
    finding = RuleFinding("Run it again.", "procedural", 0.6, "person_rule", "run it again")
    assert weighed(finding, "run it again", "").confidence == finding.confidence
