"""What a process finds among vectors in memory is what a scan of the database finds, whoever writes."""

from contextlib import closing, suppress
from random import Random

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from example_memories import AT, MODEL, NO_MORE, attach, bury, insert, memory
from generated import drawn
from recortex.domain.search import MemoryQuery
from recortex.domain.vocabulary import Actor
from recortex.storage.records import search as of_both_engines
from recortex.storage.sqlite.store import SqliteStore
from recortex.storage.sqlite.vector_index import MOST, VectorsInMemory

WIDTH, LIMIT = 70, 6
ACTS = ("add", "add many", "bury newest", "bury some", "share", "afresh", "roll back", "compact")


def opened(path, *, most=MOST):
    store = SqliteStore(path, backups=path.parent / "backups", clock=lambda: AT)
    store.search._held = store._held = VectorsInMemory(store.pool, most=most)
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
        held, read = mine.search._held, []
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
        assert mine.search._held._held == {}


def test_vectors_of_two_lengths_are_left_to_the_database(tmp_path):
    with closing(opened(tmp_path / "store.db")) as mine:
        life = Life(mine, mine, Random(1))  # noqa: S311  seeded on purpose
        life.add()
        life.compare()
        one = life.made("")
        insert(mine, one)
        attach(mine, one, b"\x01" * (WIDTH + 9))
        asked = np.array(vector(7), "<f4").tobytes()
        assert mine.search._held.nearest(1, asked, LIMIT) is None
        life.living.append(one)
        keys = [1, 2]
        facts = mine.search.facts(keys, MemoryQuery(), MODEL)
        assert [len(fact.vector) for fact in sorted(facts)] == [WIDTH, WIDTH + 9]
