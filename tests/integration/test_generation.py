"""`generation-context` and `generation-outcome` on a real store."""

import pytest

from recortex import Cortex
from recortex.errors import ConfigError, InvalidInputError


@pytest.fixture
def cortex(tmp_path):
    with Cortex.open(url=f"sqlite:///{tmp_path}/c.db") as opened:
        opened.remember(
            "Never store a password without bcrypt, call `hash_password`", kind="tribal", confidence=0.8
        )
        opened.remember(
            "Passwords are hashed in the service layer, since views are cached", kind="pattern_rationale"
        )
        opened.remember("Do not log `password` values", kind="preference")
        yield opened


def test_what_to_know_comes_by_shares_with_provenance(cortex):
    found = cortex.generation_context("store the password of a new user", code="logger.info(password)")
    assert found.tokens <= found.budget
    assert {one.influence for one in found.provenance} >= {"pattern_followed", "tribal_applied"}
    assert any(one.comment.startswith("[recortex:tribal]") for one in found.provenance)
    assert [one.found for one in found.conflicts] == ["password"]


@pytest.mark.parametrize(("outcome", "moved"), [("accepted", 0.02), ("modified", -0.01), ("rejected", -0.05)])
def test_an_outcome_changes_confidence_once_and_can_be_undone(cortex, outcome, moved):
    found = cortex.generation_context("store the password of a new user")
    tribal = next(one.id for one in found.provenance if one.kind == "tribal")
    learned = cortex.generation_outcome(found.generation, outcome)
    assert learned.confidence[tribal] == pytest.approx(0.8 + moved)
    assert cortex.generation_outcome(found.generation, "rejected").confidence == {}
    cortex.undo(tribal)
    assert cortex.get(tribal).confidence == pytest.approx(0.8, abs=1e-3)


def test_what_is_no_generation_is_refused(cortex):
    for wrong in ("x", "g000000000000"):
        with pytest.raises(InvalidInputError):
            cortex.generation_outcome(wrong, "accepted")


@pytest.mark.usefixtures("cortex")
def test_the_shares_are_a_setting(tmp_path, monkeypatch):
    monkeypatch.setenv("RECORTEX_GENERATION_SHARES", "0/0/0/0/100")
    with Cortex.open(url=f"sqlite:///{tmp_path}/c.db") as opened:
        found = opened.generation_context("store the password of a new user")
        assert found.provenance == ()  # there is no related knowledge, and nothing is left for the others
    monkeypatch.setenv("RECORTEX_GENERATION_SHARES", "1/2")
    with Cortex.open(url=f"sqlite:///{tmp_path}/c.db") as opened, pytest.raises(ConfigError):
        opened.generation_context("store the password of a new user")


def test_a_plan_is_checked_against_rules_that_share_nothing_with_its_focus(cortex):
    rule = cortex.remember("Never push straight to trunk, always open a request.", kind="preference")
    found = cortex.generation_context("format dates in invoices", code="Format them\nThen push to trunk")
    assert [(one.id, one.line) for one in found.conflicts] == [(rule.id, 2)]
    assert cortex.generation_context("format dates in invoices", code="push the branch").conflicts == ()
