"""A stranger's repository, and a clone of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from strangers import ANSWER, git

from places import project_of
from recortex import Cortex

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def stranger(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Somebody else's repository with a store as former versions kept it, made with a home of their own."""
    root = tmp_path / "stranger"
    root.mkdir()
    git(root, "init", "-q", "-b", "main")
    (root / "app.py").write_text("print('hello')\n")
    with monkeypatch.context() as patch:
        patch.setenv("RECORTEX_HOME", str(tmp_path / "strangers home"))
        patch.setenv("RECORTEX_EMBEDDER", "none")
        with Cortex.open(root) as cortex:
            cortex.remember(ANSWER, kind="decision", importance="critical", pinned=True)
            made = project_of(root).folder
        (root / ".recortex").mkdir()
        (root / ".recortex" / "cortex.db").write_bytes((made / "cortex.db").read_bytes())
    git(root, "config", "--unset", "recortex.id")
    git(root, "add", "--force", ".")
    git(root, "commit", "-q", "-m", "first")
    return root


@pytest.fixture
def clone(stranger: Path, tmp_path: Path) -> Path:
    git(tmp_path, "clone", "-q", str(stranger), "clone")
    return tmp_path / "clone"
