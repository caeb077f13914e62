"""A whole store copied between engines: identical by its export, resumable, never over something else."""

import os
import random
import subprocess
import sys
import textwrap
from contextlib import closing
from datetime import UTC, datetime

import pytest

from example_memories import AT
from places import location_of
from recortex import Cortex
from recortex.app import backends
from recortex.app.backends import open_store
from recortex.app.wiring import hook_context
from recortex.domain.vocabulary import Scope
from recortex.errors import ConfigError, CorruptStoreError, InvalidInputError, StorageError, StoreBusyError
from recortex.settings import read

KINDS = ("tribal", "decision", "insight", "procedural", "incident", "preference", "code")
WORDS = [
    "cache", "queue", "login", "naïve", "O'Brien's", "don't", "日本語", "index_schema", "🚀", "lock", "user's",
    "retry",
]  # fmt: skip


@pytest.fixture(autouse=True)
def _hashed(monkeypatch):
    monkeypatch.setenv("RECORTEX_EMBEDDER", "hashed")


def statement(random_):
    return f"The {' '.join(random_.choices(WORDS, k=7))} needs {random_.randint(1, 10**9)}"


def fill(project, url, count, seed=7):
    """A store of mixed memories with a past: edits, relations, archived ones, a purged one."""
    random_ = random.Random(seed)  # noqa: S311  the same store each time
    with Cortex.open(project, url=url) as cx:
        cx.remember_many(
            [
                {
                    "text": statement(random_), "kind": KINDS[number % len(KINDS)],
                    "tags": ["x", f"t{number % 7}"], "files": [f"src/f{number % 40}.py:3-9", "README.md"],
                    "metadata": {"n": number, "é": None}, "pinned": number % 11 == 0,
                }
                for number in range(count)
            ]
        )  # fmt: skip
        ids = [memory.id for memory in cx.list(limit=200).memories]
        for id_ in ids[:20]:
            cx.edit(id_, text=statement(random_))
        for one, other in zip(ids[:20:2], ids[1:20:2], strict=True):
            cx.link(one, other, relation="supports", strength=0.25)
        for id_ in ids[20:25]:
            cx.forget(id_)
        cx.purge(ids[30])
        cx.recall("why does the cache need the queue?")


def exported(project, url, path):
    with Cortex.open(project, url=url) as cx:
        cx.export(str(path))
        assert cx.doctor().healthy
    return path.read_bytes()


def test_there_and_back_is_identical_by_export(project, tmp_path, server):
    here, back = (f"sqlite:///{tmp_path}/{name}.db" for name in ("here", "back"))
    there = server.workspace_url()
    fill(project, here, 120)
    with Cortex.open(project, url=here) as cx:
        first = cx.migrate_store(here, there)
        second = cx.migrate_store(there, back)
    assert first.memories == second.memories == 119
    assert [one.checksum for one in first.tables] == [one.checksum for one in second.tables]
    assert {one.table: one.rows for one in first.tables}["versions"] >= 20
    golden = exported(project, here, tmp_path / "here.json")
    assert exported(project, there, tmp_path / "there.json") == golden
    assert exported(project, back, tmp_path / "back.json") == golden


def test_both_engines_answer_alike_after_a_move(project, tmp_path, server):
    here, there = f"sqlite:///{tmp_path}/here.db", server.workspace_url()
    fill(project, here, 100)
    with Cortex.open(project, url=here) as cx:
        cx.migrate_store(here, there)
    now = datetime.now(UTC)  # for both: what is older counts for less

    def opened(url):
        return Cortex.open(project, url=url, clock=lambda: now)

    for question in ("what of the don't parser?", "日本語 lock", "why does O'Brien's cache retry?"):
        with opened(here) as one, opened(there) as other:
            found = [
                [(hit.memory.id, round(hit.score, 9)) for hit in cx.recall(question, floor=False).hits]
                for cx in (one, other)
            ]
        assert found[0]
        assert found[0] == found[1]


