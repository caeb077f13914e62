"""Every row that is written is sealed as it is, whatever becomes of it.

And a changed value breaks its seal.
"""

from dataclasses import replace
from datetime import timedelta

import pytest
from acts import Act
from hypothesis import given, settings
from hypothesis import strategies as st
from lives import GIVEN, Life
from sealed import database, unfit
from servers import LAYOUTS

from example_memories import AT, attach, code, id_of, insert, memory, update
from generated import drawn
from recortex.domain.memory import ConstraintLink, FileLink, FunctionLink, PatternLink, Relation, Source
from recortex.domain.vocabulary import RelationType
from recortex.storage.database import copied_tables
from recortex.storage.transfer import copy

pytestmark = pytest.mark.filterwarnings("ignore:Do not use the `random` module")  # the pool's threads do
WRITES = (
    "insert", "insert", "insert", "update", "update", "relate", "relate", "unrelate", "version", "evidence",
    "touch", "embed", "delete", "fail",
)  # fmt: skip
SEALED = ("memories", "versions", "relations")


def unsealed(store):
    """Rows without a seal."""
    return [
        (table.name, row)
        for table in copied_tables()
        if table.name in SEALED
        for row in store.full_copy.page(table, None, 10_000)
        if row[table.names.index("seal")] is None
    ]


@settings(max_examples=drawn(15))
@given(random=st.randoms(use_true_random=False), length=st.integers(1, 80), layout=st.sampled_from(LAYOUTS))
def test_every_seal_fits_after_a_random_life(empty, random, length, layout):
    with empty(layout) as store:
        life = Life(random, "qz000zq")
        for _ in range(length):
            life.seconds += 1
            name = random.choice(WRITES)
            Act(name, tuple(GIVEN[name](life))).on(store)
        life.random.choice((str, store.relations.strip_evidence))("qz000")
        assert unfit(store) == []
        assert unsealed(store) == []


def furnished(store):
    """Two memories with links, a former state, and a relation."""
    one = replace(
        memory(1), files=(FileLink("a.py", 3, 9), FileLink("a.py")),
        functions=(FunctionLink("f", "a.py", "f()"),),
        patterns=(PatternLink("p", "first"), PatternLink("p", "last")),
        constraints=(ConstraintLink("c", "name"),), metadata={"a": 1}, summary="short", confidence=1,
        tags=("t",), valid_until=AT, validated_at=AT, source=Source(turn=3, session="s", branch="main"),
        supersedes=id_of(2), superseded_by=id_of(2),
    )  # fmt: skip
    insert(store, one, memory(2, "other"))
    kept = update(store, one, replace(one, text="changed", recorded_at=AT + timedelta(days=1)))
    with store.transaction():
        for at in (AT, AT + timedelta(days=1)):
            relation = Relation(one.id, id_of(2), RelationType.SUPPORTS, at, 1, ("because",))
            store.relations.put(relation)
    return kept


def test_a_relation_said_again_and_an_update_keep_what_they_do_not_change(store):
    furnished(store)
    assert [one.created_at for one in store.relations.all()] == [AT]
    assert [one.recorded_at for one in store.memories.get([id_of(1)])] == [AT]
    assert unfit(store) == []


OF_NO_SEAL = {"key", "access_count", "last_accessed_at", "embedding_key", "seal"}
"""A key changes with what refers to it; a seal is looked at by itself."""
LINKED = ("memory_files", "memory_functions", "memory_patterns", "memory_constraints")
CHANGED = {
    str: lambda value: value[:-1] + chr(ord(value[-1]) ^ 1) if value else "x",
    int: lambda value: value ^ 1,
    float: lambda value: value / 2,
    bytes: lambda value: bytes([value[0] ^ 1]) + value[1:],
}


@pytest.mark.parametrize("table", [*SEALED, *LINKED])
def test_any_changed_value_breaks_the_seal(store, table):
    furnished(store)
    (of,) = [one for one in copied_tables() if one.name == table]
    owners = {"memory_key", "source_key", "target_key", "place"} if table != "versions" else {"memory_key"}
    row = store.full_copy.page(of, None, 1)[0]
    tried = 0
    for name, value in zip(of.names, row, strict=True):
        if name in OF_NO_SEAL | owners or value is None:
            continue
        change = f"UPDATE {table} SET {name} = ? WHERE /*own*/ {name} = ?"  # noqa: S608
        other = CHANGED[type(value)](value)
        with store.transaction():
            database(store).rows(change, (other, value))
            assert unfit(store), name
            database(store).rows(change, (value, other))
        tried += 1
    assert tried >= len(of.columns) - len(OF_NO_SEAL) - len(owners)
    assert unfit(store) == []


def test_what_no_seal_is_of_may_change(store):
    kept = furnished(store)
    store.memories.touch([kept.id], AT)
    attach(store, kept, code(1))
    assert unfit(store) == []


@pytest.mark.parametrize("layout", ["postgres"])
def test_a_copy_of_a_store_has_its_seals(empty, layout):
    with empty("sqlite") as source, empty(layout) as target, empty("sqlite") as back:
        furnished(source)
        for one, other in ((source, target), (target, back)):
            copy(copied_tables(), one.full_copy, other.full_copy, lambda *_: None)
            assert unfit(other) == []
            assert unsealed(other) == []
