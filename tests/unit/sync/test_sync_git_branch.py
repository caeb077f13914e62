"""A branch of the git remote carries the team's memory, and what is wrong on it harms nobody else."""

import json
import os
import re
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

import pytest

from recortex import Cortex
from recortex.domain.text import from_micros
from recortex.domain.vocabulary import Scope
from recortex.filesystem import alone
from recortex.sync import git_branch
from recortex.sync.git_branch import GitBranch
from recortex.sync.protocol import OfflineError, RefusedError, SyncError, canonical
from replicas import START, Person

pytestmark = pytest.mark.usefixtures("without_vectors")
REF = "refs/heads/recortex/sync"


def git(folder, *words, given=None):
    done = subprocess.run(
        ["git", "-c", "user.name=x", "-c", "user.email=x@y.invalid", *words],
        cwd=folder, input=given, capture_output=True, check=True,
    )  # fmt: skip
    return done.stdout.decode()


@pytest.fixture
def remote(tmp_path):
    folder = tmp_path / "origin.git"
    folder.mkdir()
    git(folder, "init", "-q", "--bare")
    return folder


@pytest.fixture
def people(tmp_path, remote):
    """Ada and Bob, with a branch that is their team's."""
    found = [Person(tmp_path / name, name) for name in ("Ada", "Bob")]
    way(found[0], remote, tmp_path).found("team")
    yield found
    for one in found:
        one.close()


def way(person, remote, tmp_path):
    return GitBranch(str(remote), tmp_path / person.name / "sync.git", person.clock())


def both(people, remote, tmp_path, times=2):
    for _ in range(times):
        for one in people:
            done = one.sync(way(one, remote, tmp_path))
    return done


def rewrite(remote, path, change):
    """Commit a changed file to the branch, as somebody does who may push."""
    text = (
        git(remote, "cat-file", "blob", f"{REF}:{path}")
        if path in git(remote, "ls-tree", "-r", "--name-only", REF).split()
        else ""
    )
    blob = git(remote, "hash-object", "-w", "--stdin", given=change(text).encode()).strip()
    index = remote / "poison.index"
    environment = ["env", f"GIT_INDEX_FILE={index}", "git"]

    def plumb(*words):
        done = subprocess.run([*environment, *words], cwd=remote, capture_output=True, check=True)
        return done.stdout.decode().strip()

    plumb("read-tree", REF)
    plumb("update-index", "--add", "--cacheinfo", f"100644,{blob},{path}")
    commit = git(remote, "commit-tree", plumb("write-tree"), "-p", REF, "-m", "poison").strip()
    git(remote, "update-ref", REF, commit)
    index.unlink()


def file_of(person, remote):
    replica = person.team.state.replica
    names = git(remote, "ls-tree", "-r", "--name-only", REF).splitlines()
    return next(one for one in names if one.startswith(f"replicas/{replica}/") and one.endswith(".jsonl"))


def test_nothing_new_makes_no_commit(people, remote, tmp_path):
    people[0].remember("We chose Redis.")
    both(people, remote, tmp_path, times=3)
    before = git(remote, "rev-parse", REF)
    both(people, remote, tmp_path)
    assert git(remote, "rev-parse", REF) == before


def test_the_checkout_is_not_touched(people, remote, tmp_path):
    checkout = tmp_path / "Ada" / "checkout"
    git(tmp_path, "init", "-q", str(checkout))
    (checkout / "a.txt").write_text("mine")
    git(checkout, "add", "a.txt")
    before = sorted((one, one.read_bytes()) for one in checkout.rglob("*") if one.is_file())
    people[0].remember("We chose Redis.")
    both(people, remote, tmp_path)
    assert sorted((one, one.read_bytes()) for one in checkout.rglob("*") if one.is_file()) == before


def test_the_text_of_what_was_purged_is_nowhere(people, remote, tmp_path):
    ada, bob = people
    id_ = ada.remember("The vault is called Turmalin.")
    both(people, remote, tmp_path)
    bob.cortex.edit(id_, tags=["later"])
    both(people, remote, tmp_path)
    ada.cortex.purge(id_)
    both(people, remote, tmp_path)
    assert bob.store.memories.get([id_]) == []
    for repository in (remote, tmp_path / "Ada" / "sync.git", tmp_path / "Bob" / "sync.git"):
        objects = git(repository, "rev-list", "--objects", "--all").split("\n")
        blobs = [one.split()[0] for one in objects if one.endswith(".jsonl")]
        assert blobs
        assert all("Turmalin" not in git(repository, "cat-file", "blob", one) for one in blobs)
    assert holding("Turmalin", tmp_path) == []
    assert ada.ids() == bob.ids()


