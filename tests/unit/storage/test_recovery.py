"""Damage of every sort: what is read of it, and what `recover` makes of it."""

import os
import subprocess
import sys
from random import Random

import apsw
import pytest

from places import store_folder
from recortex import Cortex
from recortex.errors import CorruptStoreError, RecortexError, StoreBusyError
from recortex.storage.sqlite import recovery
from recortex.storage.sqlite.damaged import PAGE, Reader

pytestmark = pytest.mark.full


# -- Damage of every sort, and what `recover` makes of it.
TEXTS = [f"Memory {number} about the {word}." for number in range(120) for word in ("queue", "cache", "lock")]


@pytest.fixture
def open_(project, clock, monkeypatch):
    monkeypatch.setenv("RECORTEX_EMBEDDER", "none")
    monkeypatch.setenv("RECORTEX_BACKUPS_EVERY_DAYS", "0")  # a test makes the backups that it needs
    opened = []

    def fresh():
        cortex = Cortex.open(project, clock=clock)
        opened.append(cortex)
        return cortex

    yield fresh
    for cortex in opened:
        cortex.close()


@pytest.fixture
def database(project):
    return store_folder(project) / "cortex.db"


def filled(open_, clock, *, backup):
    """A closed store; with a backup that has all but the last memory."""
    with open_() as cortex:
        ids = list(cortex.remember_many([{"text": text} for text in TEXTS], link=False).ids)
        if backup:
            clock.pass_(minutes=1)
            cortex.backup()
        ids.append(cortex.remember("Learned after the backup.").id)
    clock.pass_(minutes=1)
    return ids


def garbage(length):
    """The same each time: what becomes of other damage is tried by tests/faults/run.py."""
    return Random(length).randbytes(length)  # noqa: S311  seeded on purpose


def scribble(path, start, length):
    with path.open("r+b") as file:
        file.seek(start)
        file.write(garbage(length))


