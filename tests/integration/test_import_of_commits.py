"""What commits tell, on a real repository and a real store."""

from datetime import UTC, datetime, timedelta

import pytest

from recortex import Cortex
from recortex.domain.search import MemoryQuery
from recortex.domain.vocabulary import Actor, Status
from recortex.errors import InvalidInputError
from repositories import git

DROP = "Drop support for Python 3.8"
REASON = "\n\nThe cache is kept, because a second reader would otherwise wait for the first one."


class Repository:
    """A repository whose commits are a day apart."""

    def __init__(self, root):
        self.root, self.at = root, datetime(2024, 1, 1, tzinfo=UTC)
        root.mkdir()
        self.git("init", "-q", "-b", "main", ".")

    def git(self, *words):
        return git(self.root, *words, at=self.at.isoformat())

    def commit(self, message, file="src/a.py"):
        self.at += timedelta(days=1)
        path = self.root / file
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"{message}\n")
        self.git("add", ".")
        self.git("commit", "-q", "-m", message)
        return self.git("rev-parse", "HEAD")


@pytest.fixture
def repository(tmp_path, monkeypatch):
    made = Repository(tmp_path / "project")
    monkeypatch.chdir(made.root)
    return made


@pytest.fixture
def cx(repository, clock, without_vectors):  # noqa: ARG001
    with Cortex.open(repository.root, clock=clock) as opened:
        yield opened


def kept(cx):
    """The memories of commits by the subject."""
    found = cx._app.all_services()[0].store.memories.find(MemoryQuery(statuses=()))
    return {one.metadata["commit"]["subject"]: one for one in found}


def relations(cx):
    names = {one.id: subject for subject, one in kept(cx).items()}
    found = cx._app.all_services()[0].store.relations.all()
    return {(names[one.source_id], one.type.value, names[one.target_id]) for one in found}


def test_a_memory_has_its_commits_time_author_files_and_hash(cx, repository):
    repository.commit("Add a page of prices")
    hash_ = repository.commit(f"Keep the cache{REASON}\n\nCloses: #12")
    done = cx.import_("git")
    assert (done.commits, done.added, done.skipped) == (2, 1, {"it gives no reason": 1})
    (one,) = kept(cx).values()
    assert (one.kind, one.status, one.valid_from) == ("pattern_rationale", Status.ACTIVE, repository.at)
    assert (one.source.commit, one.source.speaker) == (hash_, "Ada")
    assert [(link.path, link.commit) for link in one.files] == [("src/a.py", hash_)]
    assert one.metadata["commit"]["trailers"] == ["Closes: #12"]
    assert "cache" not in cx.surface().text  # it is found, and is no rule of the brief
    assert cx.recall("why is the cache kept?").hits


def test_a_revert_ends_what_it_undid(cx, repository):
    undone = repository.commit("Switch from yarn to pnpm\n\nBecause installs took minutes on every machine.")
    repository.commit(
        f'Revert "Switch from yarn to pnpm"\n\nThis reverts commit {undone}.\n\n'
        "It broke, because links are odd."
    )
    cx.import_("git")
    found = kept(cx)
    revert = found['Revert "Switch from yarn to pnpm"']
    assert (revert.kind, revert.content.title) == ("incident", "Reverted: Switch from yarn to pnpm")
    assert found["Switch from yarn to pnpm"].superseded_by == revert.id
    assert ("Switch from yarn to pnpm", "caused", 'Revert "Switch from yarn to pnpm"') in relations(cx)


def test_a_fix_points_at_what_brought_the_fault(cx, repository):
    cause = repository.commit(f"Keep the cache{REASON}")
    repository.commit(
        "Fix stale pages\n\nPages were stale, because the cache was never emptied after a write.\n\n"
        f"Fixes: {cause[:10]}"
    )
    cx.import_("git")
    assert ("Fix stale pages", "triggered_by", "Keep the cache") in relations(cx)


def test_a_later_decision_ends_the_one_that_it_gives_up(cx, repository):
    repository.commit("Switch from yarn to pnpm")
    repository.commit("Raise minimum Python version to 3.9")
    cx.import_("git")
    repository.commit("Switch from pnpm to bun")
    repository.commit("Raise minimum Python version to 3.11")
    done = cx.import_("git")
    assert (done.added, done.changed) == (2, 2)
    found = kept(cx)
    assert found["Switch from yarn to pnpm"].status is Status.SUPERSEDED
    assert found["Raise minimum Python version to 3.9"].superseded_by == (
        found["Raise minimum Python version to 3.11"].id
    )


