"""Instruction files through hooks, as clients call them: processes that read JSON and detach their jobs."""

import json
import time
from pathlib import Path

import pytest

import ready_recortex
from places import store_folder
from recortex import Cortex
from recortex.app.hooks.context import waiting_requests
from recortex.app.jobs.capture import LastMessage, fulfil_requests
from recortex.app.wiring import hook_context
from recortex.filesystem import alone

NPM = "Use pnpm for all packages, never npm"
SECONDS = 300

pytestmark = pytest.mark.usefixtures("without_vectors")


def started(project: Path, client: str, session: str) -> str:
    """What a client is told at a session's start."""
    given = json.dumps(
        {"session_id": session, "cwd": str(project), "hook_event_name": "SessionStart"}
    ).encode()
    done = ready_recortex.run(
        "hook", "session-start", "--client", client, stdin=given, cwd=project, patient=True
    )
    assert (done.returncode, done.stderr) == (0, b"")
    return done.stdout.decode()


def follows(project: Path, text: str) -> bool:
    """Whether a memory says it before the time is over: the jobs are detached."""
    until = time.monotonic() + SECONDS
    while time.monotonic() < until:
        with Cortex.open(project) as cortex:
            if any(memory.text == text for memory in cortex.list().memories):
                return True
        time.sleep(0.2)
    return False


def ended(project: Path) -> None:
    """Wait for the job that a start detached."""
    until = time.monotonic() + SECONDS
    while time.monotonic() < until:
        with alone(store_folder(project) / "locks" / "capture.lock") as free:
            if free:
                return
        time.sleep(0.05)


def test_what_a_client_loads_itself_is_told_to_others_alone(project):
    with Cortex.open(project) as cortex:
        cortex.remember("Invoices are rounded half to even, as the auditors asked", kind="decision")
    assert "auditors" in started(project, "claude-code", "a")
    (project / "CLAUDE.md").write_text(f"# Rules\n\n- {NPM}\n")
    assert NPM not in started(project, "claude-code", "b")
    assert follows(project, NPM)
    for client, told in (("claude-code", False), ("codex", True)):
        text = started(project, client, f"{client}-c")
        assert "auditors" in text
        assert (NPM in text) == told
    (project / "CLAUDE.md").write_text("# Rules\n\n- Use bun for all packages, never npm\n")
    started(project, "codex", "d")
    assert follows(project, "Use bun for all packages, never npm")
    text = started(project, "codex", "e")
    assert "Use bun" in text
    assert NPM not in text
    ended(project)


def test_a_file_that_changes_while_a_process_learns_waits_for_that_process(project):
    with Cortex.open(project) as cortex:
        cortex.remember("Invoices are rounded half to even, as the auditors asked", kind="decision")
    started(project, "claude-code", "a")
    ended(project)
    with alone(store_folder(project) / "locks" / "capture.lock") as held:
        assert held
        (project / "CLAUDE.md").write_text(f"# Rules\n\n- {NPM}\n")
        started(project, "claude-code", "b")  # no process is started while one runs
        assert waiting_requests(store_folder(project) / "queue") == 1
    fulfil_requests(hook_context(project), LastMessage())
    assert waiting_requests(store_folder(project) / "queue") == 0
    assert follows(project, NPM)