def holding(text, folder):
    """The people whose copy has a text in an object, whether the branch still needs that or not."""
    found = []
    for name in ("Ada", "Bob"):
        copy = folder / name / "sync.git"
        every = git(copy, "cat-file", "--batch-all-objects", "--batch-check=%(objectname) %(objecttype)")
        blobs = [one.split()[0] for one in every.splitlines() if one.endswith("blob")]
        found += [name for one in blobs if text in git(copy, "cat-file", "blob", one)]
    return sorted(set(found))


@pytest.mark.parametrize("name", ["Ada", "Bob"])
@pytest.mark.parametrize("step", ["rev-list", "pack-objects", "update-ref"])
def test_a_sync_that_ends_before_the_old_history_is_gone_leaves_nothing_of_it(
    people, remote, tmp_path, monkeypatch, name, step
):
    ada, bob = people
    id_ = ada.remember("The vault is called Turmalin.")
    both(people, remote, tmp_path)
    assert holding("Turmalin", tmp_path) == ["Ada", "Bob"]
    ada.cortex.purge(id_)
    real, ended = GitBranch._git, []

    def ending(branch, *words, **more):
        if words[0] == step and branch._folder == tmp_path / name / "sync.git":
            ended.append(step)
            raise KeyboardInterrupt
        return real(branch, *words, **more)

    monkeypatch.setattr(GitBranch, "_git", ending)
    with suppress(KeyboardInterrupt):
        both(people, remote, tmp_path)
    monkeypatch.undo()
    assert ended
    both(people, remote, tmp_path)
    both(people, remote, tmp_path)
    assert holding("Turmalin", tmp_path) == []
    assert ada.ids() == bob.ids()
    assert ada.texts() == bob.texts() == []


def test_what_is_purged_is_at_once_gone_from_this_machine(remote, tmp_path):
    (tmp_path / "shop").mkdir()
    with Cortex.open(tmp_path / "shop") as cortex:
        kept = cortex.remember("The vault is called Turmalin.", kind="decision")
        cortex.sync("setup", str(remote), name="Ada")
        copy = cortex._app.services(Scope.PROJECT).location.place("sync.git")
        assert copy.is_dir()
        assert cortex.purge(kept.id).left == (
            "Your team still has it until the next sync: recortex sync now",
        )
        assert not copy.exists()
        cortex.sync("now")
        assert cortex.purge(cortex.remember("Another one").id, dry_run=True).left == ()
    (lines,) = git(remote, "ls-tree", "-r", "--name-only", REF, "replicas").split("jsonl")[:1]
    assert "Turmalin" not in git(remote, "cat-file", "blob", f"{REF}:{lines.split()[-1]}jsonl")


def test_a_copy_that_cannot_be_deleted_is_told_and_keeps_the_purge_open(remote, tmp_path):
    for name in ("ada", "bob"):
        (tmp_path / name).mkdir()
    bob = Cortex.open(tmp_path / "bob", url=f"sqlite:///{tmp_path}/bob/store.db")
    with Cortex.open(tmp_path / "ada", url=f"sqlite:///{tmp_path}/ada/store.db") as ada, bob:
        kept = ada.remember("The vault is called Turmalin.", kind="decision")
        ada.sync("setup", str(remote), name="Ada")
        bob.sync("setup", str(remote), name="Bob")
        ada.sync("now")
        # Whoever has moved the folder elsewhere has a link there, of which nothing is deleted.
        copy = bob._app.services(Scope.PROJECT).location.place("sync.git")
        moved = copy.rename(tmp_path / "elsewhere")
        copy.symlink_to(moved, target_is_directory=True)
        left = bob.purge(kept.id).left
        assert "cannot be deleted" in left[0]
        assert str(copy) in left[0]
        assert "Your team still has it until the next sync" in left[0]
        for _ in range(2):
            with suppress(SyncError):  # the first one is what pushes the purge
                assert any("cannot be deleted" in one for one in bob.sync("now").problems)
        assert "Turmalin" not in git(remote, "log", "-p", REF)
        assert ada.sync("now").received == 1
        assert ada.list().memories == ()
        waits = [who for _, who in ada.sync().unacknowledged]
        assert len(waits) == 1
        assert waits[0].startswith("Bob")
        copy.unlink()
        assert bob.sync("now").problems == ()
        ada.sync("now")
        assert ada.sync().unacknowledged == ()


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda text: "not json\n" + text, "is no version"),
        (lambda text: text.replace("Redis", "Mallory"), "not that of its content"),
        (lambda text: text.replace('"counter":1', '"counter":7'), "begins with 7"),
        (lambda text: text.replace('"author":"Ada"', '"author":"Bob"'), "claims to be"),
        (lambda text: text.replace('"signature":"', '"signature":"00'), "signature"),
        (lambda text: "x" * 1_000_000 + "\n" + text, "too long"),
        (lambda text: text.replace('"parents":[]', f'"parents":["{"ab" * 32}"]'), "not that of its content"),
    ],
)
def test_a_poisoned_file_is_refused_and_others_are_read(people, remote, tmp_path, change, said):
    ada, bob = people
    ada.remember("We chose Redis.")
    ada.sync(way(ada, remote, tmp_path))
    rewrite(remote, file_of(ada, remote), change)
    cyd = Person(tmp_path / "Cyd", "Cyd")
    cyd.remember("One box is enough.")
    cyd.sync(way(cyd, remote, tmp_path))
    done = bob.sync(way(bob, remote, tmp_path))
    assert any(said in one for one in done.problems), done.problems
    assert not done.agreed
    assert bob.texts() == ["One box is enough."]
    cyd.close()


