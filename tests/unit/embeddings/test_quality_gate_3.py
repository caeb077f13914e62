"""A, QG-3 without HTTP providers and model migration. MiniLM is not a Matryoshka model: nothing is truncated."""

import apsw
import numpy as np
import pytest

from recortex.embeddings.cache import CachedEmbedder, content_hash
from recortex.embeddings.chain import EmbedderChain
from recortex.embeddings.enrichment import enriched
from recortex.embeddings.hashed import HashedEmbedder
from recortex.embeddings.onnx import MODEL_FILE, MODEL_FOLDER, OnnxEmbedder
from recortex.embeddings.packing import pack, unpack
from recortex.errors import DimensionMismatchError, EmbeddingError

TEXTS = [f"Memory {number}: the {noun} is read once." for number, noun in enumerate(["cache", "index"] * 5)]


class CountingEmbedder:
    """Passes everything to a real embedder and remembers what it was asked."""

    def __init__(self, inner):
        self.inner, self.name, self.dimensions = inner, inner.name, inner.dimensions
        self.asked = []

    def embed(self, texts):
        self.asked.append(list(texts))
        return self.inner.embed(texts)


class SqliteVectors:
    """The cache's second tier in a real file."""

    def __init__(self, path):
        self.db = apsw.Connection(str(path))
        self.db.execute("create table if not exists vector(hash blob primary key, value blob not null)")

    def get_many(self, hashes):
        marks = ",".join("?" * len(hashes))
        sql = f"select hash, value from vector where hash in ({marks})"  # noqa: S608  only question marks
        return dict(self.db.execute(sql, tuple(hashes)))

    def put_many(self, vectors):
        with self.db:
            self.db.executemany("insert or replace into vector values (?, ?)", list(vectors.items()))


@pytest.fixture(scope="module")
def model():
    return OnnxEmbedder()


def test_the_model_loads_and_gives_a_unit_vector_of_384(model):
    vectors = model.embed(["test"])
    assert (vectors.shape, vectors.dtype) == ((1, 384), np.float32)
    assert np.linalg.norm(vectors[0]) == pytest.approx(1, abs=1e-5)


def test_ten_texts_give_ten_vectors_in_their_order(model):
    vectors = model.embed(TEXTS)
    assert vectors.shape == (10, 384)
    for text, vector in zip(TEXTS, vectors, strict=True):
        assert np.array_equal(model.embed([text])[0], vector)


def test_several_threads_give_the_same_vectors(model):
    assert np.array_equal(OnnxEmbedder(threads=2).embed(TEXTS), model.embed(TEXTS))


def test_no_text_gives_no_vector(model):
    assert model.embed([]).shape == (0, 384)


def test_vectors_are_those_of_the_published_model(model):
    """The similarities that the model's own page prints for these sentences."""
    sentences = [
        "That is a happy person",
        "That is a happy dog",
        "That is a very happy person",
        "Today is a sunny day",
    ]
    first, *others = model.embed(sentences)
    assert [float(first @ other) for other in others] == pytest.approx([0.6946, 0.9429, 0.2569], abs=0.02)


@pytest.mark.parametrize(
    "text", ["", " \n", "\x00\ud800", "[SEP] [MASK]", "word " * 100_000, "x" * 1_000_000, "你" * 5_000]
)
def test_hostile_texts_get_a_finite_unit_vector(model, text):
    vector = model.embed([text])[0]
    assert np.linalg.norm(vector) == pytest.approx(1, abs=1e-4)


def test_what_lies_beyond_256_pieces_has_no_influence(model):
    head = "the parser reads one token " * 60
    one, other = model.embed([head + "alpha", head + "omega"])
    assert np.array_equal(one, other)


def test_a_repeated_text_comes_from_memory():
    counting = CountingEmbedder(HashedEmbedder())
    cached = CachedEmbedder(counting)
    first = cached.embed(TEXTS)
    again = cached.embed([TEXTS[3], "new", TEXTS[3]])
    assert counting.asked == [TEXTS, ["new"]]
    assert np.array_equal(again[[0, 2]], first[[3, 3]])


