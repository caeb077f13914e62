"""A memory belongs to a checkout: moved and copied ones are noticed and take it over on request."""

import json
import shutil
import subprocess

import pytest
from strangers import ANSWER, QUESTION, git, hook, told_in_a_session

from places import project_of, store_folder
from recortex import Cortex
from recortex.errors import ConfigError

pytestmark = pytest.mark.usefixtures("without_vectors")


@pytest.fixture
def checkout(tmp_path):
    root = tmp_path / "first place"
    root.mkdir()
    git(root, "init", "-q", "-b", "main")
    with Cortex.open(root) as cortex:
        cortex.remember(ANSWER)
        cortex.backup()
    return root


def answers(root):
    with Cortex.open(root) as cortex:
        return [hit.memory.text for hit in cortex.recall(QUESTION).hits]


def test_a_moved_checkout_is_told_how_to_adopt_its_memory(checkout, tmp_path):
    moved = tmp_path / "second place"
    checkout.rename(moved)
    assert answers(moved) == []
    said = json.loads(hook(moved, "session-start", "SessionStart", source="startup"))
    assert list(said) == ["systemMessage"]
    with Cortex.open(moved) as cortex:
        assert any("recortex init" in notice for notice in cortex.status().notices)
        (one,) = cortex.init().adoptable
        assert (one.reason, one.made_for, one.memories) == ("moved", str(checkout), 1)
        assert cortex.init(adopt=True).adopted == 1
        assert cortex.init().adoptable == ()
    assert answers(moved) == [ANSWER]
    kept = [one.name for one in (store_folder(moved) / "backups").iterdir() if "first" not in one.name]
    assert len(kept) == 1
    assert hook(moved, "session-start", "SessionStart", source="startup").count("systemMessage") == 0
    assert len(list(store_folder(moved).parent.glob("*-????????????????"))) == 1


def test_what_was_learned_before_adopting_stays(checkout, tmp_path):
    moved = tmp_path / "second place"
    checkout.rename(moved)
    with Cortex.open(moved) as cortex:
        new = cortex.remember("The linter runs before the tests.").id
    with Cortex.open(moved) as cortex:
        assert [one.reason for one in cortex.init().adoptable] == ["moved"]
        cortex.init(adopt=True)
        assert cortex.get(new)
        assert cortex.list().total == 2
    assert answers(moved) == [ANSWER]


def test_a_copy_is_never_mixed_up_with_what_it_was_copied_from(checkout, tmp_path):
    copy = tmp_path / "copy"
    shutil.copytree(checkout, copy)
    with Cortex.open(copy) as cortex:
        assert [one.reason for one in cortex.init().adoptable] == ["copied"]
        cortex.init(adopt=True)
        cortex.remember("Known in the copy alone.")
    assert answers(copy) == answers(checkout) == [ANSWER]
    with Cortex.open(checkout) as cortex:
        assert cortex.list().total == 1


def test_a_folder_without_git_is_known_by_its_path(tmp_path):
    folder, moved = tmp_path / "plain", tmp_path / "other"
    (folder / "deep").mkdir(parents=True)
    with Cortex.open(folder) as cortex:
        cortex.remember(ANSWER)
    assert answers(folder / "deep") == [ANSWER]
    folder.rename(moved)
    assert answers(moved) == []
    with Cortex.open(moved) as cortex:
        assert cortex.init(adopt_from=str(folder)).adopted == 1
        with pytest.raises(ConfigError, match="No memories are kept"):
            cortex.init(adopt_from=str(tmp_path / "nowhere"))
    assert answers(moved) == [ANSWER]


def test_another_folder_of_that_path_under_git_does_not_get_it(tmp_path):
    folder = tmp_path / "plain"
    folder.mkdir()
    with Cortex.open(folder) as cortex:
        cortex.remember(ANSWER)
    (tmp_path / "next").mkdir()
    git(tmp_path / "next", "init", "-q")
    shutil.rmtree(folder)
    (tmp_path / "next").rename(folder)
    assert answers(folder) == []


def test_an_older_folder_in_the_work_tree_is_shown_then_moved(checkout, tmp_path):
    root = tmp_path / "older"
    root.mkdir()
    git(root, "init", "-q")
    (root / ".recortex").mkdir(mode=0o700)
    (root / ".recortex" / ".gitignore").write_text("*\n")
    shutil.copy(store_folder(checkout) / "cortex.db", root / ".recortex" / "cortex.db")
    assert told_in_a_session(root) == ""
    with Cortex.open(root) as cortex:
        assert any(".recortex" in one.message for one in cortex.doctor().findings)
        (one,) = cortex.init().adoptable
        assert (one.reason, one.memories) == ("older", 1)
        assert cortex.list().total == 0
        cortex.init(adopt=True)
    assert answers(root) == [ANSWER]
    assert not (root / ".recortex").exists()


@pytest.mark.parametrize("what", ["folder", "file"])
def test_an_older_folder_that_is_a_link_is_left_alone(checkout, tmp_path, what):
    root = tmp_path / "older"
    root.mkdir()
    git(root, "init", "-q")
    if what == "folder":
        (root / ".recortex").symlink_to(store_folder(checkout))
    else:
        (root / ".recortex").mkdir()
        (root / ".recortex" / "cortex.db").symlink_to(store_folder(checkout) / "cortex.db")
    with Cortex.open(root) as cortex:
        assert "symbolic link" in cortex.init(adopt=True).refused
        assert cortex.list().total == 0


def test_a_brief_is_not_written_into_a_file_that_git_keeps(checkout, monkeypatch):
    monkeypatch.setenv("RECORTEX_SURFACE_FILE", "on")
    (checkout / ".claude").mkdir()
    (checkout / ".claude" / "cortex-memory.local.md").write_text("# Notes\n")
    git(checkout, "add", "--force", ".")
    git(checkout, "commit", "-q", "-m", "with the file")
    with Cortex.open(checkout) as cortex:
        assert cortex.surface().memories
    assert git(checkout, "status", "--porcelain") == ""


def test_two_processes_make_one_folder(tmp_path, home):
    root = tmp_path / "raced"
    root.mkdir()
    git(root, "init", "-q")
    words = ["recortex", "remember", "Said at the same time", "--project", str(root)]
    import sys

    started = [subprocess.Popen([sys.executable, "-m", *words, "--json"]) for _ in range(2)]
    assert [one.wait(300) for one in started] == [0] * 2
    assert len(list((home / "projects").glob("raced-*"))) == 1


def test_the_id_is_random_and_in_no_clone(checkout, tmp_path):
    git(tmp_path, "clone", "-q", str(checkout), "clone")
    assert project_of(tmp_path / "clone").checkout.id == ""
    assert store_folder(checkout).name == f"first-place-{project_of(checkout).checkout.id}"
    assert store_folder(tmp_path / "clone") != store_folder(checkout)


def test_git_init_keeps_what_a_folder_knows(tmp_path):
    folder = tmp_path / "plain"
    folder.mkdir()
    with Cortex.open(folder) as cortex:
        cortex.remember(ANSWER)
    git(folder, "init", "-q")
    assert answers(folder) == [ANSWER]