def middle(path):
    """Every page from a third of the file on is garbage."""
    size = path.stat().st_size
    scribble(path, size // 3 // 4096 * 4096, size // 3)


def beginning(path):
    scribble(path, 0, 4096)


def schema_page(path):
    scribble(path, 100, 3000)


def cut(path):
    os.truncate(path, path.stat().st_size // 2)


def cut_within_a_page(path):
    os.truncate(path, path.stat().st_size // 2 // 4096 * 4096 + 1000)


def emptied(path):
    os.truncate(path, 0)


def not_a_database(path):
    path.write_text("This was a database once.\n" * 500)


DAMAGES = [middle, beginning, schema_page, cut, cut_within_a_page, emptied, not_a_database]


def damaged(database, damage):
    damage(database)
    for suffix in ("-wal", "-shm"):
        database.with_name(database.name + suffix).unlink(missing_ok=True)
    return database.read_bytes()


@pytest.mark.parametrize("damage", DAMAGES, ids=lambda damage: damage.__name__)
def test_a_backup_brings_everything_back_that_it_has(open_, clock, database, damage):
    ids = filled(open_, clock, backup=True)
    left = damaged(database, damage)
    with open_() as cortex:
        done = cortex.recover()
        assert done.outcome in {"restored", "repaired"}
        assert done.memories >= len(TEXTS)
        for id_, text in zip(ids, TEXTS, strict=False):
            assert cortex.get(id_).text == text
        assert cortex.recall("cache", recipe="keyword", floor=False).hits
        assert cortex.doctor().healthy
        cortex.remember("It can be written again.")
    kept = database.with_name(done.kept.rpartition("/")[2])
    assert kept.exists()
    assert kept.read_bytes() == left or not left
    assert database.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("damage", DAMAGES, ids=lambda damage: damage.__name__)
def test_without_a_backup_what_can_be_read_is_kept_and_the_rest_has_a_name(open_, clock, database, damage):
    ids = filled(open_, clock, backup=False)
    left = damaged(database, damage)
    with open_() as cortex:
        done = cortex.recover()
        there = {memory.id for memory in cortex.list(limit=1000).memories}
        assert done.memories == len(there)
        assert (done.outcome == "fresh") == (not there)
        said = " ".join(done.lost)
        nameless = [id_ for id_ in ids if id_ not in there and id_ not in said]
        cut_off = "missing from the file's end" in said
        assert len(nameless) <= said.count("the memory number") or cut_off or not there
        kept = cortex.remember("It can be written again.")
        assert cortex.get(kept.id)
        assert cortex.doctor().healthy
    assert database.with_name(done.kept.rpartition("/")[2]).read_bytes() == left or not left


@pytest.mark.parametrize("damage", [beginning, schema_page])
def test_a_file_without_its_schema_is_read_page_by_page(open_, clock, database, damage):
    ids = filled(open_, clock, backup=False)
    damaged(database, damage)
    with open_() as cortex:
        done = cortex.recover()
        assert (done.outcome, done.memories) == ("repaired", len(ids))
        assert cortex.get(ids[-1]).text == "Learned after the backup."


@pytest.mark.parametrize(
    "damage", [beginning, schema_page, not_a_database], ids=lambda damage: damage.__name__
)
def test_opening_a_damaged_store_says_what_to_do(open_, clock, database, damage):
    filled(open_, clock, backup=False)
    left = damaged(database, damage)
    with open_() as cortex, pytest.raises(CorruptStoreError) as caught:
        cortex.status()
    assert caught.value.code == "store_corrupt"
    assert "recortex recover" in caught.value.hint
    assert database.read_bytes() == left


@pytest.mark.parametrize("damage", [middle, cut, cut_within_a_page], ids=lambda damage: damage.__name__)
def test_damage_further_in_is_named_when_it_is_met(open_, clock, database, damage):
    filled(open_, clock, backup=False)
    damaged(database, damage)
    with open_() as cortex:
        with pytest.raises(CorruptStoreError) as caught:
            cortex.export()
        assert "recortex recover" in caught.value.hint
        report = cortex.doctor()
    assert not report.healthy
    assert any("recover" in finding.todo for finding in report.findings)


def test_a_damaged_backup_is_passed_over_for_an_older_one(open_, clock, database, project):
    filled(open_, clock, backup=True)
    with open_() as cortex:
        cortex.backup()
    newest = max((store_folder(project) / "backups").iterdir())
    middle(newest)
    bytes_then = newest.read_bytes()
    damaged(database, beginning)
    with open_() as cortex:
        done = cortex.recover()
        assert done.memories == len(TEXTS) + 1
        assert any(newest.name in step and "damaged" in step for step in done.steps)
    assert newest.read_bytes() == bytes_then


@pytest.mark.parametrize("size", [10, 5000, 300_000])
def test_a_garbage_log_is_ignored(open_, clock, database, size):
    ids = filled(open_, clock, backup=True)
    database.with_name("cortex.db-wal").write_bytes(garbage(size))
    with open_() as cortex:
        assert cortex.list().total == len(ids)
        done = cortex.recover()
        assert (done.outcome, done.memories) == ("whole", len(ids))
        cortex.remember("It can be written again.")


def test_what_only_the_log_holds_is_kept(open_, clock, database):
    filled(open_, clock, backup=True)
    busy = open_()
    last = busy.remember("Only in the log.")
    copies = {path: path.read_bytes() for path in database.parent.glob("cortex.db*")}
    busy.close()
    for path, data in copies.items():
        path.write_bytes(data)
    with open_() as cortex:
        done = cortex.recover()
        assert done.outcome == "whole"
        assert cortex.get(last.id).text == "Only in the log."


DROPS = ["memories_fts_data", "memories_fts_idx", "memories_fts_docsize"]


@pytest.mark.parametrize("table", DROPS)
def test_a_damaged_index_is_made_anew_from_the_memories(open_, clock, database, table):
    ids = filled(open_, clock, backup=True)
    connection = apsw.Connection(str(database))
    connection.execute(f"DELETE FROM {table}")  # noqa: S608  one of three names
    connection.close()
    with open_() as cortex:
        done = cortex.recover()
        assert (done.outcome, done.memories, done.kept) == ("repaired", len(ids), "")
        assert len(cortex.recall("queue", recipe="keyword", floor=False, limit=200).hits) == len(TEXTS) // 3
        assert cortex.doctor().healthy


def test_an_index_that_lies_is_found_out(open_, clock, database):
    ids = filled(open_, clock, backup=False)
    connection = apsw.Connection(str(database))
    connection.execute(
        "DROP TRIGGER memories_fts_update; UPDATE memories SET text = 'Changed beside it.' WHERE key = 1"
    )
    connection.close()
    with open_() as cortex:
        assert not cortex.doctor().healthy
        done = cortex.recover()
        assert (done.outcome, done.memories) == ("repaired", len(ids))
        assert cortex.recall("beside", recipe="keyword", floor=False).hits


def test_a_whole_store_is_left_alone(open_, clock, database):
    ids = filled(open_, clock, backup=False)
    before = database.read_bytes()
    with open_() as cortex:
        done = cortex.recover()
        assert (done.outcome, done.memories, done.kept) == ("whole", len(ids), "")
    assert database.read_bytes() == before


@pytest.mark.usefixtures("without_vectors")
def test_stores_in_one_folder_do_not_take_each_others_backups(tmp_path, clock):
    urls = {name: f"sqlite:///{tmp_path / name}.db" for name in ("a", "b")}
    for name, url in urls.items():
        with Cortex.open(tmp_path, url=url, clock=clock) as cortex:
            cortex.remember(f"This is of {name}.")
    with Cortex.open(tmp_path, url=urls["b"], clock=clock) as cortex:
        cortex.backup()
    beginning(tmp_path / "a.db")
    with Cortex.open(tmp_path, url=urls["a"], clock=clock) as cortex:
        cortex.recover()
        assert [memory.text for memory in cortex.list().memories] == ["This is of a."]


def a_bit_later(path, column, table, key):
    """A value of a row changed into another valid one, as a flipped bit would, behind the store's back."""
    connection = apsw.Connection(str(path))
    connection.execute(f"UPDATE {table} SET {column} = {column} - 1 WHERE {key}")  # noqa: S608
    connection.close()


QUIET = [
    ("valid_from", "memories", "key = 5"),
    ("confidence", "memories", "key = 5"),
    ("line_start", "memory_files", "memory_key = (SELECT max(memory_key) FROM memory_files)"),
    ("recorded_from", "versions", "1 = 1"),
    ("created_at", "relations", "1 = 1"),
]


@pytest.mark.parametrize("backup", [True, False], ids=["backup", "none"])
@pytest.mark.parametrize("change", QUIET, ids=[".".join(one[:2]) for one in QUIET])
def test_a_value_that_damage_made_another_valid_one_is_found_and_named(
    open_, clock, database, change, backup
):
    with open_() as cortex:
        ids = list(cortex.remember_many([{"text": text} for text in TEXTS[:9]], link=False).ids)
        cortex.edit(ids[1], tags=["edited"])
        cortex.link(ids[2], ids[3], relation="supports")
        linked = cortex.remember("It is in a file.", files=["src/a.py:3-9"]).id
        before = cortex.export().text
        clock.pass_(minutes=1)
        if backup:
            cortex.backup()
    a_bit_later(database, *change)
    with open_() as cortex:
        assert not cortex.doctor().healthy
        done = cortex.recover()
        owner = {"memories": ids[4], "memory_files": linked, "versions": ids[1], "relations": ids[2]}
        assert any(line.startswith(owner[change[1]]) for line in done.lost)
        assert cortex.doctor().healthy
        assert (cortex.export().text == before) == backup
        cortex.edit(ids[4], tags=["again"])
        assert cortex.doctor().healthy


def test_a_purge_by_text_rewrites_a_backup_of_an_older_schema(open_):
    with open_() as cortex:
        one, other = cortex.remember_many([{"text": text} for text in TEXTS[:2]], link=False).ids
        cortex.link(one, other, relation="supports", evidence=["the secret zebra"])
        made = cortex.backup().path
    connection = apsw.Connection(made)
    for table in ("memories", "versions", "relations"):
        connection.execute(f"ALTER TABLE {table} DROP COLUMN seal")
    connection.close()
    with open_() as cortex:
        cortex.purge(text="secret zebra")
        assert cortex.doctor().healthy
    connection = apsw.Connection(made)
    assert connection.execute("SELECT evidence FROM relations").get == "[]"
    connection.close()


def test_a_row_without_values_is_none(tmp_path):
    path = tmp_path / "store.db"
    leaf = bytearray(4096)
    leaf[0], leaf[4], leaf[8:10] = 0x0A, 1, (4000).to_bytes(2, "big")  # an index's leaf with one cell
    leaf[4000:4002] = 1, 1  # whose record is its own header alone
    path.write_bytes(bytes(2 * 4096) + leaf)
    reader = Reader(path)
    assert [*reader.rows()] == []
    assert reader.holes() == [1, 3]


def test_what_a_killed_recovery_had_half_copied_goes(open_, clock, database):
    filled(open_, clock, backup=True)
    damaged(database, beginning)
    for name in ("cortex.db.damaged-20260101T000000.half", "cortex.db.part", "cortex.db.from-backup"):
        (database.parent / name).write_bytes(b"what was remembered")
    with open_() as cortex:
        kept = cortex.recover().kept.rpartition("/")[2]
    beside = {path.name for path in database.parent.iterdir() if path.name.startswith("cortex.db.")}
    assert beside - {"cortex.db.last"} == {kept}


WRITING = """
import sys, apsw
connection = apsw.Connection(sys.argv[1])
connection.execute("PRAGMA user_version = 7")
"""


def test_what_others_write_meanwhile_is_not_left_behind(open_, clock, database, monkeypatch):
    filled(open_, clock, backup=True)
    database.with_name("cortex.db-wal").unlink(missing_ok=True)
    scribble(database, database.stat().st_size // 2 // 4096 * 4096, 4096)

    def interrupted(*_):
        subprocess.run([sys.executable, "-c", WRITING, str(database)], check=True)
        return recovery.Salvaged((), 0, 0)

    with open_() as cortex:
        monkeypatch.setattr(recovery, "salvage", interrupted)
        with pytest.raises(StoreBusyError, match="meanwhile") as caught:
            cortex.recover()
        assert "again" in caught.value.hint
        assert apsw.Connection(str(database)).execute("PRAGMA user_version").get == 7
        assert not [
            path
            for path in database.parent.iterdir()
            if path.suffix in {".part", ".from-backup", ".recovered"}
        ]
        monkeypatch.undo()
        assert cortex.recover().memories == len(TEXTS) + 1


# -- Reading a damaged file although the pages that lead to its rows are gone, and naming what is lost.
SALVAGED = [
    f"Memory {number} about the {word}." for number in range(40) for word in ("queue", "cache", "lock")
]


@pytest.fixture
def open_project(project, monkeypatch):
    monkeypatch.setenv("RECORTEX_EMBEDDER", "none")
    monkeypatch.setenv("RECORTEX_BACKUPS_EVERY_DAYS", "0")  # a test makes the backups that it needs
    return lambda: Cortex.open(project)


@pytest.fixture
def ids(open_project):
    """A closed store with some of everything."""
    with open_project() as cortex:
        ids = list(cortex.remember_many([{"text": text} for text in SALVAGED], link=False).ids)
        cortex.edit(ids[1], tags=["edited"])
        cortex.link(ids[2], ids[3], relation="supports")
        cortex.link(ids[4], ids[5], relation="caused")
        cortex.unlink(ids[4], ids[5])
    return ids


def pages_of(database, *names):
    """The pages of tables and indexes, their root first."""
    connection = apsw.Connection(str(database))
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    marks = ", ".join("?" * len(names))
    select = f"SELECT pageno FROM dbstat WHERE name IN ({marks}) ORDER BY path"  # noqa: S608
    found = connection.execute(select, names)
    pages = [row[0] for row in found]
    connection.close()
    return pages


def wipe(database, pages):
    with database.open("r+b") as file:
        for page in pages:
            file.seek((page - 1) * PAGE)
            file.write(bytes(PAGE))


def change(database, *statements):
    """Rows as damage could leave them, without the seal that would tell."""
    connection = apsw.Connection(str(database))
    for statement in statements:
        connection.execute(statement)
    connection.close()


def recovered(open_):
    """What `recover` names, of a store that is whole and can be used afterwards."""
    with open_() as cortex:
        assert not cortex.doctor().healthy
        done = cortex.recover()
        assert cortex.doctor().healthy
        cortex.export()
        cortex.status()
        kept = cortex.remember("It can be written again.").id
        assert kept in {hit.memory.id for hit in cortex.recall("written again", floor=False).hits}
        return done.lost


def test_a_whole_store_has_no_page_that_cannot_be_read(open_project, database, ids):
    with open_project() as cortex:
        cortex.purge(ids[7])
        cortex.edit(ids[8], text="A text so long that it goes on on pages of its own. " * 400)
        cortex.edit(ids[8], text="A short one.")
    pages_of(database, "memories")
    reader = Reader(database)
    list(reader.rows())
    assert reader.holes() == []


def test_memories_are_read_where_their_root_and_that_of_an_index_were_exchanged(open_project, database, ids):
    (one, *_), (other, *_) = pages_of(database, "memories"), pages_of(database, "memories_embedding")
    data = bytearray(database.read_bytes())
    first, second = (slice((page - 1) * PAGE, page * PAGE) for page in (one, other))
    data[first], data[second] = data[second], data[first]
    database.write_bytes(data)
    assert recovered(open_project) == ()
    with open_project() as cortex:
        assert [cortex.get(id_).text for id_ in ids] == SALVAGED


BROKEN = {
    "a relation": ("UPDATE relations SET type = 'selated', seal = NULL", 2, "one of its relations"),
    "a former state": ("UPDATE versions SET changed_by = '5ser', seal = NULL", 1, "one of its versions"),
    "an entry of the audit log": (
        "UPDATE audit SET actor = '5ser' WHERE operation = 'update'", 1, "one of its audit",
    ),
    "its details": ("UPDATE audit SET details = '{' WHERE operation = 'update'", 1, "one of its audit"),
    "who wrote a memory": (
        "UPDATE memories SET changed_by = '5ser' WHERE key = 2", 1, "it was changed by the damage",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", BROKEN)
def test_a_row_of_the_right_types_that_is_none_of_ours_is_found_and_named(open_project, database, ids, name):
    statement, owner, said = BROKEN[name]
    change(database, statement)
    lost = recovered(open_project)
    assert any(line.startswith(ids[owner]) and said in line for line in lost), lost


def test_what_is_noted_of_a_chore_may_be_damaged(open_project, database, ids):
    assert ids
    change(database, "INSERT INTO chores VALUES ('vacuum', 1, '{')")
    with open_project() as cortex, pytest.raises(RecortexError) as caught:
        cortex.status()
    assert caught.value.code == "store_corrupt"
    assert recovered(open_project) == ("One of the chores could not be read",)


def test_an_index_whose_name_is_no_text_any_more_is_found(open_project, database, ids):
    """SQLite's own check names what it finds, and cannot name this one."""
    wrong = pages_of(database, "memories_recorded")[0]
    with database.open("r+b") as file:
        file.seek(wrong * PAGE - 200)
        file.write(bytes(range(200)))
    data = database.read_bytes()
    assert data.count(b"memories_recorded") == 2  # by itself, and in what makes it
    database.write_bytes(data.replace(b"memories_recorded", b"mem\xbbries_recorded"))
    (told,) = recovered(open_project)
    assert told.startswith("1 pages (of a table that is not known)")
    with open_project() as cortex:
        assert cortex.get(ids[0]).text == SALVAGED[0]


def test_a_column_whose_name_is_no_text_any_more_is_found(open_project, database, ids):
    pages_of(database, "memories")
    data = database.read_bytes()
    assert data.count(b"last_accessed_at INTEGER") == 2  # of memories, and of chunks
    database.write_bytes(data.replace(b"last_accessed_at INTEGER", b"la\xbbt_accessed_at INTEGER"))
    assert recovered(open_project) == ()
    with open_project() as cortex:
        assert cortex.get(ids[0]).text == SALVAGED[0]


def test_a_relation_that_is_gone_with_its_index_is_named_by_the_audit_log(open_project, database, ids):
    wipe(database, pages_of(database, "relations", "relations_target"))
    lost = recovered(open_project)
    assert [line for line in lost if ids[2] in line or ids[4] in line] == [
        f"{ids[2]}: its supports {ids[3]} could not be read, or was taken away with one of the two"
    ]
    assert any("2 pages (of relations, relations_target) could not be read whole" in line for line in lost)


def test_memories_that_no_index_knows_any_more_are_counted_by_other_tables(open_project, database, ids):
    named = ["sqlite_sequence", "sqlite_autoindex_memories_1"]
    pages = pages_of(database, *named)
    wipe(database, [*pages, pages_of(database, "memories")[-1]])
    lost = recovered(open_project)
    with open_project() as cortex:
        there = cortex.status().stores[0].memories - 1
    assert 0 < there < len(ids)
    assert sum("could not be read, and is in no backup" in line for line in lost) == len(ids) - there


def test_a_lost_memory_whose_id_is_damaged_too_goes_by_its_number(open_project, database, ids):
    wipe(database, [pages_of(database, "memories")[-1]])
    gone = ids[-1].encode()
    data = database.read_bytes()
    assert data.count(gone) > 0
    database.write_bytes(data.replace(gone, gone[:8] + b'"' + gone[9:]))
    lost = recovered(open_project)
    assert f"the memory number {len(ids)}: could not be read, and is in no backup" in lost


def test_a_memory_is_told_of_the_relation_that_it_lost_with_another(open_project, database, ids):
    with open_project() as cortex:
        cortex.link(ids[-1], ids[0], relation="supports")
    wipe(database, [pages_of(database, "memories")[-1]])
    lost = recovered(open_project)
    assert f"{ids[0]}: a row of its relations to {ids[-1]} could not be read" in lost


@pytest.mark.parametrize("backup", [True, False], ids=["backup", "none"])
def test_a_memory_whose_id_is_damaged_everywhere_is_kept_under_another(open_project, database, ids, backup):
    if backup:
        with open_project() as cortex:
            cortex.backup()
    wipe(database, pages_of(database, "sqlite_autoindex_memories_1"))
    data = database.read_bytes()
    harmed = f"{ids[9][:8]}^{ids[9][9:]}"
    assert data.count(ids[9].encode()) == 1
    database.write_bytes(data.replace(ids[9].encode(), harmed.encode()))
    lost = recovered(open_project)
    with open_project() as cortex:
        kept = {memory.text: memory.id for memory in cortex.list(limit=200).memories}
    assert kept.keys() >= set(SALVAGED)
    assert (kept[SALVAGED[9]] == ids[9]) == backup
    assert any(kept[SALVAGED[9]] in line and (backup or harmed in line) for line in lost)
