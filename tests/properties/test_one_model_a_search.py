"""However a store is changed, and whoever made its vectors: a search compares one model's alone."""

import tempfile

from hypothesis import given
from hypothesis import strategies as st

from recortex import Cortex
from recortex.domain.search import MemoryQuery
from recortex.domain.vocabulary import Scope
from recortex.embeddings.building import EmbedderChain, HashedEmbedder, Shape, ShapedEmbedder
from recortex.errors import EmbeddingError

SIZES = (384, 256, 128)
NAMES = {"hashed-tfidf": 384, "hashed-tfidf@256": 256, "hashed-tfidf@128": 128}
QUESTION = "Which port does the service listen on?"


class Sometimes:
    """A model that answers when it is its turn to."""

    def __init__(self, size):
        self.inner = ShapedEmbedder(HashedEmbedder(), Shape(dimensions=size % 384))
        self.down = False

    @property
    def name(self):
        return self.inner.name

    @property
    def dimensions(self):
        return self.inner.dimensions

    def embed(self, texts, *, purpose="passage"):
        if self.down:
            raise EmbeddingError("away")
        return self.inner.embed(texts, purpose=purpose)


STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("add"), st.integers(1, 4)),
        st.tuples(st.just("prefer"), st.permutations(range(len(SIZES)))),
        st.tuples(st.just("down"), st.sets(st.integers(0, len(SIZES) - 1))),
        st.tuples(st.just("reembed"), st.integers(0, 5)),
        st.tuples(st.just("backfill"), st.integers(0, 5)),
        st.tuples(st.just("edit"), st.integers(0, 9)),
        st.tuples(st.just("recall"), st.just(0)),
    ),
    max_size=14,
)


@given(STEPS)
def test_a_search_compares_one_model_s_vectors_alone(steps):
    models = [Sometimes(size) for size in SIZES]
    with (
        tempfile.TemporaryDirectory(prefix="recortex-test-") as folder,
        Cortex.open(url=f"sqlite:///{folder}/cortex.db") as cortex,
    ):
        services = cortex._app.services(Scope.PROJECT)
        services.embedding._embedder = services.retrieval._embedder = EmbedderChain(models)
        ids = []
        for number, (act, value) in enumerate(steps):
            if act == "add":
                wishes = [{"text": f"Service {number}-{one} listens on port {one}"} for one in range(value)]
                ids += cortex.remember_many(wishes, link=False).ids
            elif act == "prefer":
                services.embedding._embedder = services.retrieval._embedder = EmbedderChain(
                    [models[one] for one in value]
                )
            elif act == "down":
                for place, model in enumerate(models):
                    model.down = place in value
            elif act == "reembed":
                _reembed(cortex, services, value)
            elif act == "backfill":
                cortex.backfill(limit=value)
            elif act == "edit" and ids:
                cortex.edit(ids[value % len(ids)], text=f"Service {number} listens on port {value}")
            cortex.recall(QUESTION, floor=False)
            _compared_alone(services)


def _reembed(cortex, services, limit):
    """Whatever it could do, no memory is left with less than it had."""
    wanted = services.embedding.wanted
    vectors = services.store.vectors
    before, without = vectors.made(wanted), vectors.count_pending()
    done = cortex.reembed(limit=limit)
    assert vectors.made(wanted) >= before
    assert vectors.count_pending() <= without
    assert done.left == vectors.count_pending() + vectors.count_outdated(vectors.others(wanted))
    if not (done.stopped or limit):
        assert done.left == 0
        assert not vectors.others(wanted)


def _compared_alone(services):
    rows = services.store.pool.rows(
        "SELECT m.key, o.name, length(e.vector), length(s.signs) FROM memories m JOIN embeddings e "
        "ON e.key = m.embedding_key JOIN embedding_models o ON o.key = e.model JOIN embedding_signs s "
        "ON s.key = e.key AND s.model = e.model"
    )
    keys = [row[0] for row in services.store.pool.rows("SELECT key FROM memories")]
    for name, size in NAMES.items():
        own = {key for key, by, *_ in rows if by == name}
        assert {row[2:] for row in rows if row[1] == name} <= {(size, size // 8)}
        (asked,) = ShapedEmbedder(HashedEmbedder(), Shape(dimensions=size % 384)).embed([QUESTION])
        search = services.store.search
        assert set(search.nearest(asked.astype("<f4").tobytes(), 90, None, name)) == own
        assert set(search.nearest(asked.astype("<f4").tobytes(), 90, MemoryQuery(), name)) <= own
        assert set(search.vectors(keys, name)) == own
        assert {one.key for one in search.facts(keys, MemoryQuery(), name) if one.vector} <= own
    assert len(rows) == len({row[0] for row in rows})