def test_a_forged_card_is_refused(people, remote, tmp_path):
    ada, bob = people
    ada.remember("We chose Redis.")
    ada.sync(way(ada, remote, tmp_path))
    path = file_of(ada, remote).rsplit("/", 1)[0] + "/card.json"
    rewrite(remote, path, lambda text: text.replace('"Ada"', '"Bob"'))
    done = bob.sync(way(bob, remote, tmp_path))
    assert any("forged" in one for one in done.problems)
    assert bob.texts() == []


def files_of(person, remote):
    """The files of a person's versions: by name, the numbers of those in them."""
    replica = person.team.state.replica
    names = git(remote, "ls-tree", "-r", "--name-only", REF).splitlines()
    return {
        name.rpartition("/")[2]: [
            json.loads(line)["counter"]
            for line in git(remote, "cat-file", "blob", f"{REF}:{name}").splitlines()
        ]
        for name in names
        if name.startswith(f"replicas/{replica}/") and name.endswith(".jsonl")
    }


def test_what_does_not_fit_into_a_file_goes_into_others_that_former_programs_read(
    people, remote, tmp_path, monkeypatch
):
    monkeypatch.setattr(git_branch, "FULL_FILE", 3000)
    ada, bob = people
    for number in range(8):
        ada.remember(f"Queue {number} has room for {number} jobs.")
    both(people, remote, tmp_path)
    first = files_of(ada, remote)
    assert len(first) > 2
    for number in range(8, 12):
        ada.remember(f"Queue {number} has room for {number} jobs.")
    done = both(people, remote, tmp_path)
    files = files_of(ada, remote)
    assert len(files) > len(first)
    assert all(files[name] == first[name] for name in sorted(first)[:-1])  # full ones stay
    # All that ever read the branch ask for names like these, and go by their order.
    assert all(re.fullmatch(r"\d{4}-\d\d-\d\d\.jsonl", name) for name in files)
    assert min(files) == f"{START:%Y-%m-%d}.jsonl"
    assert [one for name in sorted(files) for one in files[name]] == list(range(1, 13))
    assert done.agreed
    assert bob.texts() == ada.texts()
    assert len(bob.texts()) == 12


def test_a_file_that_a_former_program_let_become_too_large_is_replaced_by_its_writer(
    people, remote, tmp_path, monkeypatch
):
    monkeypatch.setattr(git_branch, "MOST_FILE", 5000)
    ada, bob = people
    for number in range(12):
        ada.remember(f"Queue {number} has room for {number} jobs.")
    for _ in range(2):  # as it was: what cannot be read is sent again
        done = both(people, remote, tmp_path)
        assert not done.agreed
        assert "larger than" in done.problems[0]
    monkeypatch.setattr(git_branch, "FULL_FILE", 3000)
    bob.sync(way(bob, remote, tmp_path))
    assert len(files_of(ada, remote)) == 1  # it is not his
    assert both(people, remote, tmp_path).agreed
    assert bob.texts() == ada.texts()
    assert bob.ids() == ada.ids()


@pytest.mark.parametrize("day", ["9999-12-31", "2026-99-99"])
def test_a_file_of_no_day_in_one_s_folder_keeps_nothing_else_from_going_on(
    people, remote, tmp_path, monkeypatch, day
):
    ada, bob = people
    ada.remember("We chose Redis.")
    both(people, remote, tmp_path)
    rewrite(remote, f"{file_of(ada, remote).rpartition('/')[0]}/{day}.jsonl", lambda _: "")
    ada.remember("One box is enough.")
    assert both(people, remote, tmp_path).agreed
    monkeypatch.setattr(git_branch, "FULL_FILE", 10)
    ada.remember("We build with make.")
    with pytest.raises(RefusedError, match=f"{day}.jsonl, that Recortex has not made"):
        ada.sync(way(ada, remote, tmp_path))
    bob.sync(way(bob, remote, tmp_path))
    assert bob.texts() == ["One box is enough.", "We chose Redis."]


