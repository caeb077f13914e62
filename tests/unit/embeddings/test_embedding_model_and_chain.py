"""The shipped model, the cache and the chain of embedders; providers and folders have files of their own."""

import numpy as np
import pytest

from recortex import Cortex
from recortex.domain.vocabulary import Scope
from recortex.embeddings.building import CachedEmbedder, EmbedderChain, HashedEmbedder
from recortex.embeddings.onnx import MODEL_FILE, MODEL_FOLDER, OnnxEmbedder
from recortex.errors import EmbeddingError

TEXTS = [f"Memory {number}: the {noun} is read once." for number, noun in enumerate(["cache", "index"] * 5)]


class CountingEmbedder:
    """Passes everything to a real embedder and remembers what it was asked."""

    def __init__(self, inner):
        self.inner, self.name, self.dimensions = inner, inner.name, inner.dimensions
        self.asked = []

    def embed(self, texts, *, purpose="passage"):
        self.asked.append(list(texts))
        return self.inner.embed(texts, purpose=purpose)


@pytest.fixture(scope="module")
def model():
    return OnnxEmbedder()


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


def test_a_repeated_text_comes_from_memory():
    counting = CountingEmbedder(HashedEmbedder())
    cached = CachedEmbedder(counting)
    first = cached.embed(TEXTS)
    again = cached.embed([TEXTS[3], "new", TEXTS[3]])
    assert counting.asked == [TEXTS, ["new"]]
    assert np.array_equal(again[[0, 2]], first[[3, 3]])


def test_more_texts_than_the_memory_cache_holds_are_all_embedded():
    vectors = CachedEmbedder(HashedEmbedder(), size=2).embed(TEXTS)
    assert np.allclose(vectors, HashedEmbedder().embed(TEXTS), atol=0.01)


def test_the_second_tier_survives_a_restart(tmp_path, model):
    """The store keeps vectors by hash: another process, or another memory with the same words, makes none."""
    said = {"text": "The parser reads one token.", "kind": "conversation"}
    before, after = CountingEmbedder(model), CountingEmbedder(model)
    for embedder, session in ((before, "one"), (after, "two")):
        with Cortex.open(url=f"sqlite:///{tmp_path}/vectors.db") as cortex:
            services = cortex._app.services(Scope.PROJECT)
            services.embedding._embedder = EmbedderChain([embedder])
            cortex.remember(**said, source={"session": session, "turn": 1, "speaker": "user"})
            assert services.store.vectors.count_pending() == 0
    assert (len(before.asked), after.asked) == (1, [])


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


def test_when_every_embedder_fails_the_error_says_what_goes_on(tmp_path):
    told = []
    chain = EmbedderChain([OnnxEmbedder(tmp_path)], on_degradation=told.append)
    with pytest.raises(EmbeddingError, match="every embedder failed") as raised:
        chain.embed_named(["text"])
    assert raised.value.code == "embedding_failed"
    assert told[0].fallback == "keyword search alone"


def pieces_of(embedder, text, purpose="passage"):
    return embedder.embed_pieces([text], purpose=purpose)[1][0]


def test_a_passage_has_its_telling_words_once_without_label_and_function_words(model):
    assert len(pieces_of(model, "cache")) == 24
    assert len(pieces_of(model, "[tribal|critical|data] The cache, and the cache of the index.")) == 2 * 24
    assert len(pieces_of(model, " ".join(f"w{number}" for number in range(300)))) <= 96 * 24
