"""From turns to candidates over the wire, with every provider, and to nothing where the wire fails."""

import json

import pytest
from local_provider import KEY, PROVIDERS

from recortex.domain.exchange import SessionInfo, Turn
from recortex.engines.prompting.service import Adviser

INFO = SessionInfo("session-7", "claude-code", "/t.jsonl")
TOKEN = "ghp_" + "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8"
TURNS = [
    Turn(0, "user", f"The deploy token is {TOKEN}, keep it out of the repository."),
    Turn(
        1,
        "assistant",
        "Here it is:\n\n```python\nDEPLOY = load_the_token()\n```\n\n"
        "The deploy job now reads it from the vault.",
    ),
    Turn(2, "user", "Good. From now on all deploys go through the vault, never through a file."),
]
ANSWER = {
    "candidates": [
        {"text": "All deploys go through the vault, never through a file.", "kind": "constraint_override",
         "confidence": 0.97,
         "quote": "all deploys go through the vault, never through a file"},
        {"text": "The deploy job reads its token from the vault.", "kind": "Pattern", "confidence": 0.7,
         "quote": "The deploy job now reads it\nfrom the vault."},
        {"text": "The project is written in Haskell and uses Nix.", "kind": "core", "confidence": 1.0,
         "quote": "written in Haskell"},
    ]
}  # fmt: skip


@pytest.mark.parametrize("name", PROVIDERS)
def test_a_session_teaches_over_the_wire(name, provider, model_at, store):
    provider.says(name, json.dumps(ANSWER))
    learned = Adviser(model_at(name)).extract(TURNS, INFO)
    assert [(one.kind, one.turn_index, one.active) for one in learned.candidates] == [
        ("constraint_override", 2, True),
        ("pattern_rationale", 1, False),
    ]
    assert learned.dropped == {"ungrounded": 1}
    assert learned.unavailable is None
    (seen,) = provider.seen
    sent = json.dumps(seen.body)
    assert TOKEN not in sent
    assert "load_the_token" not in sent
    assert "all deploys go through the vault" in sent
    (call,) = store.model_calls.recent(5)
    assert (call.provider, call.purpose, call.session, call.outcome) == (name, "extract", "session-7", "ok")
    assert call == learned.call


@pytest.mark.parametrize("name", PROVIDERS)
@pytest.mark.parametrize("status", [301, 401, 429, 500])
def test_where_the_wire_fails_the_rules_go_on(name, status, provider, model_at):
    provider.sends(b"<html>", status=status, headers={"location": "https://elsewhere.test/"})
    learned = Adviser(model_at(name)).extract(TURNS, INFO)
    assert learned.candidates == ()
    assert learned.unavailable is not None
    assert learned.call is not None
    assert learned.call.outcome == "failed"
    assert KEY not in repr(learned)
