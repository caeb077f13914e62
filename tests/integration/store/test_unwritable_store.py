"""A full disk, and a store that may only be read: what reads answers, what writes says why."""

import ctypes
import json
import os
import resource
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import apsw
import pytest

from places import store_folder
from recortex import Cortex
from recortex.storage.sqlite import migrations

pytestmark = [
    pytest.mark.full,
    pytest.mark.skipif(sys.platform != "linux", reason="rights and limits are Linux's own"),
]

WAYS = ("read-only disk", "full disk", "no right", "no room for a file")
LOGS = ("folded in", "left by a kill", "without its index")
FIRST = "Blue-green deployment, since a rollback took an hour."
LAST = "The queue is drained at night only because backups run then."
_RIGHTS = (1, 2)  # CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH: without them modes bind root too
_DROP = 24  # PR_CAPBSET_DROP
READS = """
import json, sys
from recortex import Cortex
from recortex.operations.registry import operations_of
given = {"query": "deploy", "task": "deploy", "about": "deployment"}
more = {"warnings": {"focus": "deploy"}, "suggest": {"focus": "deploy"}}
with Cortex.open(sys.argv[1]) as cortex:
    one = cortex.list().memories[0].id
    said = {
        "list": sorted(memory.text for memory in cortex.list().memories),
        "recall": [hit.memory.text for hit in cortex.recall("is deployment blue-green?").hits],
        "unwritten": cortex.unwritten,
        "doctor": [row.message for row in cortex.doctor().findings if row.level == "problem"],
        "failed": {},
    }
    for name, operation in operations_of(Cortex).items():
        if operation.traits.read_only or name in {"surface", "export", "doctor", "review", "inspect"}:
            needed = [each.name for each in operation.parameters() if each.required]
            words = {each: given.get(each, one) for each in needed}
            try:
                getattr(cortex, operation.method)(**words, **more.get(name, {}))
            except Exception as error:
                said["failed"][name] = str(error)
    try:
        cortex.remember("Nothing of this may be kept, and nothing else may be lost by it.")
    except Exception as error:
        said["remember"] = [type(error).__name__, str(error)]
print(json.dumps(said))
"""
KILLED = """
import os, sys
from recortex import Cortex
Cortex.open(sys.argv[1]).remember(sys.argv[2], kind="tribal")
os._exit(0)
"""


def without_rights() -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    for right in _RIGHTS:
        libc.prctl(_DROP, right, 0, 0, 0)  # refused where nobody is root: then there is nothing to drop


def without_room() -> None:
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))


def mounted(folder: Path, options: str) -> bool:
    words = ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(folder)]
    return os.geteuid() == 0 and subprocess.run(words, capture_output=True, check=False).returncode == 0


class Disk:
    """A data folder that can be made unwritable."""

    def __init__(self, home: Path) -> None:
        self.home = home
        home.mkdir(mode=0o700, exist_ok=True)
        self.own = mounted(home, "size=16m")
        self._before: Callable[[], None] | None = None

    def refuse(self, way: str) -> None:
        """Let nothing more be written, in a way that binds whoever runs this."""
        if way == "read-only disk" and self.own:
            subprocess.run(["mount", "-o", "remount,ro", str(self.home)], check=True)
        elif way == "full disk" and self.own:
            handle = os.open(self.home / "filler", os.O_WRONLY | os.O_CREAT)
            try:
                while os.write(handle, b"x" * 4096):
                    pass
            except OSError:
                os.close(handle)
        elif way in {"read-only disk", "no right"}:
            for path in [*self.home.rglob("*"), self.home]:
                path.chmod(0o500 if path.is_dir() else 0o400)
            self._before = without_rights
        else:
            self._before = without_room

    def allow(self) -> None:
        if self.own:
            subprocess.run(["mount", "-o", "remount,rw", str(self.home)], check=True)
        (self.home / "filler").unlink(missing_ok=True)
        for path in [self.home, *self.home.rglob("*")]:
            path.chmod(0o700 if path.is_dir() else 0o600)
        self._before = None

    def python(self, program: str, *words: str) -> Any:
        done = self._run([sys.executable, "-c", program, *words])
        assert done.returncode == 0, done.stderr.decode()[-2000:]
        return json.loads(done.stdout) if done.stdout else None

    def recortex(self, *words: str, stdin: bytes = b"", cwd: Path) -> subprocess.CompletedProcess[bytes]:
        return self._run([sys.executable, "-P", "-m", "recortex", *words], stdin=stdin, cwd=cwd)

    def _run(
        self, words: list[str], *, stdin: bytes = b"", cwd: Path | None = None
    ) -> subprocess.CompletedProcess[bytes]:
        return subprocess.run(
            words, input=stdin, capture_output=True, cwd=cwd, preexec_fn=self._before, check=False
        )


