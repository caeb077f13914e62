"""Whose commits a folder's `.git` gives, and what is told where git's own files do not say."""

import subprocess

import pytest

from recortex import Cortex
from recortex.codebase.git import branch_and_commit
from recortex.errors import InvalidInputError
from repositories import git

SWITCH = ("-m", "Switch from yarn to pnpm", "-m", "Because installs took minutes on every machine.")


@pytest.fixture
def repository(tmp_path):
    made = tmp_path / "repository"
    made.mkdir()
    git(made, "init", "-q", "-b", "main", ".")
    git(made, "commit", "-q", "--allow-empty", *SWITCH)
    return made


def refused(folder, clock):
    with Cortex.open(folder, clock=clock) as cx, pytest.raises(InvalidInputError) as error:
        cx.import_("git")
    return error.value.message


def test_a_git_file_that_names_another_repository_reads_none_of_its_commits(
    repository,
    tmp_path,
    clock,
    without_vectors,  # noqa: ARG001
):
    stranger = tmp_path / "stranger"
    stranger.mkdir()
    (stranger / ".git").write_text(f"gitdir: {repository}/.git\n")
    assert branch_and_commit(stranger) == ("", "")
    assert "does not point back" in refused(stranger, clock)


def test_a_folder_that_claims_to_be_a_worktree_of_another_repository_is_none(repository, tmp_path):
    stranger = tmp_path / "stranger"
    forged = stranger / "forged"
    forged.mkdir(parents=True)
    (stranger / ".git").write_text(f"gitdir: {forged}\n")
    (forged / "commondir").write_text(f"{repository}/.git\n")
    (forged / "gitdir").write_text(f"{stranger}/.git\n")
    (forged / "HEAD").write_text("ref: refs/heads/main\n")
    assert branch_and_commit(stranger) == ("", "")


def test_a_link_to_another_repositorys_folder_reads_none_of_its_commits(repository, tmp_path):
    stranger = tmp_path / "stranger"
    stranger.mkdir()
    (stranger / ".git").symlink_to(repository / ".git")
    assert branch_and_commit(stranger) == ("", "")


def test_worktrees_and_submodules_are_read(repository, tmp_path):
    git(repository, "worktree", "add", "-q", str(tmp_path / "tree"))
    head = git(repository, "rev-parse", "HEAD")
    assert branch_and_commit(tmp_path / "tree") == ("tree", head)
    outer = tmp_path / "outer"
    outer.mkdir()
    git(outer, "init", "-q", "-b", "main", ".")
    git(outer, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(repository), "inner")
    assert branch_and_commit(outer / "inner") == ("main", head)


def with_reftables(folder):
    """Let a repository keep its refs in reftables; an older git cannot make any, and then it reads none."""
    tables = folder.parent / "tables"
    try:
        git(folder.parent, "clone", "-q", "--ref-format=reftable", str(folder), str(tables))
    except subprocess.CalledProcessError:
        pass
    else:
        return tables, ("main", git(folder, "rev-parse", "HEAD"))
    own = folder / ".git"
    (own / "reftable").mkdir()
    (own / "reftable" / "tables.list").write_text("")
    (own / "HEAD").write_text("ref: refs/heads/.invalid\n")
    return folder, ("", "")


def test_where_refs_are_in_reftables_git_is_asked_and_if_it_cannot_read_them_that_is_said(
    repository,
    clock,
    without_vectors,  # noqa: ARG001
):
    folder, expected = with_reftables(repository)
    assert branch_and_commit(folder) == expected
    if expected[1]:
        with Cortex.open(folder, clock=clock) as cx:
            assert cx.import_("git").added == 1
    else:
        assert "reftables" in refused(folder, clock)
