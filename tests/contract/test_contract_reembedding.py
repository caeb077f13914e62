"""What a change of the embedding model needs of a store, on every engine."""

from contextlib import closing

from example_memories import AT, attach, code, id_of, insert, memory
from recortex import Cortex
from recortex.domain.text import to_micros
from recortex.domain.vocabulary import Scope, Status
from recortex.embeddings.building import EmbedderChain, HashedEmbedder, Shape, ShapedEmbedder
from recortex.storage.postgres.store import PgStore

NOW = to_micros(AT)


def vectors_of(store, count, model, first=1):
    """Memories, each with a vector of its own by a model."""
    made = [memory(number, f"Statement {number}") for number in range(first, first + count)]
    insert(store, *made)
    for one in made:
        attach(store, one, code(1, -1), model)
    return made


def test_the_most_important_and_most_used_come_first(store):
    made = [
        memory(1, "low", priority=2),
        memory(2, "often used", priority=5, access_count=3),
        memory(3, "older", priority=5),
        memory(4, "newer", priority=5),
        memory(5, "critical", priority=9),
    ]
    insert(store, *made)
    ranked = [id_of(number) for number in (5, 2, 4, 3, 1)]
    assert store.vectors.pending(10, best_first=True) == ranked
    assert store.vectors.pending(2, best_first=True) == ranked[:2]
    assert sorted(store.vectors.pending(10)) == sorted(ranked)
    for one in made:
        attach(store, one, code(1, -1), "old")
    (old,) = store.vectors.others("new")
    assert store.vectors.outdated([old], 10) == ranked
    assert store.vectors.outdated([old], 3) == ranked[:3]
    assert store.vectors.outdated([], 3) == []


def test_what_has_the_wanted_vector_or_needs_none_is_not_outdated(store):
    vectors_of(store, 3, "old")
    vectors_of(store, 2, "new", first=10)
    insert(store, memory(20, "gone", status=Status.ARCHIVED), memory(21, "waits"))
    attach(store, memory(20, "gone"), code(1, 1, -1), "old")
    others = store.vectors.others("new")
    assert list(others.values()) == ["old"]
    assert store.vectors.count_outdated(others) == 3
    assert sorted(store.vectors.outdated(others, 9)) == [id_of(number) for number in (1, 2, 3)]
    assert (store.vectors.made("new"), store.vectors.made("old")) == (2, 4)
    assert store.vectors.count_pending() == 1
    assert sorted(store.vectors.others("none").values()) == ["new", "old"]


def test_a_stand_in_replaces_no_vector(store):
    one, other = [*vectors_of(store, 1, "wanted"), memory(2, "waits")]
    insert(store, other)
    with store.transaction():
        keys = store.vectors.put("stand-in", {b"a" * 16: code(-1, 1), b"b" * 16: code(1, 1, -1)})
        store.vectors.attach(
            [
                (one.id, keys[b"a" * 16], bytes.fromhex(one.content_hash)),
                (other.id, keys[b"b" * 16], bytes.fromhex(other.content_hash)),
            ],
            first=True,
        )
    assert store.vectors.codes_of([one.id, other.id], "wanted") == {one.id: code(1, -1)}
    assert store.vectors.codes_of([one.id, other.id], "stand-in") == {other.id: code(1, 1, -1)}


def test_former_vectors_go_when_no_memory_has_them(store):
    made = vectors_of(store, 3, "old")
    for one in made[:2]:
        attach(store, one, code(-1, 1), "new")
    others = store.vectors.others("new")
    assert store.vectors.made("old") == 3  # kept, so that going back costs nothing
    assert store.vectors.drop_left_behind(others) == 2
    assert (store.vectors.made("old"), store.vectors.made("new")) == (1, 2)
    assert store.vectors.codes_of([made[2].id], "old")
    assert store.vectors.drop_left_behind(others) == 0


def test_progress_adds_up_until_it_is_finished(store):
    assert store.vectors.reembedding("new") is None
    store.vectors.reembedded("new", NOW, done=50, milliseconds=400)
    store.vectors.reembedded("new", NOW + 5, done=7, milliseconds=100)
    assert tuple(store.vectors.reembedding("new")) == (NOW, None, 57, 500)
    store.vectors.reembedded("abandoned", NOW, done=1, milliseconds=1)
    store.vectors.finish_reembedding("new", NOW + 9)
    assert tuple(store.vectors.reembedding("new")) == (NOW, NOW + 9, 57, 500)
    assert store.vectors.reembedding("abandoned") is None
    store.vectors.reembedded("new", NOW + 20, done=2, milliseconds=30)
    assert tuple(store.vectors.reembedding("new")) == (NOW + 20, None, 2, 30)


def test_an_embedder_s_vectors_can_be_forgotten_with_their_length(store):
    made = vectors_of(store, 3, "model")
    vectors_of(store, 1, "another", first=9)
    assert store.vectors.dimensions("model") == len(code(1))
    assert store.vectors.forget("model") == 3
    assert store.vectors.dimensions("model") is None
    assert store.vectors.count_pending() == 3
    assert store.vectors.made("another") == 1
    with store.transaction():
        keys = store.vectors.put("model", {b"short": b"\x01\xff" * 8})
        store.vectors.attach([(made[0].id, keys[b"short"], bytes.fromhex(made[0].content_hash))])
    assert store.vectors.dimensions("model") == 16
    assert store.vectors.codes_of([made[0].id], "model") == {made[0].id: b"\x01\xff" * 8}


def test_a_claim_is_given_once(store, layout):
    with store.vectors.claimed() as held:
        assert held
        if layout != "sqlite":
            with (
                closing(PgStore(store.address, clock=lambda: AT, connections=2)) as other,
                other.vectors.claimed() as second,
            ):
                assert not second
    with store.vectors.claimed() as again:
        assert again


def test_a_store_changes_its_model_in_the_middle_of_use(project, clock, layout, server):
    url = f"sqlite:///{project}/cortex.db" if layout == "sqlite" else server.workspace_url(layout)
    short = ShapedEmbedder(HashedEmbedder(), Shape(dimensions=64))
    with Cortex.open(project, url=url, clock=clock) as cortex:
        services = cortex._app.services(Scope.PROJECT)
        services.embedding._embedder = services.retrieval._embedder = EmbedderChain([HashedEmbedder()])
        wishes = [{"text": f"The service number{place} listens on {8000 + place}"} for place in range(120)]
        cortex.remember_many(wishes, link=False)
        services.embedding._embedder = services.retrieval._embedder = EmbedderChain([short])
        for limit, left in ((70, 50), (0, 0)):
            assert cortex.reembed(limit=limit).left == left
            for place in (3, 60, 119):
                hits = cortex.recall(f"What does number{place} listen on?").hits
                assert hits[0].memory.text.endswith(str(8000 + place))
        assert services.store.vectors.others(short.name) == {}
        assert (services.store.vectors.made(short.name), services.store.vectors.made("hashed-tfidf")) == (
            120,
            0,
        )
        assert cortex.status().stores[0].model_change is None
