"""Proposals that nobody looked at leave the list, as it says before; what was said can still be found."""

import pytest

from claude_sessions import claude_session
from recortex.app.jobs.learning import learn
from recortex.domain.vocabulary import Status
from recortex.errors import InvalidInputError

PROPOSED = "Should we keep the harvest invoices in the silo database `harvest_invoices`?"


@pytest.fixture
def proposal(cortex, clock, tmp_path):
    """A proposal that was learned from an exchange of a session."""
    said = [
        ("user", "Add the export."),
        ("assistant", PROPOSED),
        ("user", "yes, do that"),
        ("assistant", "Done."),
    ]
    path = claude_session(tmp_path / "s1.jsonl", cortex._app.root, *said, at=clock().isoformat())
    learn(cortex._app.services, path, clock=clock, final=True, dry_run=False)
    (one,) = cortex.list(statuses=(Status.PROPOSED,)).memories
    assert one.text == "Agreed to: Keep the harvest invoices in the silo database `harvest_invoices`."


@pytest.mark.usefixtures("proposal")
def test_a_proposal_that_is_pruned_leaves_its_exchange(cortex, clock):
    assert cortex.review().leaving == 0
    clock.pass_(days=55)
    assert cortex.review().leaving == 1  # within a week
    for _ in range(3):
        clock.pass_(days=95)
        cortex.lifecycle(trust_clock=True)
        cortex.gc()
    assert cortex.review().leaving == 0
    assert not cortex.list(statuses=(Status.PROPOSED, Status.ACTIVE)).memories
    recalled = cortex.recall("harvest invoices silo database").exchanges
    (found,) = [one for one in recalled if one.message == "yes, do that"]
    assert "harvest_invoices" in found.asked
    assert "yes, do that" in str(cortex.get(found.id))


@pytest.mark.parametrize("said", ["hmm okay", "ok", "yeah sure", "hmm, okay!", "alright then"])
def test_a_sound_of_agreement_teaches_nothing(cortex, said):
    with pytest.raises(InvalidInputError, match="nothing to learn"):
        cortex.learn(said)
    assert not cortex.list(statuses=()).memories


def test_feedback_keeps_what_is_right_instead_as_it_is_worded(cortex):
    one = cortex.remember("Mocks in integration tests.", kind="preference")
    cortex.feedback(one.id, "modify", text="no mock in integration tests")
    assert cortex.get(one.id).text == "no mock in integration tests"
