"""What tests of clones do: real git, the real hooks, and the job behind them."""

from __future__ import annotations

import json
import os
import subprocess
from typing import TYPE_CHECKING, Any

import ready_recortex
from places import project_of
from recortex.filesystem import alone

if TYPE_CHECKING:
    from pathlib import Path

ANSWER = "Deployments of this project go through the blue pipeline, since the red one loses migrations."
QUESTION = "which pipeline do deployments of this project go through?"


def git(folder: Path, *words: str) -> str:
    own = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    names = {
        f"GIT_{who}_{what}": "s@example.org" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")
    }
    done = subprocess.run(
        ["git", *words], cwd=folder, env=os.environ | own | names, check=True, capture_output=True
    )
    return done.stdout.decode()


def hook(folder: Path, event: str, name: str, **more: Any) -> str:
    """What a hook says, as a client would be told."""
    payload = {"session_id": "s", "cwd": str(folder), "hook_event_name": name, "transcript_path": "", **more}
    done = ready_recortex.run("hook", event, stdin=json.dumps(payload).encode(), cwd=folder, patient=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.decode()


def told_in_a_session(folder: Path) -> str:
    """All that an agent is told when a session starts there and a question is asked."""
    start = hook(folder, "session-start", "SessionStart", source="startup")
    return start + hook(folder, "user-prompt-submit", "UserPromptSubmit", prompt=QUESTION)


def capture(folder: Path) -> None:
    """Run the job that learns from what waits, and wait for the one that a hook may have started."""
    done = ready_recortex.run("hook", "capture", "--project", str(folder))
    assert done.returncode == 0, done.stderr
    project = project_of(folder)
    if project.folder is not None:
        with alone(project.folder / "locks" / "capture.lock", patience=300) as over:
            assert over