@pytest.fixture
def disk(home: Path) -> Iterator[Disk]:
    made = Disk(home)
    yield made
    if made.own:
        subprocess.run(["umount", "-l", str(home)], check=True)
    else:
        made.allow()


def filled(disk: Disk, project: Path, log: str) -> list[str]:
    """A store with two memories, the last of them in the log where one is left."""
    with Cortex.open(project) as cortex:
        cortex.remember(FIRST, kind="decision")
    disk.python(KILLED, str(project), LAST)
    if log == "folded in":
        with Cortex.open(project) as cortex:
            cortex.status()
    elif log == "without its index":
        (store_folder(project) / "cortex.db-shm").unlink()
    assert (store_folder(project) / "cortex.db-wal").exists() == (log != "folded in")
    return sorted([FIRST, LAST])


@pytest.mark.parametrize("log", LOGS)
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.usefixtures("without_vectors")
def test_what_reads_answers_and_what_writes_says_why(disk, project, way, log):
    wanted = filled(disk, project, log)
    disk.refuse(way)
    said = disk.python(READS, str(project))
    assert said["list"] == wanted
    assert said["recall"] == [FIRST]
    # A replay makes stores of its own in the system's temporary folder, which has no room then either.
    assert said["failed"].keys() == ({"replay"} if way == "no room for a file" else set())
    assert said["remember"][0] == "PermissionsError", said
    if (way, log) != ("no room for a file", "left by a kill"):  # there nothing was tried that is refused
        assert [line.count("cannot be written: ") for line in said["unwritten"]] == [1]
        assert [line.count("cannot be written: ") for line in said["doctor"]] == [1]
    disk.allow()
    with Cortex.open(project) as cortex:
        assert sorted(memory.text for memory in cortex.list().memories) == wanted
        assert {row.level for row in cortex.doctor().findings if "store" in row.check} <= {"ok", "notice"}
        cortex.remember("Now there is room again, and this is kept.")


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.usefixtures("without_vectors")
def test_verbs_and_hooks_answer_with_one_line_on_it(disk, project, way):
    filled(disk, project, "folded in")
    disk.refuse(way)
    for words in (["list"], ["recall", "blue-green deployment"], ["doctor"]):
        done = disk.recortex(*words, "--json", cwd=project)
        answer = json.loads(done.stdout)
        assert (done.returncode, answer["status"]) == (0, "ok"), answer
        assert ["cannot be written" in line for line in answer["warnings"]] == [True]
    refused = disk.recortex("remember", "This cannot be kept.", "--json", cwd=project)
    assert json.loads(refused.stdout)["error"]["code"] == "store_not_writable"
    event = {"session_id": "s", "cwd": str(project), "hook_event_name": "UserPromptSubmit"}
    prompt = json.dumps(
        event | {"prompt": "is our deployment blue-green or rolling, and how long is a rollback?"}
    )
    given = disk.recortex("hook", "user-prompt-submit", stdin=prompt.encode(), cwd=project)
    assert given.returncode == 0
    assert "Blue-green" in given.stdout.decode()
    start = json.dumps(event | {"hook_event_name": "SessionStart", "source": "startup"})
    given = disk.recortex("hook", "session-start", stdin=start.encode(), cwd=project)
    assert "Blue-green" in given.stdout.decode()


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.usefixtures("without_vectors")
def test_a_store_of_an_older_schema_says_what_to_do(disk, project, way):
    with Cortex.open(project) as cortex:
        cortex.remember(FIRST, kind="decision")

    last = migrations.newest()
    with closing(apsw.Connection(str(store_folder(project) / "cortex.db"))) as connection:
        for kind, name, *_ in migrations.expected(last) - migrations.expected(last - 1):
            connection.execute(f"DROP {kind} {name}")
        connection.execute("DELETE FROM schema_migrations WHERE version = ?", (last,))
    disk.refuse(way)
    done = disk.recortex("list", "--json", cwd=project)
    error = json.loads(done.stdout)["error"]
    assert "older version" in error["message"], error
    assert "--url sqlite:////" in error["hint"]
    disk.allow()
    with Cortex.open(project) as cortex:
        assert [memory.text for memory in cortex.list().memories] == [FIRST]


@pytest.mark.usefixtures("without_vectors")
def test_a_session_that_lasts_sees_what_is_written_once_there_is_room(disk, project):
    filled(disk, project, "folded in")
    disk.refuse("full disk")
    if not disk.own:
        pytest.fail("this needs a file system of its own: run it as root or in a container")
    with Cortex.open(project) as cortex:
        assert len(cortex.list().memories) == 2
        disk.allow()
        with Cortex.open(project) as other:
            other.remember("A third one, written by another process.")
            assert len(cortex.list().memories) == 3
        assert cortex.remember("And a fourth one, written by the first.").id
        assert not cortex.unwritten
