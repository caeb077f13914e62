"""The same acts on both engines have the same answers: SQLite's are the reference."""

from random import Random

import pytest
from acts import Act, same
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from lives import PIECES, Life
from servers import PARTITIONS

from choices import quick
from example_memories import AT, attach, insert, memory
from generated import drawn
from recortex.domain.search import MemoryQuery
from recortex.embeddings.building import HashedEmbedder
from recortex.engines.indexing import compact, search_text
from recortex.engines.retrieval.service import Retrieval
from recortex.text.words import content_words

pytestmark = pytest.mark.filterwarnings("ignore:Do not use the `random` module")  # the pool's threads do
layouts = st.sampled_from(sorted(PARTITIONS))
printable = st.characters(codec="utf-8", exclude_characters="\0'’")
texts = st.lists(
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
    said=st.lists(texts.map(" ".join), min_size=1, max_size=6),
    asked=st.lists(texts.map(" ".join), min_size=1, max_size=4),
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
