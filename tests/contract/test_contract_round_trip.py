"""What is kept is given back as it was and sealed as it is, by every engine alike."""

from dataclasses import replace
from datetime import UTC, datetime
from random import Random

import msgspec
import pytest
from acts import Act, same
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from lives import PIECES, Life
from servers import LAYOUTS, PARTITIONS

from choices import quick
from example_memories import AT, attach, insert, memory
from generated import drawn, memories, queries, stores, texts
from recortex.codec import dumps, memory_from_json
from recortex.domain.memory import FileLink, FunctionLink
from recortex.domain.search import MemoryQuery, SearchText, matches
from recortex.domain.vocabulary import Actor
from recortex.embeddings.building import HashedEmbedder
from recortex.engines.indexing import compact, search_text
from recortex.engines.retrieval.service import Retrieval
from recortex.text.words import content_words

pytestmark = pytest.mark.filterwarnings("ignore:Do not use the `random` module")  # the pool's threads do


# -- What is kept is given back as it was, and every filter means what the domain says, on every engine.
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
    for row in rows:
        insert(store, row)
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


# -- The same acts on both engines have the same answers: SQLite's are the reference.
layouts = st.sampled_from(sorted(PARTITIONS))
printable = st.characters(codec="utf-8", exclude_characters="\0'’")
queried = st.lists(
    st.sampled_from(PIECES) | st.text(printable, min_size=1, max_size=12), min_size=1, max_size=8
)


@settings(max_examples=drawn(10))
@given(random=st.randoms(use_true_random=False), length=st.integers(1, 120), layout=layouts)
def test_a_random_life_is_the_same_on_both_engines(empty, random, length, layout):
    with empty("sqlite") as reference, empty(layout) as store:
        life = Life(random, "qz000zq")
        for _ in range(length):
            act = life.act()
            expected, given_back = act.on(reference), act.on(store)
            assert same(expected, given_back), (act, expected, given_back)


@pytest.mark.parametrize("seed", quick(range(3)))
@pytest.mark.parametrize("layout", sorted(PARTITIONS))
def test_a_long_life_is_the_same_on_both_engines(empty, seed, layout):
    with empty("sqlite") as reference, empty(layout) as store:
        life = Life(Random(seed), "qz000zq")  # noqa: S311  seeded on purpose
        for _ in range(250):
            act = life.act()
            expected, given_back = act.on(reference), act.on(store)
            assert same(expected, given_back), (act, expected, given_back)


@settings(max_examples=drawn(12))
@given(
    said=st.lists(queried.map(" ".join), min_size=1, max_size=6),
    asked=st.lists(queried.map(" ".join), min_size=1, max_size=4),
)
def test_any_text_is_found_with_the_same_score(empty, said, asked):
    with empty("sqlite") as reference, empty("postgres") as store:
        for number, text in enumerate([*said, "filler one", "filler two", "filler three"]):
            made = memory(number, text)
            for each in (reference, store):
                insert(each, made, search=search_text(made))
        for words in map(content_words, [*asked, *said]):
            for act in (
                Act("frequencies", (words,)),
                Act("match", (words, 100, None, False, ())),
                Act("match", (words[:2], 100, MemoryQuery(), True, words[2:])),
                Act("candidates", (words,)),
                Act("candidates", (words, True)),
                Act("speakers", (words,)),
            ):
                expected, given_back = act.on(reference), act.on(store)
                assert same(expected, given_back), (act, expected, given_back)


class Embedding:
    """Vectors of hashed words: the same for the same text, near for texts that share words."""

    active_name = preferred_name = HashedEmbedder().name

    def embed_named(self, texts, *, purpose="passage"):
        return Vectors(self.active_name, HashedEmbedder().embed(texts, purpose=purpose))

    def begin(self, texts, *, purpose="passage"):
        return lambda: self.embed_named(texts, purpose=purpose)


class Vectors:
    def __init__(self, name, vectors):
        self.name, self.vectors, self.pieces = name, vectors, ()


@settings(max_examples=6, phases=(Phase.explicit, Phase.reuse, Phase.generate))
@given(random=st.randoms(use_true_random=False), recipe=st.sampled_from(["hybrid", "keyword", "semantic"]))
def test_recall_gives_the_same_hits_and_scores(empty, random, recipe):
    life, embedding = Life(random), Embedding()
    with empty("sqlite") as reference, empty("postgres") as store:
        for number in range(25):
            made = life.memory(number)
            code = compact(embedding.embed_named([made.text]).vectors[0])
            for each in (reference, store):
                insert(each, made, search=search_text(made))
                attach(each, made, code, embedding.active_name)
        for only in (None, MemoryQuery(statuses=()), MemoryQuery(tags=("db",)), MemoryQuery(files=("src/",))):
            question = f"why {life.said()}?\0"
            first, second = (
                Retrieval(each.search, embedding).recall(
                    question, limit=10, now=AT, recipe=recipe, only=only, floor=False
                )
                for each in (reference, store)
            )
            assert [hit.memory for hit in first.hits] == [hit.memory for hit in second.hits]
            assert same([hit.score for hit in first.hits], [hit.score for hit in second.hits])
            assert same(
                (first.best, first.tokens, first.degraded), (second.best, second.tokens, second.degraded)
            )
