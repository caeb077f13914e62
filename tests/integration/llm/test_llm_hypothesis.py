"""What an answer may look like: asked once, without secrets, and worth nothing where the wire fails."""

import json

import pytest
from local_provider import KEY, PROVIDERS, enveloped

from recortex import Cortex
from recortex.engines.prompting.service import Adviser

NOTE = "Passwords are hashed with bcrypt, 12 rounds."
TOKEN = "ghp_" + "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8"


@pytest.mark.parametrize("name", PROVIDERS)
def test_a_hypothesis_comes_over_the_wire_once(name, provider, model_at, store):
    provider.says(name, json.dumps({"notes": [{"text": f"{NOTE} Token {TOKEN}"}]}))
    adviser = Adviser(model_at(name))
    question = f"how are passwords hashed, not {TOKEN}?"
    found = adviser.hypothesis(question)
    assert found.startswith(NOTE)
    assert TOKEN not in found
    assert adviser.hypothesis(question) == found
    (seen,) = provider.seen
    assert TOKEN not in json.dumps(seen.body)
    (call,) = store.model_calls.recent(5)
    assert (call.purpose, call.outcome) == ("hypothesis", "ok")


def test_a_recall_compares_it_only_where_it_is_switched_on(provider, tmp_path, monkeypatch):
    for name, value in (("PROVIDER", "openai"), ("URL", provider.url), ("API_KEY", KEY), ("MODEL", "m")):
        monkeypatch.setenv(f"RECORTEX_LLM_{name}", value)
    provider.sends(json.dumps(enveloped("openai", json.dumps({"notes": [{"text": NOTE}]}))).encode())
    url = f"sqlite:///{tmp_path}/c.db"
    with Cortex.open(url=url) as plain:
        plain.remember("Use bcrypt with 12 rounds", kind="tribal")
        before = plain.recall("is the login safe?", floor=False).hits[0].signals["semantic"]
        assert provider.seen == []
    monkeypatch.setenv("RECORTEX_RECALL_HYPOTHESIS", "true")
    with Cortex.open(url=url) as asking:
        after = asking.recall("is the login safe?", floor=False).hits[0].signals["semantic"]
    assert len(provider.seen) == 1
    assert after > before + 0.2


@pytest.mark.parametrize("text", ["", "[]", '{"notes": []}', '{"notes": [{"text": 7}]}', '{"notes": ["x"]}'])
def test_an_odd_answer_is_none(text, provider, model_at):
    provider.says("openai", text)
    assert Adviser(model_at("openai")).hypothesis("how are passwords hashed?") == ""
    assert Adviser(None).hypothesis("how are passwords hashed?") == ""
    assert Adviser(model_at("openai")).hypothesis("") == ""