def test_a_history_that_was_rewritten_is_followed(cx, repository):
    repository.commit("Add a page of prices")
    old = repository.commit(f"Keep the cache{REASON}")
    repository.commit(DROP, "src/b.py")
    cx.import_("git")
    repository.git("reset", "-q", "--hard", "HEAD~2")
    (repository.root / "other.txt").write_text("x\n")
    repository.git("add", ".")
    repository.git("commit", "-q", "-m", "Add another page")
    repository.git("cherry-pick", old)  # keeps its author's time, as a rebase does
    new = repository.git("rev-parse", "HEAD")
    done = cx.import_("git")
    assert (done.added, done.unchanged, done.ended) == (0, 1, 1)
    found = kept(cx)
    assert found["Keep the cache"].source.commit == new != old
    assert found["Keep the cache"].files[0].commit == new
    assert found[DROP].status is Status.ARCHIVED
    repository.git("reset", "-q", "--hard", old)
    repository.commit(DROP, "src/b.py")
    cx.import_("git")
    assert kept(cx)["Keep the cache"].source.commit == old


def test_a_commit_that_is_back_brings_its_memory_back(cx, repository):
    repository.commit("Add a page of prices")
    gone = repository.commit(DROP)
    cx.import_("git")
    repository.git("reset", "-q", "--hard", "HEAD~1")
    repository.commit("Add a door", "src/c.py")
    cx.import_("git")
    assert kept(cx)[DROP].status is Status.ARCHIVED
    repository.git("reset", "-q", "--hard", gone)
    cx.import_("git")
    assert kept(cx)[DROP].status is Status.ACTIVE


def test_secrets_and_names_in_messages_are_taken_out(cx, repository):
    secret = "ghp_" + "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8"
    repository.commit(
        f"Keep the cache\n\nThe cache is kept for {secret}, because another reader waits for it."
    )
    assert secret not in str(cx.import_("git", dry_run=True))
    assert cx.import_("git").added == 1
    assert secret not in cx.export().text


def test_a_message_cannot_forge_another_commit(cx, repository):
    forged = "Drop support for Python 2\x1edeadbeef\x1f0\x1f"
    repository.commit(f"Add a page of prices\n\n{forged}\n\ncommit {'a' * 40}\n\n    Drop support for all")
    done = cx.import_("git")
    assert (done.commits, done.added) == (1, 0)


def test_an_agent_brings_what_waits_and_the_person_takes_it(cx, repository, clock):
    repository.commit(DROP)
    with Cortex.open(repository.root, clock=clock, actor=Actor.AGENT) as agents:
        assert agents.import_("git").added == 1
    assert kept(cx)[DROP].status is Status.QUARANTINED
    assert cx.import_("git").unchanged == 1
    assert kept(cx)[DROP].status is Status.ACTIVE


def test_a_history_that_git_cannot_read_ends_nothing(cx, repository):
    repository.commit(DROP)
    lost = repository.commit("Add a page of prices")
    repository.commit("Add a page of names", "src/b.py")
    cx.import_("git")
    path = repository.root / ".git" / "objects" / lost[:2] / lost[2:]
    path.chmod(0o644)
    path.unlink()
    with pytest.raises(InvalidInputError, match="cannot be read"):
        cx.import_("git", rebuild=True)
    assert kept(cx)[DROP].status is Status.ACTIVE


def test_without_a_history_the_person_is_told(cx):
    with pytest.raises(InvalidInputError, match="no git history"):
        cx.import_("git")


@pytest.mark.parametrize("own", ["edited", "confirmed", "said"])
def test_a_later_commit_does_not_end_what_the_person_decided(cx, repository, own):
    repository.commit("Switch from yarn to pnpm")
    cx.import_("git")
    (known,) = kept(cx).values()
    if own == "edited":
        cx.edit(known.id, text="We use pnpm, and bun only where pnpm fails.")
    elif own == "confirmed":
        cx.feedback(known.id, "confirm")
    else:
        known = cx.remember("We use pnpm for every package.", kind="decision")
    repository.commit("Switch from pnpm to bun")
    cx.import_("git")
    assert cx.get(known.id).status is Status.ACTIVE
    assert cx.get(known.id).superseded_by is None


def test_a_limit_and_a_time_bound_what_is_read(cx, repository):
    repository.commit(DROP)
    repository.commit("Drop support for Python 3.9")
    done = cx.import_("git", limit=1)
    assert (done.commits, len(done.problems)) == (1, 1)
    assert list(kept(cx)) == ["Drop support for Python 3.9"]
    assert cx.import_("git", since=repository.at - timedelta(hours=1)).commits == 1
    assert cx.import_("git").added == 1  # a larger limit reaches the first one
