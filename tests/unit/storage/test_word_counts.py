"""Counts and places of words that are kept are those that the index gives, whoever writes."""

from contextlib import closing, suppress
from dataclasses import replace
from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from example_memories import AT, NO_MORE, bury, insert, memory, update
from generated import drawn
from recortex.domain.vocabulary import Actor
from recortex.storage.sqlite import store as sqlite_store
from recortex.storage.sqlite.maintenance import rebuild_index
from recortex.storage.sqlite.store import SqliteStore

WORDS = ("cache", "queue", "token", "parser")
ASKED = [["cache", "queue"], ["token parser", "cache"], ["parser", "Queue", "lock"], []] * 40
"""The words of so many new memories that what is held of the index answers."""
ACTS = ("add", "edit", "edit", "swap", "bury", "rebuild", "compact", "roll back")


class Life:
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


@given(acts=st.lists(st.sampled_from(ACTS), max_size=20), seed=st.integers(0, 2**32))
@settings(deadline=None, max_examples=drawn(20))
def test_what_is_kept_is_what_the_index_has_whoever_writes(tmp_path_factory, acts, seed):
    path = tmp_path_factory.mktemp("life") / "store.db"
    stores = [SqliteStore(path, backups=path.parent / "backups", clock=lambda: AT) for _ in range(2)]
    with closing(stores[0]), closing(stores[1]):
        life = Life(stores, Random(seed))  # noqa: S311  seeded on purpose
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
