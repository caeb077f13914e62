"""Searching by common words.

What must be together, what only counts in the score, and how many are scored.
"""

import pytest

from example_memories import insert, memory
from recortex.storage.postgres import words as postgres_words
from recortex.storage.records.rows import INDEXED
from recortex.storage.sqlite import store as sqlite_search


def keys_of(matches):
    return [key for key, _ in matches]


@pytest.fixture
def three(store):
    """Two memories with a word each, one with both, and others."""
    texts = ("alpha is here", "beta is here", "alpha and beta are here", *(f"filler {n}" for n in range(8)))
    return insert(store, *(memory(number, text) for number, text in enumerate(texts, 1)))[:3]


def test_every_word_must_be_there_where_that_is_asked(store, three):
    alpha, beta, both = three
    assert set(keys_of(store.search.match(["alpha", "beta"], 9, None))) == {alpha, beta, both}
    assert keys_of(store.search.match(["alpha", "beta"], 9, None, all_required=True)) == [both]
    assert store.search.match(["alpha", "unheard"], 9, None, all_required=True) == []


def test_words_beside_find_nothing_but_count(store, three):
    alpha, beta, both = three
    plain = dict(store.search.match(["alpha"], 9, None))
    more = store.search.match(["alpha"], 9, None, score_only=["beta"])
    assert keys_of(more) == [both, alpha]
    assert beta not in dict(more)
    assert dict(more)[alpha] == pytest.approx(plain[alpha], rel=1e-6)
    assert dict(more)[both] == pytest.approx(
        dict(store.search.match(["alpha", "beta"], 9, None))[both], rel=1e-6
    )


@pytest.mark.usefixtures("three")
def test_words_beside_that_nobody_holds_change_nothing(store):
    assert store.search.match(["alpha"], 9, None, score_only=["unheard"]) == store.search.match(
        ["alpha"], 9, None
    )
    assert store.search.match([], 9, None, score_only=["alpha"]) == []


def test_of_more_than_can_be_scored_the_latest_are(store, monkeypatch):
    for module in (sqlite_search, postgres_words):
        monkeypatch.setattr(module, "MOST_SCORED", 3)
    keys = insert(store, *(memory(number, f"alpha {number}") for number in range(1, 9)))
    assert sorted(keys_of(store.search.match(["alpha"], 9, None))) == keys[-3:]
    assert len(store.search.match(["alpha"], 2, None)) == 2


@pytest.fixture
def few_counted(monkeypatch):
    """Of a store that is opened from now on, fifty memories with a word are counted."""
    monkeypatch.setitem(INDEXED, "memories", INDEXED["memories"]._replace(counted=50))


@pytest.mark.usefixtures("few_counted")
def test_the_frequency_of_a_common_word_is_about_right(store):
    texts = [f"alpha {number}" if number % 3 else f"beta {number}" for number in range(300)]
    insert(store, *(memory(number, text) for number, text in enumerate(texts, 1)))
    (alpha, one) = store.search.frequencies(["alpha", "17"])
    assert 195 <= alpha <= 205
    assert one == 1