def test_what_postgresql_cannot_write_is_no_endless_change(project, tmp_path, server):
    here, there = f"sqlite:///{tmp_path}/here.db", server.workspace_url()
    with Cortex.open(project, url=here) as cx:
        kept = cx.remember(
            "Strip \\u0000 from what goes into jsonb", kind="tribal", metadata={"a": "\\u0000"}
        )
        store = cx._app.services(Scope.PROJECT).store  # a NUL of a former program, beside the facade
        store.pool.rows("UPDATE memories SET reason = 'a' || char(0) || 'b'")
        assert cx.migrate_store(here, there).memories == 1
    with Cortex.open(project, url=there) as cx:
        assert cx.get(kept.id).text == kept.text
        assert cx.get(kept.id).metadata == kept.metadata


MOVER = """
    import sys
    from recortex import Cortex
    with Cortex.open(sys.argv[1], url=sys.argv[2], progress=lambda *said: print(*said, flush=True)) as cx:
        cx.migrate_store(sys.argv[2], sys.argv[3])
"""


@pytest.mark.full
def test_a_killed_copy_goes_on(project, tmp_path, server):
    here, there = f"sqlite:///{tmp_path}/here.db", server.workspace_url()
    fill(project, here, 300)
    words = [sys.executable, "-c", textwrap.dedent(MOVER), str(project), here, there]
    for tables in (3, 8):
        with subprocess.Popen(words, stdout=subprocess.PIPE, env=os.environ, text=True) as process:
            try:
                for _ in range(tables):
                    assert process.stdout.readline().startswith("copying")
            finally:
                process.kill()
    with Cortex.open(project, url=here) as cx:
        moved = cx.migrate_store(here, there)
    done = {one.table: one for one in moved.tables}
    assert done["memories"].rows == 299
    assert done["memories"].written == 0  # the killed ones had written these
    assert exported(project, there, tmp_path / "b.json") == exported(project, here, tmp_path / "a.json")


@pytest.mark.parametrize("engine", ["sqlite", "postgres"])
def test_half_a_copy_is_no_store(project, tmp_path, server, engine):
    here, other = (f"sqlite:///{tmp_path}/{name}.db" for name in ("here", "other"))
    there = f"sqlite:///{tmp_path}/there.db" if engine == "sqlite" else server.workspace_url()
    fill(project, here, 40)
    with (
        pytest.raises(ZeroDivisionError),
        Cortex.open(project, url=here, progress=lambda *said: said[1] < 5 or 1 / 0) as cx,
    ):
        cx.migrate_store(here, there)
    with Cortex.open(project, url=there) as cx:
        for act in (
            lambda: cx.remember("What the rest of the copy would undo"),
            lambda: cx.recall("cache"),
            lambda: cx.migrate_store(there, other),
        ):
            with pytest.raises(StorageError, match="half a copy of") as caught:
                act()
            assert "migrate-store" in caught.value.hint
        assert "half a copy" in " ".join(finding.message for finding in cx.doctor().findings)
    with Cortex.open(project, url=here) as cx:
        assert cx.migrate_store(here, there).memories == 39
    with Cortex.open(project, url=there) as cx:
        assert cx.remember("What stays").version == 1


@pytest.mark.parametrize("engine", ["sqlite", "postgres"])
def test_hooks_note_nothing_in_half_a_copy(project, tmp_path, server, engine):
    there = f"sqlite:///{tmp_path}/there.db" if engine == "sqlite" else server.workspace_url()
    with Cortex.open(project, url=there) as cx:
        cx.init()
    location = location_of(there, project)
    with closing(
        open_store(location, clock=lambda: AT, settings=read(project), degraded=print, unfinished=True)
    ) as store:
        store.full_copy.begin("another", now=0)
    with pytest.raises(StorageError, match="half a copy of another"):
        _ = hook_context(project, url=there).sessions
    with closing(
        open_store(location, clock=lambda: AT, settings=read(project), degraded=print, unfinished=True)
    ) as store:
        store.full_copy.finish()
    assert hook_context(project, url=there).sessions.get("s") is None


