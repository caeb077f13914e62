"""Reading a damaged file although the pages that lead to its rows are gone, and naming what is lost."""

import apsw
import pytest

from places import store_folder
from recortex import Cortex
from recortex.errors import RecortexError
from recortex.storage.sqlite.damaged import PAGE, Reader

pytestmark = pytest.mark.full

TEXTS = [f"Memory {number} about the {word}." for number in range(40) for word in ("queue", "cache", "lock")]


@pytest.fixture
def open_(project, monkeypatch):
    monkeypatch.setenv("RECORTEX_EMBEDDER", "none")
    monkeypatch.setenv("RECORTEX_BACKUPS_EVERY_DAYS", "0")  # a test makes the backups that it needs
    return lambda: Cortex.open(project)


@pytest.fixture
def database(project):
    return store_folder(project) / "cortex.db"


@pytest.fixture
def ids(open_):
    """A closed store with some of everything."""
    with open_() as cortex:
        ids = list(cortex.remember_many([{"text": text} for text in TEXTS], link=False).ids)
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


def test_a_whole_store_has_no_page_that_cannot_be_read(open_, database, ids):
    with open_() as cortex:
        cortex.purge(ids[7])
        cortex.edit(ids[8], text="A text so long that it goes on on pages of its own. " * 400)
        cortex.edit(ids[8], text="A short one.")
    pages_of(database, "memories")
    reader = Reader(database)
    list(reader.rows())
    assert reader.holes() == []


def test_memories_are_read_where_their_root_and_that_of_an_index_were_exchanged(open_, database, ids):
    (one, *_), (other, *_) = pages_of(database, "memories"), pages_of(database, "memories_embedding")
    data = bytearray(database.read_bytes())
    first, second = (slice((page - 1) * PAGE, page * PAGE) for page in (one, other))
    data[first], data[second] = data[second], data[first]
    database.write_bytes(data)
    assert recovered(open_) == ()
    with open_() as cortex:
        assert [cortex.get(id_).text for id_ in ids] == TEXTS


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
def test_a_row_of_the_right_types_that_is_none_of_ours_is_found_and_named(open_, database, ids, name):
    statement, owner, said = BROKEN[name]
    change(database, statement)
    lost = recovered(open_)
    assert any(line.startswith(ids[owner]) and said in line for line in lost), lost


def test_what_is_noted_of_a_chore_may_be_damaged(open_, database, ids):
    assert ids
    change(database, "INSERT INTO chores VALUES ('vacuum', 1, '{')")
    with open_() as cortex, pytest.raises(RecortexError) as caught:
        cortex.status()
    assert caught.value.code == "store_corrupt"
    assert recovered(open_) == ("One of the chores could not be read",)


def test_an_index_whose_name_is_no_text_any_more_is_found(open_, database, ids):
    """SQLite's own check names what it finds, and cannot name this one."""
    wrong = pages_of(database, "memories_recorded")[0]
    with database.open("r+b") as file:
        file.seek(wrong * PAGE - 200)
        file.write(bytes(range(200)))
    data = database.read_bytes()
    assert data.count(b"memories_recorded") == 2  # by itself, and in what makes it
    database.write_bytes(data.replace(b"memories_recorded", b"mem\xbbries_recorded"))
    (told,) = recovered(open_)
    assert told.startswith("1 pages (of a table that is not known)")
    with open_() as cortex:
        assert cortex.get(ids[0]).text == TEXTS[0]


def test_a_column_whose_name_is_no_text_any_more_is_found(open_, database, ids):
    pages_of(database, "memories")
    data = database.read_bytes()
    assert data.count(b"last_accessed_at INTEGER") == 2  # of memories, and of chunks
    database.write_bytes(data.replace(b"last_accessed_at INTEGER", b"la\xbbt_accessed_at INTEGER"))
    assert recovered(open_) == ()
    with open_() as cortex:
        assert cortex.get(ids[0]).text == TEXTS[0]


def test_a_relation_that_is_gone_with_its_index_is_named_by_the_audit_log(open_, database, ids):
    wipe(database, pages_of(database, "relations", "relations_target"))
    lost = recovered(open_)
    assert [line for line in lost if ids[2] in line or ids[4] in line] == [
        f"{ids[2]}: its supports {ids[3]} could not be read, or was taken away with one of the two"
    ]
    assert any("2 pages (of relations, relations_target) could not be read whole" in line for line in lost)


def test_memories_that_no_index_knows_any_more_are_counted_by_other_tables(open_, database, ids):
    named = ["sqlite_sequence", "sqlite_autoindex_memories_1"]
    pages = pages_of(database, *named)
    wipe(database, [*pages, pages_of(database, "memories")[-1]])
    lost = recovered(open_)
    with open_() as cortex:
        there = cortex.status().stores[0].memories - 1
    assert 0 < there < len(ids)
    assert sum("could not be read, and is in no backup" in line for line in lost) == len(ids) - there


def test_a_lost_memory_whose_id_is_damaged_too_goes_by_its_number(open_, database, ids):
    wipe(database, [pages_of(database, "memories")[-1]])
    gone = ids[-1].encode()
    data = database.read_bytes()
    assert data.count(gone) > 0
    database.write_bytes(data.replace(gone, gone[:8] + b'"' + gone[9:]))
    lost = recovered(open_)
    assert f"the memory number {len(ids)}: could not be read, and is in no backup" in lost


def test_a_memory_is_told_of_the_relation_that_it_lost_with_another(open_, database, ids):
    with open_() as cortex:
        cortex.link(ids[-1], ids[0], relation="supports")
    wipe(database, [pages_of(database, "memories")[-1]])
    lost = recovered(open_)
    assert f"{ids[0]}: a row of its relations to {ids[-1]} could not be read" in lost


@pytest.mark.parametrize("backup", [True, False], ids=["backup", "none"])
def test_a_memory_whose_id_is_damaged_everywhere_is_kept_under_another(open_, database, ids, backup):
    if backup:
        with open_() as cortex:
            cortex.backup()
    wipe(database, pages_of(database, "sqlite_autoindex_memories_1"))
    data = database.read_bytes()
    harmed = f"{ids[9][:8]}^{ids[9][9:]}"
    assert data.count(ids[9].encode()) == 1
    database.write_bytes(data.replace(ids[9].encode(), harmed.encode()))
    lost = recovered(open_)
    with open_() as cortex:
        kept = {memory.text: memory.id for memory in cortex.list(limit=200).memories}
    assert kept.keys() >= set(TEXTS)
    assert (kept[TEXTS[9]] == ids[9]) == backup
    assert any(kept[TEXTS[9]] in line and (backup or harmed in line) for line in lost)
