"""A client may call a session whatever it likes: what no index would take works on both engines, in hooks and transcripts."""

import json
import os
import secrets
import subprocess
import sys

import pytest

from recortex import Cortex
from recortex.app.backends import open_sessions
from recortex.app.location import of_project, of_url
from recortex.app.session.trouble import troubles
from recortex.domain.session import LONGEST_ID, known_as
from recortex.formats.transcripts.reader import open_transcript

IDS = {
    "short": "s-1",
    "as it is": "x" * LONGEST_ID,
    "just too long": secrets.token_hex(LONGEST_ID // 2) + "x",
    "longest": secrets.token_hex(2048),
    "not of ASCII": "".join(chr(0x4E00 + secrets.randbelow(20_000)) for _ in range(4096)),
}


@pytest.fixture(params=["sqlite", "postgres"])
def location(request, project, server, monkeypatch):
    monkeypatch.setenv("RECORTEX_EMBEDDER", "none")
    if request.param == "sqlite":
        return of_project(project)
    url = server.workspace_url()
    monkeypatch.setenv("RECORTEX_URL", url)
    return of_url(url, root=project, workspace="")


def hook(project, name, session, **more):
    given = {"session_id": session, "cwd": str(project), "transcript_path": "", **more}
    subprocess.run(
        [sys.executable, "-m", "recortex", "hook", name], input=json.dumps(given), cwd=project, env=os.environ,
        text=True, check=True, capture_output=True,
    )  # fmt: skip


@pytest.mark.parametrize("session", IDS.values(), ids=IDS)
def test_hooks_note_it(project, location, session):
    with Cortex.open(project) as cortex:
        cortex.remember(
            "Refunds are retried three times, since the bank drops one in a hundred", kind="tribal"
        )
    hook(project, "session-start", session, hook_event_name="SessionStart", source="startup")
    read = {"tool_name": "Read", "tool_input": {"file_path": str(project / "pay.py")}, "tool_response": {}}
    hook(project, "post-tool-use", session, hook_event_name="PostToolUse", **read)
    sessions = open_sessions(location)
    assert sessions.get(known_as(session)).id == known_as(session)
    assert len(sessions.receipts(known_as(session))) == 1
    assert len(sessions.signals(known_as(session))) == 1
    assert not troubles(location)


@pytest.mark.parametrize("session", IDS.values(), ids=IDS)
@pytest.mark.usefixtures("location")
def test_a_transcript_of_it_teaches(project, session, tmp_path):
    path = tmp_path / "session.jsonl"
    said = "please remember that we use uv and not pip in this repository"
    line = {
        "type": "user", "sessionId": session, "uuid": "u-1", "timestamp": "2026-03-01T12:00:00.000Z", "version": "2.0.0",
        "cwd": str(project), "message": {"role": "user", "content": said},
    }  # fmt: skip
    path.write_text(json.dumps(line) + "\n", encoding="utf-8")
    assert open_transcript(path).client
    with Cortex.open(project) as cortex:
        cortex.extract(str(path))
        (kept,) = cortex.list().memories
        assert cortex.get(kept.id).source.session == known_as(session)
