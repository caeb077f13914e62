"""Indexes that are kept in memory or beside the store."""

from contextlib import closing, suppress
from dataclasses import replace
from random import Random

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from example_memories import AT, MODEL, NO_MORE, attach, bury, insert, memory, update
from generated import drawn
from recortex.domain.search import MemoryQuery
from recortex.domain.vocabulary import Actor, Status
from recortex.engines.context import STANDING_KINDS
from recortex.storage.database import queries
from recortex.storage.records import memories, search
from recortex.storage.records import search as of_both_engines
from recortex.storage.records.rows import RULES, order, where
from recortex.storage.records.search import SignsInMemory
from recortex.storage.sqlite import store as sqlite_store
from recortex.storage.sqlite.maintenance import rebuild_index
from recortex.storage.sqlite.store import SqliteStore
from recortex.storage.sqlite.vector_index import MOST, VectorsInMemory


# -- The few memories of the kinds that hold rules, and those of files, are found without reading all
# others.
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
            share = memories._share(sizes, wanted)
            taken = [sum(min(size, each) for size in sizes) for each in (share, share - 1)]
            assert taken[0] >= min(wanted, sum(sizes))
            assert share == 1 or taken[1] < wanted
    assert memories._share([], 3) == 1


# -- The copy of signs in memory finds what a scan would, whatever became of the vectors since.
SIGNED, BYTES, FIRST = 1, 13, -(2**31)


def scanned(kept, signs, wanted):
    asked = int.from_bytes(signs, "little")
    differing = {key: (int.from_bytes(one, "little") ^ asked).bit_count() for key, one in kept.items()}
    return sorted(differing, key=lambda key: (differing[key], key))[:wanted]


