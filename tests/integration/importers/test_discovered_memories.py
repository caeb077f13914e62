"""A home with several memory systems: found by one command, imported once, even if it is killed."""

import json
import lzma
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest

from recortex import Cortex
from recortex.domain.search import MemoryQuery
from recortex.domain.vocabulary import Actor, Status
from recortex.errors import FormatError, PersonNeededError

STORES = Path(__file__).with_name("stores")
PACKAGE = "node_modules/@modelcontextprotocol/server-memory"
PLACES = {
    "mem0/history.db": ".mem0/history.db",
    "claude-mem/claude-mem.db.xz": ".claude-mem/claude-mem.db",
    "mcp-memory-service/sqlite_vec.db.xz": ".local/share/mcp-memory/sqlite_vec.db",
    "server-memory/memory.jsonl": f".npm/_npx/1f2e/{PACKAGE}/dist/memory.jsonl",
}


@pytest.fixture
def home(tmp_path, monkeypatch):
    place = tmp_path / "home"
    for store, to in PLACES.items():
        data = (STORES / store).read_bytes()
        (place / to).parent.mkdir(parents=True)
        (place / to).write_bytes(lzma.decompress(data) if store.endswith(".xz") else data)
    monkeypatch.setenv("HOME", str(place))
    for name in ("MEM0_DIR", "CLAUDE_MEM_DATA_DIR", "MCP_MEMORY_BASE_DIR", "MEMORY_FILE_PATH"):
        monkeypatch.delenv(name, raising=False)
    return place


@pytest.fixture
def project(home, tmp_path, monkeypatch):  # noqa: ARG001
    folder = tmp_path / "shop"
    folder.mkdir()
    (folder / "exported.json").write_bytes((STORES / "mem0/export.json").read_bytes())
    (folder / "package.json").write_text('{"name": "shop"}', "utf-8")
    openmemory(folder / "openmemory.db")
    shutil.copytree(STORES / "serena/memories", folder / ".serena/memories")
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture
def cx(project, without_vectors):  # noqa: ARG001
    with Cortex.open(project) as opened:
        yield opened


def openmemory(path, rows=3, columns="user_id TEXT, app_id TEXT, metadata JSON"):
    """A database with the columns that OpenMemory's models declare; its server needs a container to run."""
    made = sqlite3.connect(path)
    made.executescript(
        f"CREATE TABLE memories(id TEXT PRIMARY KEY, {columns}, content TEXT, state TEXT, created_at TEXT,"
        " updated_at TEXT, deleted_at TEXT); CREATE TABLE apps(id TEXT, name TEXT);"
        "INSERT INTO apps VALUES('app', 'cursor');"
    )
    made.executemany(
        "INSERT INTO memories(id, app_id, content, state, created_at) VALUES(?, 'app', ?, ?, ?)",
        [
            (f"m{n}", f"Rule number {n} of the shop holds for its carts", state, "2026-03-01 10:00:00")
            for n in range(rows)
            for state in ("deleted" if n == 1 else "active",)
        ],
    )
    made.commit()
    made.close()


def test_all_systems_of_a_home_are_found_once_and_imported_when_the_person_agrees(cx, project):
    looked = cx.import_(discover=True)
    assert looked.dry_run
    assert cx.list(statuses=[Status.QUARANTINED]).total == 0
    found = sorted(one.system for one in looked.sources)
    assert found == sorted([*(one.split("/")[0] for one in PLACES), "mem0", "openmemory", "serena"])
    done = cx.import_(discover=True, yes=True)
    assert [one.path for one in done.sources] == [one.path for one in looked.sources]
    assert cx.list(statuses=[Status.QUARANTINED], limit=1).total == done.added == done.proposed > 0
    again = cx.import_(discover=True, yes=True)
    assert (again.added, again.changed, again.relations) == (0, 0, 0)
    only = cx.import_(discover=True, only=["openmemory"])
    (one,) = only.sources
    assert (one.rows, one.unchanged, one.refused) == (3, 2, {"it was deleted there": 1})
    assert project.joinpath("openmemory.db").exists()


def test_an_agent_may_not_have_the_machine_searched(project, without_vectors):  # noqa: ARG001
    with Cortex.open(project, actor=Actor.AGENT) as agent:
        for asked in ({"discover": True}, {"format": "mem0"}, {"format": "mem0", "path": "/etc/hostname"}):
            with pytest.raises(PersonNeededError):
                agent.import_(**asked)


def test_a_path_that_is_nothing_known_is_told_with_what_was_seen(cx, project):
    with pytest.raises(FormatError, match="a JSON object with the keys name"):
        cx.import_(str(project / "package.json"))


def test_a_changed_row_changes_its_memory_but_not_one_that_a_person_changed(cx, project):
    assert cx.import_("openmemory.db", trust=True).added == 2
    kept = {one.metadata["imported"]["id"]: one for one in cx.list().memories}
    cx.edit(kept["m2"].id, text="Rule two was worded better here")
    made = sqlite3.connect(project / "openmemory.db")
    made.execute("UPDATE memories SET content = content || ' and lists'")
    made.commit()
    made.close()
    (one,) = cx.import_("openmemory.db").sources
    assert (one.changed, one.unchanged) == (1, 0)
    assert sum(one.refused.values()) == 2
    texts = {one.metadata["imported"]["id"]: one.text for one in cx.list().memories}
    assert texts["m0"].endswith("and lists")
    assert texts["m2"] == "Rule two was worded better here"


