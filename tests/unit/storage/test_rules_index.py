"""The few memories of the kinds that hold rules, and those of files, are found without reading all others."""

from contextlib import closing

from example_memories import AT, insert, memory
from recortex.domain.search import MemoryQuery
from recortex.domain.vocabulary import Status
from recortex.engines.context import STANDING_KINDS
from recortex.storage.database import queries
from recortex.storage.records import ledger
from recortex.storage.records.rows import RULES, order, where
from recortex.storage.sqlite.store import SqliteStore


def plan(store, query):
    condition, values = where(query)
    sql = f"SELECT m.key FROM memories m WHERE {condition} ORDER BY {order(query)}"  # noqa: S608
    return " ".join(row[3] for row in store.pool.rows(f"EXPLAIN QUERY PLAN {sql}", values))


def test_the_index_is_for_the_kinds_that_a_context_asks_for(tmp_path):
    assert sorted(STANDING_KINDS) == list(RULES)
    with closing(SqliteStore(tmp_path / "store.db", backups=tmp_path / "backups", clock=lambda: AT)) as store:
        rules = [memory(n, f"rule {n}", kind=kind, priority=n) for n, kind in enumerate(RULES, 1)]
        insert(store, *rules, memory(9, "no rule", priority=9))
        everything = MemoryQuery(kinds=STANDING_KINDS, order="importance")
        some = MemoryQuery(kinds=STANDING_KINDS[:2], order="importance", limit=1)
        for query in (everything, some):
            assert "memories_rules" in plan(store, query)
            assert "TEMP B-TREE" not in plan(store, query)
        assert store.memories.find(everything) == rules[::-1]
        assert store.memories.find(some) == [one for one in rules[::-1] if one.kind in some.kinds][:1]
        assert "memories_rules" not in plan(store, MemoryQuery(kinds=("tribal", "core"), order="importance"))


def test_what_files_say_is_found_by_its_index(tmp_path):
    with closing(SqliteStore(tmp_path / "store.db", backups=tmp_path / "backups", clock=lambda: AT)) as store:
        for statuses in ((), (Status.ACTIVE, Status.PROPOSED)):
            assert "memories_written" in plan(store, MemoryQuery(in_files=True, statuses=statuses))


def test_what_may_come_first_in_a_brief_is_found_by_its_index(tmp_path):
    with closing(SqliteStore(tmp_path / "store.db", backups=tmp_path / "backups", clock=lambda: AT)) as store:
        known = queries("statistics", "sqlite")
        steps = store.pool.rows(
            f"EXPLAIN QUERY PLAN {known['columns']} {known['foremost']}", (0, 1, "[]", "[]", "[]")
        )
        used = " ".join(row[3] for row in steps)
        assert all(name in used for name in ("memories_recorded", "memories_written"))
        for name, values in (("told", (1,)), ("told_of_each", ())):
            steps = store.pool.rows(f"EXPLAIN QUERY PLAN {known[name]}", values)
            assert all("memories_told" in row[3] for row in steps if " memories " in row[3])


def test_what_was_learned_in_a_session_is_found_by_its_index(tmp_path):
    with closing(SqliteStore(tmp_path / "store.db", backups=tmp_path / "backups", clock=lambda: AT)) as store:
        assert "memories_session" in plan(store, MemoryQuery(session="s"))
        steps = store.pool.rows(
            f"EXPLAIN QUERY PLAN {queries('memories', 'sqlite')['neighbours']}", ("s", 1, 2)
        )
        assert "memories_session" in steps[0][3]


def test_of_each_group_as_many_are_taken_as_all_of_them_need():
    for sizes in ([1, 5, 9], [4, 4, 4], [1], [2, 100], [3] * 7):
        for wanted in range(1, sum(sizes) + 3):
            share = ledger._share(sizes, wanted)
            taken = [sum(min(size, each) for size in sizes) for each in (share, share - 1)]
            assert taken[0] >= min(wanted, sum(sizes))
            assert share == 1 or taken[1] < wanted
    assert ledger._share([], 3) == 1
