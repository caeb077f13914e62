"""Two processes that synchronise the same store: one after the other, and none waits for a dead one."""

import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from recortex.sync import team as team_module
from recortex.sync.git_branch import GitBranch
from recortex.sync.protocol import RunningError
from replicas import Person

pytestmark = pytest.mark.usefixtures("without_vectors")
HOLDER = """
import sys, time
from pathlib import Path
from recortex.sync.git_branch import GitBranch
from replicas import Person

def wait(branch, vector, limit):
    print("inside", flush=True)
    sys.stdin.readline()
    return pull(branch, vector, limit)

pull, GitBranch.pull = GitBranch.pull, wait
person = Person(Path(sys.argv[1]), "Ada")
person.team.join(f"git {sys.argv[2]}", "team", "Ada")
print(person.team.exchange().agreed, flush=True)
person.close()
"""


@pytest.fixture
def remote(tmp_path):
    folder = tmp_path / "origin.git"
    subprocess.run(["git", "init", "-q", "--bare", folder], check=True)
    return folder


@pytest.fixture
def ada(tmp_path, remote):
    with_team = Person(tmp_path / "Ada", "Ada")
    join(with_team, remote)
    with_team.remember("We chose Redis.")
    yield with_team
    with_team.close()


def join(person, remote):
    """Let the store sync over the remote's branch."""
    GitBranch(str(remote), remote.parent / "found.git", person.clock()).found("team")
    person.team.join(f"git {remote}", "team", person.name)


def holder(folder, remote):
    """A process in the middle of a sync of a store, which goes on after a line on its input."""
    tests = Path(__file__).parents[2]
    program = subprocess.Popen(
        [sys.executable, "-c", f"import sys; sys.path.insert(0, {str(tests)!r})\n{HOLDER}", folder, remote],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert program.stdout.readline() == "inside\n"
    return program


def test_who_comes_second_is_told_after_a_while_and_a_killed_process_holds_nothing(
    ada, remote, tmp_path, monkeypatch
):
    monkeypatch.setattr(team_module, "PATIENCE", 0.2)
    first = holder(tmp_path / "Ada", remote)
    with pytest.raises(RunningError, match="running already"):
        ada.team.exchange()
    assert ada.log.peers() == []  # it is no failure, after which the background would wait
    first.send_signal(signal.SIGKILL)
    first.communicate()
    assert ada.team.exchange().agreed


def test_who_comes_second_waits_for_one_that_ends(ada, remote, tmp_path, monkeypatch):
    monkeypatch.setattr(team_module, "PATIENCE", 60.0)
    first, done = holder(tmp_path / "Ada", remote), []
    second = threading.Thread(target=lambda: done.append(ada.team.exchange()), daemon=True)
    second.start()
    second.join(0.3)
    assert done == []
    told, _ = first.communicate("go on\n")
    second.join()
    assert told == "True\n"
    assert done[0].agreed
    assert (done[0].made, done[0].sent) == (0, 0)  # the first one has sent it