def test_secrets_our_own_text_and_a_newer_schema(cx, project):
    key = "ghp_" + "a1B2c3D4e5" * 3 + "f6G7h8"
    texts = [f"The token is {key}", "<recortex-memory>\nUse tabs\n</recortex-memory>", "x" * 100_001, "  "]
    entries = [{"id": str(n), "memory": text, "new": {}} for n, text in enumerate(texts)]
    (project / "m.json").write_text(json.dumps({"memories": entries}), "utf-8")
    (one,) = cx.import_("m.json").sources
    assert (one.rows, one.added) == (4, 1)
    assert sorted(one.refused) == [
        "it is longer than 100,000 characters",
        "it is no memory: it has no text",
        "it is what Recortex itself told an agent",
    ]
    (kept,) = cx.list(statuses=[Status.QUARANTINED]).memories
    assert key not in kept.text


def test_a_log_that_is_not_folded_in_is_read_and_left_as_it_is(cx, project):
    made = sqlite3.connect(project / "openmemory.db")
    made.execute("PRAGMA journal_mode=WAL")
    made.execute("UPDATE memories SET content = 'Only the log has this text' WHERE id = 'm0'")
    made.commit()
    before = {one.name: one.read_bytes() for one in project.glob("openmemory.db*")}
    assert "openmemory.db-wal" in before
    cx.import_("openmemory.db", trust=True)
    assert {one.name: one.read_bytes() for one in project.glob("openmemory.db*")} == before
    assert "Only the log has this text" in {one.text for one in cx.list().memories}
    made.close()


def test_a_store_that_cannot_be_read_is_told_and_holds_up_no_other(cx, home):
    (home / ".mem0/history.db").write_bytes(b"SQLite format 3\0" + b"\7" * 2_000)
    done = cx.import_(discover=True, yes=True)
    assert [(one.system, bool(one.problem)) for one in done.sources if one.path.endswith("history.db")] == [
        ("mem0", True)
    ]
    assert done.unread == 1
    assert done.added > 0


def test_what_lies_near_the_root_of_a_large_project_is_found(cx, project):
    for folder in range(25):
        (deep := project / f"a{folder}/b/c").mkdir(parents=True)
        for number in range(1_000):
            (deep / f"{number}.json").touch()
    assert "openmemory" in {one.system for one in cx.import_(discover=True).sources}


def test_a_row_whose_memory_was_purged_is_not_imported_again(cx):
    cx.import_("openmemory.db", trust=True)
    kept = {one.metadata["imported"]["id"]: one for one in cx.list().memories}
    cx.purge(kept["m0"].id)
    (one,) = cx.import_("openmemory.db").sources
    assert (one.added, one.unchanged) == (0, 1)
    assert one.refused == {"you purged its memory here": 1, "it was deleted there": 1}
    assert cx.list(statuses=tuple(Status)).total == 1


@pytest.mark.full
@pytest.mark.parametrize("words", [("openmemory.db",), ("--discover", "--yes")])
def test_a_killed_import_is_finished_by_the_next_one(project, words, without_vectors):  # noqa: ARG001
    project.joinpath("openmemory.db").unlink()
    openmemory(project / "openmemory.db", rows=3_000)
    command = [sys.executable, "-m", "recortex", "import", *words, "--no-embed"]
    running = subprocess.Popen(command, cwd=project, stderr=subprocess.DEVNULL, env=os.environ)
    with Cortex.open(project) as cx:
        while running.poll() is None and _count(cx) < 500:
            time.sleep(0.02)
        running.send_signal(signal.SIGKILL)
        running.wait()
        before = _count(cx)
        discover = len(words) > 1
        found = cx.import_("" if discover else words[0], discover=discover, yes=discover, embed=False)
        (done,) = (one for one in found.sources if one.system == "openmemory")
        assert before > 0
        assert done.unchanged <= before
        assert (done.rows, done.unchanged + done.added) == (3_000, 2_999)
        again = cx.import_("" if discover else words[0], discover=discover, yes=discover, embed=False)
        assert again.added == 0
        told = [one.metadata["imported"]["id"] for one in _all(cx) if one.source.client == "openmemory"]
        assert len(told) == len(set(told)) == 2_999


def _all(cx):
    return cx._app.services("project").store.memories.find(MemoryQuery(statuses=()))


def _count(cx):
    return cx._app.services("project").store.memories.count(MemoryQuery(statuses=()))


def test_an_old_memory_that_a_person_approves_is_not_put_away_for_its_age(cx):
    cx.import_("openmemory.db")
    waiting = cx.list(statuses=[Status.QUARANTINED]).memories
    cx.review("approve", [one.id for one in waiting])
    cx.lifecycle()
    assert {cx.get(one.id).status for one in waiting} == {Status.ACTIVE}
