"""What is kept is given back as it was, and every filter means what the domain says, on every engine."""

from dataclasses import replace
from datetime import UTC, datetime

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from servers import LAYOUTS

from example_memories import insert
from generated import memories, queries, stores, texts
from recortex.codec import dumps, memory_from_json
from recortex.domain.memory import FileLink, FunctionLink
from recortex.domain.search import MemoryQuery, SearchText, matches
from recortex.domain.vocabulary import Actor

pytestmark = pytest.mark.filterwarnings("ignore:Do not use the `random` module")  # the pool's threads do
EVERYTHING = MemoryQuery(statuses=(), descending=False)


def without_nul(value):
    """PostgreSQL has no NUL in texts."""
    return value.replace("\0", "\x01")


def storable(memory):
    """The memory with another character for NUL."""
    plain = dumps(msgspec.to_builtins(memory)).decode().replace("\\u0000", "\\u0001")
    made = memory_from_json(msgspec.json.decode(plain))
    once = {
        name: tuple({link.id: link for link in getattr(made, name)}.values())
        for name in ("patterns", "constraints")
    }
    return replace(made, **once)


whole = memories().map(storable)
words = texts.map(without_nul)


@pytest.fixture(scope="module", params=LAYOUTS)
def store(request, empty):
    with empty(request.param) as opened:
        yield opened


def emptied(store):
    with store.transaction():
        for memory in store.memories.find(EVERYTHING):
            store.memories.delete(memory.id)
    return store


@given(memory=whole)
def test_insert_and_get_is_lossless(store, memory):
    insert(emptied(store), memory)
    assert store.memories.get([memory.id]) == [memory]


@pytest.mark.full
@given(rows=st.lists(whole, max_size=4, unique_by=lambda memory: memory.id))
def test_many_at_once_are_the_same_as_one_by_one(store, rows):
    insert(emptied(store), *rows)
    at_once = store.memories.find(EVERYTHING)
    emptied(store)
    for memory in rows:
        insert(store, memory)
    assert store.memories.find(EVERYTHING) == at_once
    assert store.memories.get([memory.id for memory in rows]) == rows


@given(rows=stores(), query=queries)
def test_every_filter_means_what_the_domain_says(store, rows, query):
    insert(emptied(store), *rows)
    wanted = {memory.id for memory in rows if matches(query, memory)}
    page = replace(query, limit=None, offset=0)
    assert {memory.id for memory in store.memories.find(page)} == wanted
    assert store.memories.count(query) == len(wanted)


@given(rows=stores(), query=queries)
def test_order_limit_and_offset_cut_a_page_of_the_whole(store, rows, query):
    insert(emptied(store), *rows)
    whole = store.memories.find(replace(query, limit=None, offset=0))
    keys = [_sort_key(query.order, memory) for memory in whole]
    assert keys == sorted(keys, reverse=query.descending)
    end = None if query.limit is None else query.offset + query.limit
    assert store.memories.find(query) == whole[query.offset : end]


def _sort_key(order, memory):
    accessed = memory.last_accessed_at or datetime(1970, 1, 1, tzinfo=UTC)
    return {
        "recorded": memory.recorded_at, "updated": memory.updated_at, "accessed": accessed,
        "importance": memory.priority, "confidence": memory.confidence,
    }[order]  # fmt: skip


@given(old=whole, new=whole)
def test_a_change_keeps_the_former_state_whole(store, old, new):
    insert(emptied(store), old)
    new = replace(new, id=old.id, recorded_at=old.recorded_at, access_count=old.access_count)
    new = replace(new, last_accessed_at=old.last_accessed_at)
    with store.transaction():
        kept = store.memories.update(old, new, SearchText(), actor=Actor.AGENT, reason="r", keep_vector=False)
    assert store.memories.get([old.id]) == [kept]
    assert replace(kept, updated_at=new.updated_at, version=new.version) == new
    newest, former = store.memories.history(old.id)
    assert former.memory == old
    assert former.recorded_to == newest.recorded_from == kept.updated_at >= old.updated_at
    assert (newest.changed_by, newest.reason) == (Actor.AGENT, "r")


@given(word=texts)
def test_any_text_may_be_searched_for(store, word):
    store.search.match([word], 5, None)
    store.search.frequencies([word])
    store.search.known_speakers([word])
    store.search.candidates([word])


@given(path=words, name=words, memory=whole)
def test_links_of_any_name_are_found_by_that_name(store, path, name, memory):
    memory = replace(memory, files=(FileLink(path),), functions=(FunctionLink(name),))
    insert(emptied(store), memory)
    for query in (MemoryQuery(statuses=(), functions=(name,)), MemoryQuery(statuses=(), files=(path,))):
        assert bool(store.memories.find(query)) == matches(query, memory)
