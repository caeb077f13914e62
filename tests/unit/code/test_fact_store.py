"""Facts on disk: made once for the same bytes, wherever they are, and never out of date."""

import os
import shutil
import subprocess
from contextlib import closing

import pytest

from recortex.codebase.syntax import fact_store, working_tree
from recortex.codebase.syntax.fact_store import FactStore
from recortex.errors import UntrustedFileError

SOURCE = "def {}():\n    return 1\n"


@pytest.fixture(autouse=True)
def _no_race(monkeypatch):
    monkeypatch.setattr(working_tree, "RACE", -(10**18))  # files are taken for settled as soon as written


@pytest.fixture
def tree(tmp_path):
    root = tmp_path / "tree"
    for name in ("a", "pkg/b", "pkg/deep/c"):
        write(root, f"{name}.py", SOURCE.format(name[-1]))
    return root


@pytest.fixture
def store(tmp_path):
    with closing(FactStore(tmp_path / "home" / "facts.db")) as opened:
        yield opened


def write(root, name, text):
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def names(store, tree):
    return sorted(one.name for _, facts in store.facts(tree.files.values()) for one in facts.symbols)


def test_what_did_not_change_is_not_read_again(store, tree, monkeypatch):
    first = store.refresh(tree)
    assert (len(first.files), first.parsed) == (3, 3)
    monkeypatch.setattr(fact_store, "read_regular", None)
    again = store.refresh(tree)
    assert again.files == first.files
    assert names(store, again) == ["a", "b", "c"]


def test_a_changed_file_is_read_alone(store, tree):
    store.refresh(tree)
    write(tree, "pkg/b.py", SOURCE.format("other"))
    found = store.refresh(tree)
    assert found.parsed == 1
    assert names(store, found) == ["a", "c", "other"]


def test_a_change_of_the_same_size_with_the_old_time_is_seen(store, tree):
    before = (tree / "a.py").stat()
    store.refresh(tree)
    write(tree, "a.py", SOURCE.format("z"))
    os.utime(tree / "a.py", ns=(before.st_atime_ns, before.st_mtime_ns))
    assert names(store, store.refresh(tree)) == ["b", "c", "z"]


def test_a_file_that_changes_right_after_it_was_read_is_read_again(store, tree, monkeypatch):
    monkeypatch.setattr(working_tree, "RACE", 10**18)
    store.refresh(tree)
    (folder,) = [one for path, one, _ in working_tree.visits(tree, {}) if not path]
    assert folder.modified == working_tree.NEVER
    assert all(one.modified == working_tree.NEVER for one in folder.files)


def test_new_renamed_and_deleted_files_are_found_and_renaming_costs_nothing(store, tree):
    store.refresh(tree)
    (tree / "a.py").rename(tree / "pkg" / "renamed.py")
    (tree / "pkg" / "b.py").unlink()
    write(tree, "pkg/new.py", SOURCE.format("new"))
    shutil.rmtree(tree / "pkg" / "deep")
    found = store.refresh(tree)
    assert sorted(found.files) == ["pkg/new.py", "pkg/renamed.py"]
    assert (found.parsed, found.removed) == (1, 3)


def test_another_worktree_with_the_same_files_costs_nothing_and_stays_apart(store, tree, tmp_path):
    store.refresh(tree)
    other = tmp_path / "other"
    shutil.copytree(tree, other)
    assert store.refresh(other).parsed == 0
    write(other, "a.py", SOURCE.format("mine"))
    assert names(store, store.refresh(other)) == ["b", "c", "mine"]
    assert names(store, store.refresh(tree)) == ["a", "b", "c"]


