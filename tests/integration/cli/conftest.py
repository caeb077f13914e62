"""The command in a project of its own."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest

import ready_recortex

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True)
class Ran:
    """What a command gave."""

    code: int
    out: bytes
    err: str

    @property
    def text(self) -> str:
        return self.out.decode()

    @property
    def answer(self) -> dict[str, Any]:
        """The envelope, when standard output is exactly one JSON object on one line."""
        assert self.out.endswith(b"\n"), self
        assert self.out.count(b"\n") == 1, self
        answer = json.loads(self.out)
        assert isinstance(answer, dict)
        assert isinstance(answer["duration_ms"], int | float)
        return answer

    @property
    def data(self) -> Any:
        """What a verb that was done gave."""
        answer = self.answer
        assert self.code == 0, self
        assert set(answer) == {"status", "command", "data", "warnings", "duration_ms"}
        assert answer["status"] == "ok"
        assert isinstance(answer["warnings"], list)
        return answer["data"]

    @property
    def error(self) -> dict[str, str]:
        """What a verb that failed said."""
        answer = self.answer
        assert self.code in {1, 2}, self
        assert set(answer) == {"status", "command", "error", "duration_ms"}
        assert answer["status"] == "error"
        assert set(answer["error"]) == {"code", "message", "hint"}
        assert all(answer["error"].values())
        return answer["error"]


class Project:
    """A folder with its own store and its own user's data."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "project"
        self.home = folder / "home"
        self.folder.mkdir(parents=True)
        (self.folder / "pyproject.toml").touch()

    @property
    def environment(self) -> dict[str, str]:
        other = ("RECORTEX_", "CLAUDE_CONFIG_DIR")  # Claude Code's folder is the one in this home
        kept = {name: value for name, value in os.environ.items() if not name.startswith(other)}
        return kept | {
            "RECORTEX_HOME": str(self.home),
            "RECORTEX_EMBEDDER": "hashed",
            "NO_COLOR": "1",
            "HOME": str(self.home),
        }

    def run(
        self,
        *words: str | bytes,
        stdin: bytes = b"",
        env: dict[str, str] | None = None,
        cwd: Path | None = None,
    ) -> Ran:
        done = ready_recortex.run(
            *words, stdin=stdin, cwd=cwd or self.folder, env=self.environment | (env or {})
        )
        return Ran(done.returncode, done.stdout, done.stderr.decode())

    def data(self, *words: str, stdin: bytes = b"") -> Any:
        """The data of a verb that must succeed, with `--json`."""
        ran = self.run(*words, "--json", stdin=stdin)
        assert ran.code == 0, ran
        assert ran.answer["command"] == words[0]
        return ran.data

    def remember(self, text: str, *words: str) -> str:
        """Remember something and return its id."""
        return str(self.data("remember", text, *words)["id"])


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path)


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """One project for tests that only read, or that go wrong."""
    made = Project(tmp_path_factory.mktemp("shared"))
    made.remember(
        "Use bcrypt with 12 rounds for passwords, because the audit asks for it.", "--kind", "tribal"
    )
    made.remember("The nightly job runs at 02:00 UTC and takes the write lock.", "--kind", "procedural")
    return made