def test_two_push_at_once_and_both_arrive(people, remote, tmp_path):
    ada, bob = people
    ada.remember("We chose Redis.")
    bob.remember("One box is enough.")
    first = way(ada, remote, tmp_path)
    commit, done = first._commit, []

    def late(*given, **more):
        if not done:  # Bob is faster than Ada
            done.append(bob.sync(way(bob, remote, tmp_path)))
        return commit(*given, **more)

    first._commit = late
    ada.sync(first)
    both(people, remote, tmp_path)
    assert ada.texts() == bob.texts() == ["One box is enough.", "We chose Redis."]


def test_a_remote_that_is_gone_is_offline_and_its_password_is_not_told(tmp_path):
    branch = GitBranch("https://user:hunter2@localhost:1/x.git", tmp_path / "sync.git", START)
    assert "hunter2" not in branch.name
    with pytest.raises(OfflineError) as error:
        branch.pull({}, 10)
    assert "hunter2" not in str(error.value)


def test_another_teams_branch_is_refused(people, remote, tmp_path):
    rewrite(remote, "team.json", lambda _: canonical({"protocol": 1, "team": "another"}))
    with pytest.raises(RefusedError, match="another team"):
        people[0].sync(way(people[0], remote, tmp_path), pull=False)
    rewrite(remote, "team.json", lambda _: canonical({"protocol": 9, "team": "team"}))
    with pytest.raises(RefusedError, match="protocol 9"):
        people[0].sync(way(people[0], remote, tmp_path))
    assert from_micros(people[0].log.state(way(people[0], remote, tmp_path).name).next_at) > START


def test_what_a_killed_git_leaves_keeps_nobody_from_syncing(people, remote, tmp_path):
    ada, bob = people
    ada.remember("We chose Redis.")
    both(people, remote, tmp_path)
    ada.remember("One box is enough.")
    ada.sync(way(ada, remote, tmp_path))
    copy = tmp_path / "Bob" / "sync.git"
    locks = [copy / name for name in ("HEAD.lock", "packed-refs.lock", "shallow.lock", f"{REF}.lock")]
    for lock in locks:
        lock.touch()
    with pytest.raises(OfflineError, match=r"\.lock"):  # a git may be at work
        bob.sync(way(bob, remote, tmp_path))
    for lock in locks:
        os.utime(lock, (0, 0))
    both(people, remote, tmp_path)
    assert bob.texts() == ["One box is enough.", "We chose Redis."]


@pytest.mark.parametrize(
    "spoil",
    [
        lambda copy: shutil.rmtree(copy / "objects"),
        lambda copy: [one.unlink() for one in (copy / "objects").rglob("*") if one.is_file()],
        lambda copy: (copy / REF).write_text(""),
        lambda copy: (copy / REF).write_text("0" * 39 + "1\n"),
        lambda copy: (copy / "HEAD").write_text(""),
        lambda copy: (copy / "contents.json").write_text("{"),
    ],
)
@pytest.mark.parametrize("news", [True, pytest.param(False, marks=pytest.mark.full)])
def test_a_copy_that_is_broken_is_fetched_anew(people, remote, tmp_path, spoil, news):
    ada, bob = people
    ada.remember("We chose Redis.")
    both(people, remote, tmp_path)
    if news:
        ada.remember("One box is enough.")
        ada.sync(way(ada, remote, tmp_path))
    bob.remember("The queue is small.")
    spoil(tmp_path / "Bob" / "sync.git")
    both(people, remote, tmp_path)
    assert both(people, remote, tmp_path).agreed
    assert ada.ids() == bob.ids()
    assert len(bob.texts()) == 2 + news


def test_a_git_that_waits_for_ever_is_stopped_with_what_it_started(tmp_path, monkeypatch):
    program = tmp_path / "ssh.py"
    held = tmp_path / "held"
    program.write_text(
        "import time\nfrom pathlib import Path\nfrom recortex.filesystem import alone\n"
        f"with alone(Path({str(held)!r})):\n    time.sleep(10000)\n"
    )
    monkeypatch.setenv("GIT_SSH_COMMAND", f"{sys.executable} {program}")
    monkeypatch.setattr(git_branch, "SECONDS", 4.0)
    with pytest.raises(OfflineError, match="timed out"):
        GitBranch("ssh://nobody@localhost/x.git", tmp_path / "sync.git", START).pull({}, 10)
    assert held.exists()
    with alone(held, patience=30.0) as given_back:
        assert given_back


def test_two_syncs_that_delete_the_same_broken_copy_both_go_on(tmp_path):
    copy = tmp_path / "sync.git"
    for number in range(2_000):
        file = copy / "objects" / f"{number:04}" / "one"
        file.parent.mkdir(parents=True)
        file.touch()
    branches = [GitBranch("nowhere", copy, START) for _ in range(4)]
    with ThreadPoolExecutor() as pool:
        for done in [pool.submit(one.forget) for one in branches]:
            done.result()
    assert not copy.exists()
