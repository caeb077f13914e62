"""The contract of `ports.store.Vectors`, and of the search by likeness, on every engine."""

import numpy as np
import pytest

from example_memories import (
    AT,
    DIMENSIONS,
    MODEL,
    attach,
    bury,
    changed,
    code,
    id_of,
    insert,
    memory,
    question_vector,
)
from recortex.domain.search import MemoryQuery
from recortex.domain.vocabulary import Status

OTHER = "another-model"


def test_likeness_search_finds_the_near_vector_first(store):
    near, far = memory(1, "near"), memory(2, "far")
    keys = insert(store, near, far)
    attach(store, near, code(1, 1, 1, -1))
    attach(store, far, code(-1, -1, -1, 1))
    asked = question_vector(1, 1, 1, -1)
    assert store.vectors.available
    assert store.search.nearest(asked, 2, None, MODEL) == keys
    assert store.search.nearest(asked, 1, None, MODEL) == keys[:1]
    assert store.search.nearest(asked, 2, None, OTHER) == []
    assert store.search.nearest(asked, 2, MemoryQuery(tags=("none",)), MODEL) == []
    assert store.search.vectors(keys, MODEL)[keys[0]] == code(1, 1, 1, -1)
    assert store.search.vectors(keys, OTHER) == {}


def test_memories_that_say_the_same_share_a_vector(store):
    one, other = memory(1, "the same"), memory(2, "the same")
    insert(store, one, other)
    assert attach(store, one, code(1, -1)) == attach(store, other, code(1, -1))
    assert store.vectors.agrees()
    assert store.maintenance.vector_sharing() == (2, 1, 0)
    bury(store, one.id)
    with store.transaction():
        assert store.vectors.drop_unused() == 0
    bury(store, other.id)
    with store.transaction():
        assert store.vectors.drop_unused() == 1
    assert store.vectors.agrees()


def test_every_int8_code_is_kept_exactly(store):
    every = (np.arange(DIMENSIONS) % 256 - 128).astype(np.int8).tobytes()
    (key,) = insert(store, memory())
    attach(store, memory(), every)
    assert store.vectors.codes_of([id_of(1), "nobody"], MODEL) == {id_of(1): every}
    assert store.vectors.codes_of([id_of(1)], OTHER) == {}
    assert store.search.vectors([key, key + 1], MODEL) == {key: every}
    (facts,) = store.search.facts([key], MemoryQuery(), MODEL)
    assert facts.vector == every


@pytest.mark.parametrize("dimensions", [1, 7, 64, 1024])
def test_vectors_of_any_length_are_kept_and_searched(store, dimensions):
    (key,) = insert(store, memory())
    vector = bytes([1, 255][place % 2] for place in range(dimensions))
    attach(store, memory(), vector)
    assert store.vectors.codes_of([id_of(1)], MODEL) == {id_of(1): vector}
    asked = np.ones(dimensions, "<f4").tobytes()
    if dimensions % 8 == 0:  # no embedder has others, and sqlite-vec takes no others
        assert store.search.nearest(asked, 3, None, MODEL) == [key]


def test_vectors_are_known_by_their_hash(store):
    with store.transaction():
        keys = store.vectors.put(MODEL, {b"a" * 16: code(1), b"b" * 16: code(-1)})
        assert store.vectors.put(MODEL, {b"a" * 16: code(1)}) == {b"a" * 16: keys[b"a" * 16]}
    assert store.vectors.keys_of([b"b" * 16, b"c" * 16]) == {b"b" * 16: keys[b"b" * 16]}


def test_a_vector_is_attached_only_to_the_text_that_it_was_made_for(store):
    insert(store, memory())
    with store.transaction():
        keys = store.vectors.put(MODEL, {b"a" * 16: code(1)})
        store.vectors.attach([(id_of(1), keys[b"a" * 16], b"\0" * 32)])
    assert store.vectors.codes_of([id_of(1)], MODEL) == {}


def test_what_waits_for_a_vector(store):
    insert(store, *(memory(n, f"{n}", priority=n + 1) for n in range(3)))
    insert(store, memory(3, "code", "code"), memory(4, "old", status=Status.ARCHIVED))
    assert set(store.vectors.pending(9)) == {id_of(0), id_of(1), id_of(2)}
    assert store.vectors.pending(9, best_first=True) == [id_of(2), id_of(1), id_of(0)]
    assert store.vectors.pending(1, best_first=True) == [id_of(2)]
    assert store.vectors.count_pending() == 3
    attach(store, memory(1, "1"), code(1))
    attach(store, memory(2, "2"), code(1), OTHER)
    assert store.vectors.pending(9) == [id_of(0)]
    changed(store, id_of(0), status=Status.ARCHIVED, updated_at=AT)
    assert store.vectors.pending(9) == []
    assert store.vectors.count_pending() == 0


def test_vectors_of_two_models_are_never_mixed(store):
    keys = insert(store, memory(1, "one"), memory(2, "other"))
    attach(store, memory(1, "one"), code(1))
    attach(store, memory(2, "other"), code(1), OTHER)
    assert store.search.nearest(question_vector(1), 9, None, MODEL) == keys[:1]
    assert store.search.nearest(question_vector(1), 9, None, OTHER) == keys[1:]
    facts = {one.key: one.vector for one in store.search.facts(keys, MemoryQuery(), MODEL)}
    assert facts == {keys[0]: code(1), keys[1]: None}


def test_word_pieces_are_kept_with_their_vector_and_gone_with_it(store):
    keys = insert(store, memory(1, "one"), memory(2, "other"))
    vector = attach(store, memory(1, "one"), code(1))
    attach(store, memory(2, "other"), code(-1))
    for pieces in (b"a" * 24, bytes(48)):  # the later ones count
        with store.transaction():
            store.vectors.put_pieces({vector: pieces})
    assert store.search.pieces(keys, MODEL) == {keys[0]: bytes(48)}
    assert store.search.pieces(keys, OTHER) == {}
    assert store.vectors.forget(MODEL) == 2
    attach(store, memory(1, "one"), code(1))
    assert store.search.pieces(keys, MODEL) == {}


def test_few_vectors_need_no_index(store):
    insert(store, memory())
    attach(store, memory(), code(1))
    assert store.vectors.keep_index() == 0
    assert store.vectors.index_state() is None
