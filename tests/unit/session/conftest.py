"""A session's events, and a transcript in Claude Code's form."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from recortex import Cortex
from recortex.app.hooks import HookContext
from recortex.app.wiring import hook_context
from recortex.formats.hook_events import EventName, HookEvent


@pytest.fixture
def event(project: Path) -> Callable[..., HookEvent]:
    """Makes an event of the session `s` in the project."""

    def make(name: EventName, session: str = "s", **given: Any) -> HookEvent:
        return HookEvent(name=name, session=session, cwd=str(project), **given)

    return make


@pytest.fixture
def context(cortex: Cortex) -> HookContext:
    """The session context of the project, whose store is there."""
    cortex.init()
    return hook_context(cortex._app.root, app=cortex._app)


class Transcript:
    """A file that grows as a client's does."""

    def __init__(self, path: Path, cwd: Path, session: str = "s") -> None:
        self.path = path
        self._base = {"sessionId": session, "cwd": str(cwd), "version": "2.1.330", "isSidechain": False}
        self._count = 0

    def says(self, role: str, text: str, at: str = "2026-03-01T12:00:00Z") -> "Transcript":
        """Add a message."""
        return self._add(role, text if role == "user" else [{"type": "text", "text": text}], at)

    def ran(self, command: str, at: str = "2026-03-01T12:00:00Z") -> "Transcript":
        """Add a command that passed."""
        asked = {"type": "tool_use", "id": f"t{self._count}", "name": "Bash", "input": {"command": command}}
        answered = {"type": "tool_result", "tool_use_id": asked["id"], "content": "ok"}
        return self._add("assistant", [asked], at)._add("user", [answered], at)

    def _add(self, role: str, content: Any, at: str) -> "Transcript":
        self._count += 1
        line = {
            **self._base, "type": role, "uuid": f"{self.path.stem}-{self._count}", "timestamp": at,
            "message": {"role": role, "content": content, "id": f"m{self._count}"},
        }  # fmt: skip
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")
        return self


@pytest.fixture
def transcript(tmp_path: Path, project: Path) -> Callable[..., Transcript]:
    """Begins a transcript."""
    return lambda name="s": Transcript(tmp_path / f"{name}.jsonl", project, name)
