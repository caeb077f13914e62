"""The hooks of a session, with the store on a server: brief, prompt, what is noted, what is learned."""

import json
import time

import pytest
from hooks_of_clients import called, jobs_ended

from claude_sessions import claude_session
from patient_recortex import SECONDS
from recortex import Cortex


@pytest.fixture(autouse=True)
def _on_a_server(server, home, monkeypatch):
    monkeypatch.setenv("RECORTEX_EMBEDDER", "hashed")
    monkeypatch.setenv("RECORTEX_URL", server.workspace_url())
    with jobs_ended(home):
        yield


def hook(project, name, **more):
    said = called(project, name, **{"session_id": "s-1"} | more)
    return json.loads(said)["hookSpecificOutput"]["additionalContext"] if said else ""


def start(project, **more):
    return hook(project, "session-start", hook_event_name="SessionStart", source="startup", **more)


def test_the_brief_follows_the_store_on_the_server(project):
    with Cortex.open(project) as cx:
        cx.remember("Migrations run before the deploy, never after it", kind="decision")
    first = start(project)
    assert "before the deploy" in first
    assert start(project) == first
    with Cortex.open(project) as cx:
        cx.remember("The cache key has the tenant in it", kind="tribal", importance="high")
    assert "tenant" in start(project)


def test_what_is_given_and_seen_is_noted_on_the_server(project):
    with Cortex.open(project) as cx:
        kept = cx.remember(
            "Refunds are retried three times, since the bank drops one in a hundred", kind="tribal"
        )
    hook(project, "session-start", hook_event_name="SessionStart", source="startup")
    hook(
        project, "post-tool-use", hook_event_name="PostToolUse", tool_name="Read",
        tool_input={"file_path": str(project / "src" / "pay.py")}, tool_response={},
    )  # fmt: skip
    with Cortex.open(project) as cx:
        noted = cx.inspect(session="s-1").receipts
    assert [(one.channel, one.memory) for one in noted.given] == [("surface", kept.id)]
    assert [(one.name, one.subject) for one in noted.signals] == [("read", "src/pay.py")]


def test_what_a_session_taught_is_learned_on_the_server(project, tmp_path):
    start(project)
    said = ("Always run the linter before you commit, please.", ("assistant", "Understood."))
    path = claude_session(tmp_path / "s-1.jsonl", project, *said, session="s-1")
    hook(project, "session-end", hook_event_name="SessionEnd", transcript_path=str(path), reason="exit")
    until = time.monotonic() + SECONDS
    with Cortex.open(project) as cx:
        while not (kept := cx.list().memories) and time.monotonic() < until:
            time.sleep(0.5)
            start(project, session_id="s-2")  # takes up what a hook left that had too little time
    assert any("linter" in memory.text for memory in kept)
