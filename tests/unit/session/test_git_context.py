"""What git says of a checkout, in a real repository."""

import subprocess
from pathlib import Path

import pytest

from recortex.codebase import git as looking
from recortex.codebase.git import git_context


@pytest.fixture(autouse=True)
def _patient(monkeypatch):
    monkeypatch.setattr(looking, "SECONDS", 600.0)  # what git says is tested here, not how quickly


def git(folder: Path, *words: str) -> None:
    subprocess.run(
        ["git", "-c", "user.name=t", "-c", "user.email=t@t", *words],
        cwd=folder,
        check=True,
        capture_output=True,
    )


def test_a_repository_cannot_start_programs(tmp_path: Path):
    git(tmp_path, "init", "-q", "-b", "work")
    (tmp_path / "a.py").write_text("1\n")
    git(tmp_path, "add", "a.py")
    git(tmp_path, "commit", "-qm", "first")
    for name in ("core.fsmonitor", "diff.external", "core.pager"):
        git(tmp_path, "config", name, f"touch {tmp_path}/owned; false")
    (tmp_path / "a.py").write_text("2\n")
    git_context(tmp_path)
    assert not (tmp_path / "owned").exists()