@pytest.mark.parametrize("stretch", [search._STRETCH, 8])
def test_it_finds_what_a_scan_finds_while_vectors_come(monkeypatch, stretch):
    monkeypatch.setattr(search, "_STRETCH", stretch)
    random, kept, reads = Random(1), {}, []  # noqa: S311  seeded on purpose

    def read(_, newest):
        rows = sorted((key, one) for key, one in kept.items() if key >= newest)
        reads.append(len(rows))
        return rows

    signs = SignsInMemory(read, FIRST)
    assert signs.closest(SIGNED, random.randbytes(BYTES), 5) == []
    for _ in range(30):
        for _ in range(random.randint(0, 9)):
            kept[max(kept, default=FIRST - 1) + 1] = random.randbytes(BYTES)
        for wanted in (1, 9, 10_000):
            asked = random.randbytes(BYTES)
            assert signs.closest(SIGNED, asked, wanted) == scanned(kept, asked, wanted)
        some = dict(random.sample(sorted(kept.items()), len(kept) // 2))
        assert signs.closest(SIGNED, asked, 9, among=[*some, -1]) == scanned(some, asked, 9)
    assert max(reads) < 12  # what came since, and the newest before


def test_a_newest_vector_that_is_gone_or_another_is_noticed():
    kept = {-9: b"\x01", -8: b"\x02", -7: b"\x04"}

    def read(_, newest):
        return sorted((key, one) for key, one in kept.items() if key >= newest)

    signs = SignsInMemory(read, FIRST)
    assert signs.closest(SIGNED, b"\x04", 1) == [-7]
    kept[-7] = b"\xf0"
    assert signs.closest(SIGNED, b"\x04", 3) == [-9, -8, -7]
    del kept[-7]
    assert signs.closest(SIGNED, b"\xf0", 9) == [-9, -8]
    kept.clear()
    assert signs.closest(SIGNED, b"\xf0", 9) == []


# -- What a process finds among vectors in memory is what a scan of the database finds, whoever writes.
WIDTH, LIMIT = 70, 6
ACTS = ("add", "add many", "bury newest", "bury some", "share", "afresh", "roll back", "compact")


def opened(path, *, most=MOST):
    store = SqliteStore(path, backups=path.parent / "backups", clock=lambda: AT)
    store.vectors.held = VectorsInMemory(store.pool, most=most)
    return store


def vector(seed):
    return Random(seed).choices((-0.9, -0.5, 0.2, 0.7), k=WIDTH)  # noqa: S311  seeded on purpose


class Life:
    """One store under two connections, of which one holds vectors and the other never does; both write."""

    def __init__(self, mine, other, random):
        self.mine, self.other, self.random = mine, other, random
        self.living, self.number, self.epoch = [], 0, 0

    def code(self, text):
        return np.rint(np.array(vector(f"{text} {self.epoch}")) * 100).astype(np.int8).tobytes()

    def writer(self):
        return self.random.choice([self.mine, self.other])

    def made(self, text):
        self.number += 1
        return memory(self.number, text or f"fact {self.number}")

    def add(self, text=""):
        one, store = self.made(text), self.writer()
        insert(store, one)
        attach(store, one, self.code(one.text))
        self.living.append(one)

    def add_many(self):
        for _ in range(9):
            self.add()

    def share(self):
        self.add("what two say")

    def bury_newest(self):
        self.bury(self.living[-1:])

    def bury_some(self):
        self.bury(self.random.sample(self.living, len(self.living) // 3))

    def bury(self, some):
        store = self.writer()
        for one in some:
            bury(store, one.id)
            self.living.remove(one)
        with store.transaction():
            store.vectors.drop_unused()

    def afresh(self):
        """All vectors are made again, in another order, by another state of the model."""
        store = self.writer()
        store.vectors.forget(MODEL)
        self.epoch += 1
        for one in self.random.sample(self.living, len(self.living)):
            attach(store, one, self.code(one.text))

    def roll_back(self):
        one = self.made("")
        with suppress(ZeroDivisionError), self.mine.transaction():
            self.mine.memories.insert(one, NO_MORE, actor=Actor.USER)
            attach(self.mine, one, self.code(one.text))
            self.compare(self.mine)
            raise ZeroDivisionError

    def compact(self):
        self.writer().compact()

    def compare(self, reader=None):
        """What the first connection finds is what a scan on another finds that sees the same."""
        scan = (reader or self.other).search
        asked = np.array(vector(self.random.random()), "<f4").tobytes()
        model = self.mine.vectors.model_key(MODEL)
        found = self.mine.search.nearest(asked, LIMIT, None, MODEL)
        assert found == (of_both_engines.SearchRecords._by_signs(scan, model, asked, LIMIT, None))
        keys, every = list(range(1, self.number + 1)), MemoryQuery()
        facts = of_both_engines.SearchRecords._facts_with_vectors(scan, keys, every, model)
        assert sorted(self.mine.search.facts(keys, every, MODEL)) == sorted(facts)
        assert len(facts) == len(self.living) + (reader is not None)


@pytest.mark.parametrize("many", [10**9, 12], ids=["by signs", "by signs and codes"])
@given(acts=st.lists(st.sampled_from(ACTS), max_size=20), seed=st.integers(0, 2**32))
@example(acts=["add many", "share", "share", "bury newest", "add", "afresh", "bury some", "add many"], seed=1)
@settings(deadline=None, max_examples=drawn(20))
def test_held_and_read_vectors_agree_whoever_writes(tmp_path_factory, many, acts, seed):
    path = tmp_path_factory.mktemp("life") / "store.db"
    with (
        pytest.MonkeyPatch.context() as patch,
        closing(opened(path)) as mine,
        closing(opened(path, most=0)) as other,
    ):
        patch.setattr(of_both_engines, "MANY", many)
        patch.setattr(of_both_engines, "COARSE", LIMIT + 2)
        life = Life(mine, other, Random(seed))  # noqa: S311  seeded on purpose
        life.add()
        for act in acts:
            if life.living or act.startswith("add"):
                getattr(life, act.replace(" ", "_"))()
            life.compare()


def test_only_what_came_since_is_read_and_nothing_by_a_process_that_asks_once(tmp_path, monkeypatch):
    with closing(opened(tmp_path / "store.db")) as mine:
        life = Life(mine, mine, Random(1))  # noqa: S311  seeded on purpose
        for _ in range(5):
            life.add_many()
        held, read = mine.vectors.held, []
        monkeypatch.setattr(
            held, "_read", lambda *asked: read.append(asked[1].last) or VectorsInMemory._read(held, *asked)
        )
        asked = np.array(vector(7), "<f4").tobytes()
        mine.search.nearest(asked, LIMIT, None, MODEL)
        assert read == []
        mine.search.nearest(asked, LIMIT, None, MODEL)
        life.add()
        mine.search.nearest(asked, LIMIT, None, MODEL)
        assert read == [0, 45]
        mine.compact()
        assert held._held == {}


def test_a_store_of_too_many_vectors_is_never_read_whole(tmp_path):
    with closing(opened(tmp_path / "store.db", most=3)) as mine:
        life = Life(mine, mine, Random(1))  # noqa: S311  seeded on purpose
        for _ in range(5):
            life.add()
            life.compare()
        assert mine.vectors.held._held == {}


def test_vectors_of_two_lengths_are_left_to_the_database(tmp_path):
    with closing(opened(tmp_path / "store.db")) as mine:
        life = Life(mine, mine, Random(1))  # noqa: S311  seeded on purpose
        life.add()
        life.compare()
        one = life.made("")
        insert(mine, one)
        attach(mine, one, b"\x01" * (WIDTH + 9))
        asked = np.array(vector(7), "<f4").tobytes()
        assert mine.vectors.held.nearest(1, asked, LIMIT) is None
        life.living.append(one)
        keys = [1, 2]
        facts = mine.search.facts(keys, MemoryQuery(), MODEL)
        assert [len(fact.vector) for fact in sorted(facts)] == [WIDTH, WIDTH + 9]


# -- Counts and places of words that are kept are those that the index gives, whoever writes.
WORDS = ("cache", "queue", "token", "parser")
ASKED = [["cache", "queue"], ["token parser", "cache"], ["parser", "Queue", "lock"], []] * 40
"""The words of so many new memories that what is held of the index answers."""
WORD_ACTS = ("add", "edit", "edit", "swap", "bury", "rebuild", "compact", "roll back")


class WordLife:
    """One store under two connections; the first one asks, both write."""

    def __init__(self, stores, random):
        self.stores, self.random = stores, random
        self.living, self.number = [], 0

    def text(self):
        return " ".join(self.random.choices(WORDS, k=2))

    def writer(self):
        return self.random.choice(self.stores)

    def add(self):
        self.number += 1
        self.living.append(memory(self.number, self.text()))
        insert(self.writer(), self.living[-1])

    def edit(self):
        place = self.random.randrange(len(self.living))
        old = self.living[place]
        self.living[place] = update(self.writer(), old, replace(old, text=self.text()))

    def swap(self):
        """One goes and one like it comes: as many rows and words as before."""
        store, gone = self.writer(), self.living.pop()
        self.number += 1
        self.living.append(memory(self.number, self.text()))
        with store.transaction():
            store.memories.delete(gone.id)
            store.memories.insert(self.living[-1], NO_MORE, actor=Actor.USER)

    def bury(self):
        bury(self.writer(), self.living.pop().id)

    def rebuild(self):
        rebuild_index(self.writer().pool)

    def compact(self):
        self.writer().compact()

    def roll_back(self):
        self.number += 1
        with suppress(ZeroDivisionError), self.stores[0].transaction():
            made = memory(self.number, self.text())
            self.stores[0].memories.insert(made, NO_MORE, actor=Actor.USER)
            self.living.append(made)
            self.compare()
            raise ZeroDivisionError
        self.living.pop()

    def compare(self):
        found = self.stores[0].search.frequencies(WORDS)
        assert found == [sum(word in one.text for one in self.living) for word in WORDS]
        found = self.stores[0].search.candidates_of_all(ASKED)
        assert found == [self.stores[0].search.candidates(one) for one in ASKED]


@given(acts=st.lists(st.sampled_from(WORD_ACTS), max_size=20), seed=st.integers(0, 2**32))
@settings(deadline=None, max_examples=drawn(20))
def test_what_is_kept_is_what_the_index_has_whoever_writes(tmp_path_factory, acts, seed):
    path = tmp_path_factory.mktemp("life") / "store.db"
    stores = [SqliteStore(path, backups=path.parent / "backups", clock=lambda: AT) for _ in range(2)]
    with closing(stores[0]), closing(stores[1]):
        life = WordLife(stores, Random(seed))  # noqa: S311  seeded on purpose
        life.add()
        for act in acts:
            if life.living or act == "add":
                getattr(life, act.replace(" ", "_"))()
            life.compare()


def test_a_word_is_counted_once_and_not_too_many_are_kept(tmp_path, monkeypatch):
    with closing(SqliteStore(tmp_path / "store.db", backups=tmp_path / "backups", clock=lambda: AT)) as store:
        insert(store, memory(1, "cache of the queue"))
        counted, counts = [], store.keywords["memories"]._counts
        inner = counts._count
        monkeypatch.setattr(counts, "_count", lambda words: counted.append(list(words)) or inner(words))
        monkeypatch.setattr(sqlite_store, "MOST_KEPT", 2)
        assert store.search.frequencies(["cache", "queue"]) == [1, 1]
        assert store.search.frequencies(["queue", "token"]) == [1, 0]
        assert store.search.frequencies(["cache", "token"]) == [1, 0]
        assert counted == [["cache", "queue"], ["token"], ["cache", "token"]]