def test_the_memory_cache_forgets_the_least_recently_used():
    counting = CountingEmbedder(HashedEmbedder())
    cached = CachedEmbedder(counting, size=2)
    for text in ("a", "b", "a", "c", "a", "b"):
        cached.embed([text])
    assert counting.asked == [["a"], ["b"], ["c"], ["b"]]


def test_more_texts_than_the_memory_cache_holds_are_all_embedded():
    vectors = CachedEmbedder(HashedEmbedder(), size=2).embed(TEXTS)
    assert np.allclose(vectors, HashedEmbedder().embed(TEXTS), atol=0.01)


def test_the_second_tier_survives_a_restart(tmp_path, model):
    path = tmp_path / "vectors.db"
    before = CountingEmbedder(model)
    made = CachedEmbedder(before, SqliteVectors(path)).embed(TEXTS)
    after = CountingEmbedder(model)
    kept = CachedEmbedder(after, SqliteVectors(path)).embed([*TEXTS, "new"])
    assert (before.asked, after.asked) == ([TEXTS], [["new"]])
    assert np.array_equal(made, kept[:-1])
    assert (made * model.embed(TEXTS)).sum(axis=1).min() > 0.999


def test_a_damaged_entry_of_the_second_tier_is_made_again(tmp_path):
    store = SqliteVectors(tmp_path / "vectors.db")
    embedder = HashedEmbedder()
    store.put_many({content_hash(embedder.name, "text"): b"short"})
    assert np.allclose(CachedEmbedder(embedder, store).embed(["text"]), embedder.embed(["text"]), atol=0.01)
    assert len(store.get_many([content_hash(embedder.name, "text")]).popitem()[1]) == 384


def test_two_models_never_share_a_key():
    assert content_hash("one", "text") != content_hash("two", "text")


def test_the_embedded_text_starts_with_its_metadata():
    text = enriched("body", kind="tribal", importance="high", category="gotcha", summary="Never round.")
    assert text.startswith("[tribal|high|gotcha] Never round.")


def break_model(folder, how):
    folder.mkdir()
    if how == "missing":
        return
    for source in MODEL_FOLDER.iterdir():
        data = source.read_bytes()
        (folder / source.name).write_bytes(data[: len(data) // 3] if source.name == MODEL_FILE else data)


@pytest.mark.parametrize("how", ["missing", "damaged"])
def test_without_the_model_the_chain_falls_back_and_says_so(tmp_path, how):
    break_model(tmp_path / "model", how)
    told = []
    broken = OnnxEmbedder(tmp_path / "model")
    chain = EmbedderChain([CachedEmbedder(broken), HashedEmbedder()], on_degradation=told.append)
    assert chain.active_name == broken.name
    vectors = [chain.embed_named(["some text"]) for _ in range(3)]
    assert {found.name for found in vectors} == {"hashed-tfidf"} == {chain.active_name}
    assert vectors[0].vectors.shape == (1, 384)
    assert [(event.component, event.fallback) for event in told] == [("embedding model", "hashed-tfidf")]


def test_without_the_model_its_cached_vectors_still_answer(tmp_path, model):
    store = SqliteVectors(tmp_path / "vectors.db")
    made = CachedEmbedder(model, store).embed(TEXTS)
    (tmp_path / "empty").mkdir()
    chain = EmbedderChain([CachedEmbedder(OnnxEmbedder(tmp_path / "empty"), store), HashedEmbedder()])
    cached = chain.embed_named(TEXTS[2:4])
    assert cached.name == model.name == chain.active_name
    assert np.array_equal(cached.vectors, made[2:4])
    assert chain.embed_named([TEXTS[2], "never seen"]).name == "hashed-tfidf"


def test_when_every_embedder_fails_the_error_says_what_goes_on(tmp_path):
    told = []
    chain = EmbedderChain([OnnxEmbedder(tmp_path)], on_degradation=told.append)
    with pytest.raises(EmbeddingError, match="every embedder failed") as raised:
        chain.embed(["text"])
    assert raised.value.code == "embedding_failed"
    assert told[0].fallback == "keyword search alone"


def test_a_vector_of_another_length_is_refused(model):
    packed = pack(model.embed(["test"]))
    with pytest.raises(DimensionMismatchError, match="384 dimensions, expected 1024"):
        unpack(packed, 1024)
