"""A client may call a session whatever it likes.

What no index would take works on both engines, in hooks and transcripts.
"""

from random import Random

import pytest
from hooks_of_clients import called, jobs_ended

from claude_sessions import claude_session
from places import location_of, project_of, store_folder
from recortex import Cortex
from recortex.app.backends.stores import open_sessions
from recortex.app.hooks.context import logged_errors
from recortex.app.projects import of_project
from recortex.domain.text import LONGEST_ID, known_as
from recortex.formats.transcripts.reader import open_transcript

CHANCE = Random(7)  # noqa: S311  nothing that an index could pack, and the same each time
IDS = {
    "short": "s-1",
    "as it is": "x" * LONGEST_ID,
    "just too long": CHANCE.randbytes(LONGEST_ID // 2).hex() + "x",
    "longest": CHANCE.randbytes(2048).hex(),
    "not of ASCII": "".join(chr(0x4E00 + CHANCE.randrange(20_000)) for _ in range(4096)),
}


@pytest.fixture(params=["sqlite", "postgres"])
def location(request, project, home, server, monkeypatch):
    monkeypatch.setenv("RECORTEX_EMBEDDER", "none")
    with jobs_ended(home):
        if request.param == "sqlite":
            store_folder(project)
            yield of_project(project_of(project))
        else:
            url = server.workspace_url()
            monkeypatch.setenv("RECORTEX_URL", url)
            store_folder(project)
            yield location_of(url, project)


@pytest.mark.parametrize("session", IDS.values(), ids=IDS)
def test_hooks_note_it(project, location, session):
    with Cortex.open(project) as cortex:
        cortex.remember(
            "Refunds are retried three times, since the bank drops one in a hundred", kind="tribal"
        )
    called(project, "session-start", session_id=session, hook_event_name="SessionStart", source="startup")
    read = {"tool_name": "Read", "tool_input": {"file_path": str(project / "pay.py")}, "tool_response": {}}
    called(project, "post-tool-use", session_id=session, hook_event_name="PostToolUse", **read)
    sessions = open_sessions(location)
    assert sessions.get(known_as(session)).id == known_as(session)
    assert len(sessions.receipts(known_as(session))) == 1
    assert len(sessions.signals(known_as(session))) == 1
    assert not logged_errors(location)


@pytest.mark.parametrize("session", IDS.values(), ids=IDS)
@pytest.mark.usefixtures("location")
def test_a_transcript_of_it_teaches(project, session, tmp_path):
    said = "please remember that we use uv and not pip in this repository"
    path = claude_session(tmp_path / "session.jsonl", project, said, session=session, uuid="u-1")
    assert open_transcript(path).client
    with Cortex.open(project) as cortex:
        cortex.extract(str(path))
        (kept,) = cortex.list().memories
        assert cortex.get(kept.id).source.session == known_as(session)
