"""Where a store is: worktrees and subfolders share one; nobody else may read it."""

import os
import subprocess

import pytest

from places import project_of, store_folder
from recortex import Cortex
from recortex.codebase.git import find_checkout


def git(folder, *words):
    own = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    names = {
        f"GIT_{who}_{what}": "t@example.org" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")
    }
    subprocess.run(["git", *words], cwd=folder, env=os.environ | own | names, check=True, capture_output=True)


@pytest.fixture
def repository(tmp_path):
    root = tmp_path / "main tree"
    (root / "src" / "deep").mkdir(parents=True)
    (root / "src" / "deep" / "a.py").write_text("a = 1\n")
    git(root, "init", "-q")
    git(root, "add", ".")
    git(root, "commit", "-q", "-m", "first")
    git(root, "worktree", "add", "-q", "-b", "second", "../second tree")
    git(root, "worktree", "add", "-q", "inner/third")
    return root


@pytest.mark.usefixtures("without_vectors")
def test_worktrees_and_subfolders_share_one_store(repository, clock):
    folders = [
        repository, repository / "src" / "deep", repository.parent / "second tree",
        repository.parent / "second tree" / "src" / "deep", repository / "inner" / "third" / "src",
    ]  # fmt: skip
    for number, folder in enumerate(folders):
        with Cortex.open(folder, clock=clock) as cortex:
            cortex.remember(f"Learned in folder {number}.")
            assert cortex.list().total == number + 1
    assert list(repository.parent.rglob("*.db")) == []
    assert {project_of(folder).folder for folder in folders} == {store_folder(repository)}
    status = subprocess.run(
        ["git", "status", "--porcelain"], cwd=repository, capture_output=True, text=True, check=True
    )
    assert status.stdout.split() == ["??", "inner/"]


def test_outside_git_a_projects_usual_file_marks_the_root(tmp_path):
    (tmp_path / "a" / "b").mkdir(parents=True)
    assert find_checkout(tmp_path / "a" / "b").root == tmp_path / "a" / "b"
    (tmp_path / "a" / "pyproject.toml").write_text("")
    assert find_checkout(tmp_path / "a" / "b").root == tmp_path / "a"


@pytest.mark.parametrize("text", ["", "gitdir: /nowhere", "nonsense", "gitdir: \0", "gitdir: " + "x" * 5000])
def test_a_strange_git_file_does_not_stop_anything(tmp_path, text):
    (tmp_path / ".git").write_text(text)
    assert find_checkout(tmp_path).root == tmp_path


@pytest.mark.usefixtures("without_vectors")
def test_nobody_else_can_read_a_store(project, clock, home):
    before = os.umask(0)
    try:
        with Cortex.open(project, clock=clock) as cortex:
            kept = cortex.remember("For my eyes only.")
            cortex.remember("For mine, everywhere.", scope="global")
            cortex.edit(kept.id, tags=["x"])
            cortex.backup()
            cortex.export(str(project / "export.jsonl"))
            modes(store_folder(project))
            modes(home)
            assert (project / "export.jsonl").stat().st_mode & 0o777 == 0o600
    finally:
        os.umask(before)


def modes(folder):
    assert folder.stat().st_mode & 0o777 == 0o700
    for path in folder.rglob("*"):
        assert path.stat().st_mode & 0o777 == (0o700 if path.is_dir() else 0o600), path


@pytest.mark.usefixtures("without_vectors")
def test_doctor_names_a_store_that_others_can_read(project, clock):
    with Cortex.open(project, clock=clock) as cortex:
        cortex.init()
        (store_folder(project) / "cortex.db").chmod(0o644)
        report = cortex.doctor()
    assert not report.healthy
    assert any("chmod 600" in finding.todo for finding in report.findings)