@pytest.mark.parametrize("note", ["no JSON", "[]", '{"from": "here"}', '{"source": 7}', ""])
def test_a_store_whose_note_of_a_copy_is_damaged_opens(project, tmp_path, note):
    url = f"sqlite:///{tmp_path}/there.db"
    with Cortex.open(project, url=url) as cx:
        id_ = cx.remember("What is kept").id
        pool = cx._app.all_services()[0].store.pool
        pool.rows("INSERT INTO chores (name, done_at, outcome) VALUES ('copy of', 0, ?)", (note,))
    with Cortex.open(project, url=url) as cx:
        assert cx.get(id_).text == "What is kept"


def test_a_store_without_its_chores_is_recovered_before_it_opens(project, tmp_path):
    url = f"sqlite:///{tmp_path}/there.db"
    with Cortex.open(project, url=url) as cx:
        id_ = cx.remember("What is kept").id
        cx._app.all_services()[0].store.pool.rows("ALTER TABLE chores RENAME TO chosen")
    with Cortex.open(project, url=url) as cx:
        with pytest.raises(CorruptStoreError, match="table chosen") as caught:
            cx.get(id_)
        assert "recover" in caught.value.hint
        assert cx.recover().memories == 1
        assert cx.get(id_).text == "What is kept"
        cx.gc()


def test_a_store_that_cannot_be_asked_whether_it_is_a_copy_is_not_opened(project, tmp_path, monkeypatch):
    def busy(_):
        raise StoreBusyError

    url = f"sqlite:///{tmp_path}/there.db"
    with Cortex.open(project, url=url) as cx:
        cx.init()
    monkeypatch.setattr(backends, "copied_from", busy)
    with Cortex.open(project, url=url) as cx, pytest.raises(StoreBusyError):
        cx.list()


def test_nothing_is_written_over(project, tmp_path, server):
    here, other, there = (
        f"sqlite:///{tmp_path}/here.db",
        f"sqlite:///{tmp_path}/other.db",
        server.workspace_url(),
    )
    fill(project, here, 40)
    fill(project, other, 40, seed=8)
    with Cortex.open(project, url=here) as cx:
        cx.migrate_store(here, there)
        with pytest.raises(InvalidInputError, match="not empty"):
            cx.migrate_store(other, there)
        with pytest.raises(InvalidInputError, match="not empty"):
            cx.migrate_store(here, there)  # a finished copy is a store of its own
        with pytest.raises(InvalidInputError, match="same store"):
            cx.migrate_store(here, here)
        with pytest.raises(ConfigError, match="no store"):
            cx.migrate_store(f"{tmp_path}/none.db", f"{tmp_path}/new.db")
    assert not (tmp_path / "none.db").exists()


def test_a_dry_run_counts_and_writes_nothing(project, tmp_path):
    here = f"sqlite:///{tmp_path}/here.db"
    fill(project, here, 40)
    with Cortex.open(project, url=here) as cx:
        shown = cx.migrate_store(here, f"{tmp_path}/new.db", dry_run=True)
    assert shown.memories == 39
    assert shown.written == 0
    assert not (tmp_path / "new.db").exists()


def test_a_password_is_never_shown(project, tmp_path):
    here = f"sqlite:///{tmp_path}/here.db"
    fill(project, here, 40)
    address = "postgresql://someone:hunter2hunter2@127.0.0.1:1/none?workspace=w"
    with Cortex.open(project, url=here) as cx, pytest.raises(StorageError) as caught:
        cx.migrate_store(here, address)
    assert "hunter2" not in f"{caught.value.message} {caught.value.hint}"
