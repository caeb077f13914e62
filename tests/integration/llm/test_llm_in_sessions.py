"""A language model that is set helps to learn from a session; whatever it does, the rules do their part."""

import json
from pathlib import Path

import pytest

from claude_sessions import claude_session
from recortex import Cortex
from recortex.app.hooks.context import Request, put_request
from recortex.app.jobs.capture import LastMessage, fulfil_requests
from recortex.app.wiring import hook_context

RULED = "please remember that we use uv and not pip in this repository"
TOLD = "The exporter writes one row per parcel because the warehouse cannot split rows again"
CODE = "SECRET_ALGORITHM = lambda parcel: parcel.weight * 42"


@pytest.fixture
def session(tmp_path: Path, project: Path) -> Path:
    answer_ = ("assistant", f"Noted. {TOLD}.\n\n```python\n{CODE}\n```\n")
    return claude_session(tmp_path / "s.jsonl", project, RULED, answer_, session="s")


@pytest.fixture
def learn(project: Path, session: Path, provider, clock, monkeypatch: pytest.MonkeyPatch):
    """Runs the job with the model at the local server; returns what is known then."""
    monkeypatch.setenv("RECORTEX_EMBEDDER", "none")
    monkeypatch.setenv("RECORTEX_LLM_PROVIDER", "ollama")
    monkeypatch.setenv("RECORTEX_LLM_URL", provider.url)
    monkeypatch.setenv("RECORTEX_LLM_TIMEOUT", "300")

    def run() -> Cortex:
        cortex = Cortex.open(project, clock=clock)
        cortex.init()
        context = hook_context(project, app=cortex._app)
        put_request(context.queue, Request(session="s", transcript=str(session), final=True))
        fulfil_requests(context, LastMessage())
        return cortex

    return run


def answer(*candidates: dict) -> str:
    return json.dumps({"candidates": list(candidates)})


def test_what_the_model_finds_and_the_session_bears_out_is_kept_beside_what_the_rules_find(provider, learn):
    provider.says("ollama", answer(
        {"text": f"{TOLD}.", "kind": "decision", "confidence": 0.95, "quote": TOLD},
        {"text": "The moon base was moved to the far side in March.", "kind": "decision", "confidence": 0.99,
         "quote": "moved to the far side"},
    ))  # fmt: skip
    with learn() as cortex:
        found = {memory.source.rule: memory.text for memory in cortex.list(statuses=()).memories}
        status = cortex.status()
    assert any("uv" in text for text in found.values())
    assert "one row per parcel" in found["llm_extract"]
    assert not any("moon" in text for text in found.values())
    assert status.language_model is not None
    assert status.language_model.calls >= 1


def test_no_code_is_sent(provider, learn):
    provider.says("ollama", answer())
    learn().close()
    sent = json.dumps([seen.body for seen in provider.seen])
    assert "one row per parcel" in sent
    assert "SECRET_ALGORITHM" not in sent


@pytest.mark.parametrize("body", [b"<html>", b"", b"{" * 500, b'{"message": {"content": "[]"}}'])
def test_whatever_the_model_answers_the_rules_do_their_part(provider, learn, body: bytes):
    provider.sends(body, status=200)
    with learn() as cortex:
        [memory] = cortex.list(statuses=()).memories
    assert "uv" in memory.text