def test_a_branch_that_is_checked_out_again_costs_nothing(store, tree):
    def git(*words):
        who = ("-c", "user.name=a", "-c", "user.email=a@b")
        subprocess.run(["git", *who, *words], cwd=tree, check=True, capture_output=True)

    git("init", "-b", "one")
    git("add", ".")
    git("commit", "-m", "one")
    store.refresh(tree)
    git("checkout", "-b", "two")
    write(tree, "a.py", SOURCE.format("two"))
    git("commit", "-am", "two")
    assert store.refresh(tree).parsed == 1
    git("checkout", "one")
    assert store.refresh(tree).parsed == 0
    store.collect()
    git("checkout", "two")
    assert store.refresh(tree).parsed == 0


def test_what_git_ignores_is_left_out_also_when_that_changes(store, tree):
    write(tree, "pkg/.gitignore", "b.py\n")
    assert "pkg/b.py" not in store.refresh(tree).files
    write(tree, "pkg/.gitignore", "deep/\n")
    assert sorted(store.refresh(tree).files) == ["a.py", "pkg/b.py"]
    (tree / "pkg" / ".gitignore").unlink()
    assert len(store.refresh(tree).files) == 3


def test_other_peoples_code_links_and_hidden_folders_are_left_out(store, tree, tmp_path):
    outside = write(tmp_path, "outside/secret.py", SOURCE.format("secret"))
    for name in ("node_modules/x.js", "vendor/y.go", ".venv/z.py", "nested/w.py"):
        write(tree, name, "x\n")
    (tree / "nested" / ".git").mkdir()
    (tree / "link.py").symlink_to(outside)
    (tree / "folder").symlink_to(outside.parent)
    os.mkfifo(tree / "pipe.py")
    found = store.refresh(tree)
    assert sorted(found.files) == ["a.py", "pkg/b.py", "pkg/deep/c.py"]
    assert sorted(found.vendored) == ["nested", "node_modules", "vendor"]
    assert found.skipped == {"pipe.py": "no regular file"}


def test_what_is_not_read_is_told_with_its_reason(store, tree):
    write(tree, "big.py", "x = 1\n" * 200_000)
    write(tree, "made.go", "// Code generated by x. DO NOT EDIT.\n")
    assert store.refresh(tree).skipped == {"big.py": "larger than 1 MB", "made.go": "generated"}
    assert store.refresh(tree).skipped == {"big.py": "larger than 1 MB", "made.go": "generated"}


def test_a_damaged_file_is_made_anew(tmp_path, tree):
    path = tmp_path / "facts.db"
    path.write_bytes(b"no database" * 1000)
    with closing(FactStore(path)) as store:
        assert store.refresh(tree).parsed == 3
    assert path.stat().st_mode & 0o777 == 0o600


def test_another_version_of_the_extractor_makes_facts_anew(tmp_path, tree, monkeypatch):
    with closing(FactStore(tmp_path / "facts.db")) as store:
        store.refresh(tree)
    monkeypatch.setattr(fact_store, "FILE_VERSION", fact_store.FILE_VERSION + 1)
    with closing(FactStore(tmp_path / "facts.db")) as store:
        assert store.refresh(tree).parsed == 3


def test_a_link_in_its_place_is_refused(tmp_path):
    (tmp_path / "facts.db").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(UntrustedFileError):
        FactStore(tmp_path / "facts.db")


def test_facts_that_no_tree_has_are_collected(store, tree):
    store.refresh(tree)
    write(tree, "a.py", SOURCE.format("z"))
    store.refresh(tree)
    assert store.collect(everything=True) == 1
    assert names(store, store.refresh(tree)) == ["b", "c", "z"]
    shutil.rmtree(tree)
    assert store.collect(everything=True) == 3


def test_two_processes_may_read_the_same_tree(tmp_path, tree):
    with closing(FactStore(tmp_path / "f.db")) as one, closing(FactStore(tmp_path / "f.db")) as other:
        assert one.refresh(tree).files == other.refresh(tree).files
        write(tree, "a.py", SOURCE.format("z"))
        assert other.refresh(tree).parsed == 1
        assert one.refresh(tree).parsed == 0
