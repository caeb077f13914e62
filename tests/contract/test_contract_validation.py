"""What a validation leaves behind in a store: columns of a memory that are no state of it."""

from dataclasses import replace
from datetime import timedelta

from example_memories import AT, id_of, insert, memory, update
from recortex.domain.memory import FileLink
from recortex.domain.reports import Check
from recortex.domain.text import to_micros
from recortex.domain.vocabulary import Origin, Status
from recortex.storage.records import rows as kept_rows

LINK = FileLink("src/a.py", 3, 8, "f" * 64, "c" * 40, "2.signature")
LATER = AT + timedelta(hours=5)


def kept(store, number=1):
    (one,) = store.statistics.find_by_ids([id_of(number)])
    return one.checked_at, one.standing, one.standing_since


def note(store, *checks, at=AT):
    with store.transaction():
        store.memories.check(checks, at)


def found(number, cited, verdict=""):
    return Check(id_of(number), AT, cited, verdict)


def test_a_check_is_kept_beside_the_state_and_since_when_it_holds(store):
    insert(store, memory(1, files=(LINK,)))
    assert kept(store) == (None, None, None)
    note(store, found(1, 0.5, "citation:moderate"))
    assert kept(store) == (to_micros(AT), 0.5, to_micros(AT))
    note(store, found(1, 0.5, "citation:moderate"), at=LATER)
    assert kept(store) == (to_micros(LATER), 0.5, to_micros(AT))
    note(store, found(1, None), at=LATER)
    assert kept(store) == (to_micros(LATER), None, to_micros(LATER))
    (one,) = store.memories.get([id_of(1)])
    assert (one.version, one.files, len(store.memories.history(one.id))) == (1, (LINK,), 1)


def test_a_state_that_changed_meanwhile_is_left_alone(store):
    insert(store, memory(1))
    note(store, Check(id_of(1), LATER, 1.0, ""))
    assert kept(store) == (None, None, None)


def test_a_change_keeps_the_check_unless_other_code_is_cited(store):
    insert(store, memory(1, files=(LINK,)))
    note(store, found(1, 0.5, "citation:moderate"))
    (old,) = store.memories.get([id_of(1)])
    retagged = update(store, old, replace(old, tags=("db",), updated_at=LATER))
    assert kept(store)[1] == 0.5
    assert store.memories.verdicts([id_of(1)]) == {id_of(1): "citation:moderate"}
    update(store, retagged, replace(retagged, files=(replace(LINK, path="src/b.py"),), updated_at=LATER))
    assert kept(store) == (None, None, None)
    assert store.memories.verdicts([id_of(1)]) == {}


def test_those_that_were_never_checked_come_first_then_the_longest_ago(store):
    insert(store, *(memory(number, f"Fact {number}") for number in range(1, 5)))
    insert(store, memory(5, status=Status.ARCHIVED), memory(6, origin=Origin.REPOSITORY))
    insert(store, memory(7, kind="code"))
    note(store, found(1, 1.0), at=LATER)
    note(store, found(2, 1.0))
    assert store.memories.unchecked(LATER, 9) == [id_of(3), id_of(4), id_of(2), id_of(1)]
    assert store.memories.unchecked(AT, 9) == [id_of(3), id_of(4), id_of(2)]
    assert store.memories.unchecked(AT, 1) == [id_of(3)]


def test_rows_that_were_sealed_before_there_were_signatures_still_fit(store):
    plain = replace(LINK, signature="")
    (key,) = insert(store, memory(1, files=(plain,)))
    database = store.database
    row = database.rows("SELECT path, line_start, line_end, content_hash, commit_id FROM memory_files "
                        "WHERE /*own*/ memory_key = ?", (key,))[0]  # fmt: skip
    assert kept_rows._since_sealed("files", [(*row, "")]) == [tuple(row)]
    assert list(kept_rows.unfit_rows(database.rows, database.queries("memories"))) == []
    with store.transaction():
        database.rows("UPDATE memory_files SET signature = 'x' WHERE /*own*/ memory_key = ?", (key,))
    assert [one.id for one in kept_rows.unfit_rows(database.rows, database.queries("memories"))] == [id_of(1)]
