"""A sync that is killed at any of its steps loses nothing, and the next one goes on where it stopped."""

import os
import signal
import subprocess
from itertools import count

import pytest

from recortex.sync import git_branch
from recortex.sync.records import SyncRecords
from replicas import Person

STEPS = ("append", "put_state", "put_heads", "put_replica", "hollow")


def killing(step):
    """Let this process be killed before its step with that number, from 1: a write, or a call of git."""
    left = count(step, -1)

    def before(act):
        def counted(*given, **more):
            if next(left) == 1:
                os.kill(os.getpid(), signal.SIGKILL)
            return act(*given, **more)

        return counted

    for name in STEPS:
        setattr(SyncRecords, name, before(getattr(SyncRecords, name)))
    git_branch.subprocess.run = before(subprocess.run)


def in_child(act, folder, name):
    """How a process ended in which somebody did something."""
    if child := os.fork():
        return os.waitpid(child, 0)[1]
    status = 1
    try:
        person = Person(folder / name, name)
        act(
            person,
            git_branch.GitBranch(str(folder / "origin.git"), folder / name / "sync.git", person.clock()),
        )
        person.close()
        status = 0
    finally:
        os._exit(status)


def worked(number):
    """Somebody does something, and Bob synchronises it."""

    def act(person, way):
        id_ = person.remember(f"{person.name} decided on limit {number} for queue {number}.")
        ids = sorted(one.id for one in person.cortex.list(limit=1000).memories)
        person.cortex.edit(ids[number % len(ids)], tags=[f"{person.name}{number}"])
        if number % 9 == 8:
            person.cortex.purge(id_)
        if person.name == "Bob":
            person.sync(way)

    return act


def killed(step):
    """A sync that is killed before that step; at 0 it is not."""

    def act(person, way):
        killing(step)
        person.sync(way)

    return act


@pytest.mark.full
@pytest.mark.usefixtures("without_vectors")
def test_a_sync_killed_at_each_step_loses_nothing(tmp_path):
    subprocess.run(["git", "init", "-q", "--bare", tmp_path / "origin.git"], check=True)
    assert in_child(lambda _, way: way.found("team"), tmp_path, "Bob") == 0
    ends = []
    for step in count(1, 3):
        assert in_child(worked(step), tmp_path, "Ada") == 0
        assert in_child(worked(step), tmp_path, "Bob") == 0
        ends.append(in_child(killed(step), tmp_path, "Ada"))
        if ends[-1] == 0:
            break
        if step % 2:  # else the next one is killed over what this one left
            assert in_child(killed(0), tmp_path, "Ada") == 0
    assert set(ends[:-1]) == {signal.SIGKILL}
    assert len(ends) > len(STEPS)
    people = [Person(tmp_path / name, name) for name in ("Ada", "Bob")]
    ways = [
        git_branch.GitBranch(str(tmp_path / "origin.git"), tmp_path / one.name / "sync.git", one.clock())
        for one in people
    ]
    for _ in range(3):
        done = [one.sync(way) for one, way in zip(people, ways, strict=True)]
    assert all(one.agreed and one.problems == () for one in done)
    ada, bob = people
    assert (ada.ids(), ada.heads(), ada.texts()) == (bob.ids(), bob.heads(), bob.texts())
    assert len(ada.texts()) == 2 * len(ends) - len(ada.log.purges())
    for one in people:
        one.close()
