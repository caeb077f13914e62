"""Embedders: which one is chosen, what it is asked, what its vectors are."""

import os
import subprocess
import sys
import textwrap

import numpy as np
import onnx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from keyring.backends.null import Keyring as EmptyKeyring
from onnx import TensorProto, helper, numpy_helper
from tiny_model import WORDS, write_model, write_tokenizer, write_words

from recortex import Cortex, settings
from recortex.app import wiring
from recortex.domain.vocabulary import Scope
from recortex.embeddings.building import (
    CachedEmbedder,
    EmbedderChain,
    HashedEmbedder,
    Shape,
    begun,
    build_embedders,
)
from recortex.embeddings.folder import CrossEncoder
from recortex.embeddings.onnx import MODEL_FILE, MODEL_FOLDER, OnnxEmbedder, cut
from recortex.embeddings.providers import MINUTE, PROVIDERS, EmbedderSettings, RateLimit, key_of
from recortex.errors import DimensionMismatchError, EmbeddingError

# -- Settings choose the embedder: no key in the environment does, no project's file if data would leave.
KEY = "sk-test-0123456789abcdef"


def names(**values):
    return [one.name for one in build_embedders(EmbedderSettings(**values), key="", clean=str)]


def read(tmp_path, *, project="", user="", environment=None):
    (tmp_path / "home").mkdir(exist_ok=True)
    (tmp_path / "recortex.toml").write_text(project)
    (tmp_path / "home" / "config.toml").write_text(user)
    return settings.read(tmp_path, {"RECORTEX_HOME": str(tmp_path / "home"), **(environment or {})})


def chosen(found):
    return [one.name for one in wiring._embedders(found)]


def test_without_a_setting_the_shipped_model_makes_vectors_and_hashes_stand_in():
    assert names() == ["all-minilm-l6-v2.int8", "hashed-tfidf"]


def test_the_embedder_and_its_settings_stand_in_one_file(tmp_path):
    found = read(
        tmp_path,
        user='embedder = "ollama"\n[embedding]\nmodel = "mxbai-embed-large"\ndimensions = 512\n'
        'query_prefix = "q: "\n',
    )
    assert found.problems == ()
    (name,) = chosen(found)
    assert name.startswith("ollama/mxbai-embed-large@512~")


def test_settings_that_differ_have_names_that_differ(tmp_path):
    write_model(tmp_path / "tiny" / "model.onnx")
    write_words(tmp_path / "tiny")
    local = {"folder": str(tmp_path / "tiny")}
    several = [
        {}, {"dimensions": 64}, local, {**local, "pooling": "cls"}, {**local, "max_length": 64},
        {**local, "dimensions": 2}, {**local, "query_prefix": "query: "},
        {**local, "query_prefix": "query: ", "passage_prefix": "passage: "},
        *({"embedder": name} for name in PROVIDERS),
        *({"embedder": name, "dimensions": 256} for name in PROVIDERS),
        *({"embedder": name, "model": "other"} for name in PROVIDERS),
    ]  # fmt: skip
    found = [names(**values)[0] for values in several]
    assert len(set(found)) == len(found)


def test_hashes_stand_in_for_the_shipped_model_alone(tmp_path):
    assert len(names(folder=str(tmp_path))) == 1
    assert len(names(embedder="voyage")) == 1
    assert names(embedder="hashed") == ["hashed-tfidf"]


def test_memories_wait_for_the_model_that_was_chosen(tmp_path, monkeypatch):
    """While a folder is away, memories have no vector and are found by words; no other model makes one."""
    place = tmp_path / "tiny"
    monkeypatch.setenv("RECORTEX_EMBEDDING_FOLDER", str(place))
    url = f"sqlite:///{tmp_path}/wait.db"
    with Cortex.open(url=url) as cortex:
        cortex.remember("The parser reads the cache.")
        found = cortex.recall("What does the parser read?")
        assert [hit.memory.summary for hit in found.hits] == ["The parser reads the cache."]
        assert "is no folder" in found.degraded[0]
        (store,) = cortex.status().stores
        assert store.without_vector == 1
    write_model(place / "model.onnx")
    write_words(place)
    with Cortex.open(url=url) as cortex:
        assert cortex.backfill().embedder.startswith("onnx/tiny-")
        (store,) = cortex.status().stores
        assert store.without_vector == 0
        assert cortex.status().embedder.startswith("onnx/tiny-")


def test_status_and_doctor_name_the_embedder(tmp_path, monkeypatch):
    with Cortex.open(url=f"sqlite:///{tmp_path}/name.db") as cortex:
        assert cortex.status().embedder == "all-minilm-l6-v2.int8"
    monkeypatch.setenv("RECORTEX_EMBEDDER", "voyage")
    monkeypatch.delenv("VOYAGE_API_KEY", raising=False)
    # A process asks the environment once which keyring there is, so that another test may have chosen one.
    monkeypatch.setattr("keyring.core._keyring_backend", EmptyKeyring())
    with Cortex.open(url=f"sqlite:///{tmp_path}/name.db") as cortex:
        assert cortex.status().embedder == "voyage/voyage-code-3@1024"
        (finding,) = [one for one in cortex.doctor().findings if one.check == "embedding"]
    assert (finding.level, "There is no key for voyage." in finding.message) == ("problem", True)
    assert "VOYAGE_API_KEY" in finding.todo


def test_without_the_package_for_keyrings_the_error_holds_the_line_to_type(monkeypatch):
    monkeypatch.setitem(sys.modules, "keyring", None)
    with pytest.raises(EmbeddingError, match="There is no key for voyage") as raised:
        key_of("voyage", "VOYAGE_API_KEY", "", needed=True)
    assert "pip install 'recortex[keyring]' && keyring set recortex voyage" in raised.value.hint
    assert "VOYAGE_API_KEY" in raised.value.hint


def test_a_key_of_the_environment_needs_no_keyring(monkeypatch):
    monkeypatch.setitem(sys.modules, "keyring", None)
    assert key_of("voyage", "VOYAGE_API_KEY", KEY, needed=True) == KEY
    assert key_of("voyage", "VOYAGE_API_KEY", f" {KEY}\n", needed=True) == KEY
    assert key_of("voyage", "VOYAGE_API_KEY", "", needed=False) == ""


BACKEND = """
    from keyring.backend import KeyringBackend
    from keyring.errors import KeyringLocked

    class Kept(KeyringBackend):
        priority = 1

        def get_password(self, service, username):
            if username == "gemini":
                raise KeyringLocked("It is locked.")
            if username == "openai":
                raise OSError("The bus is gone.")
            return {("recortex", "voyage"): "%s"}.get((service, username))

        def set_password(self, service, username, password):
            raise NotImplementedError
"""


@pytest.mark.parametrize(
    ("provider", "backend", "said"),
    [
        ("voyage", "kept_keys.Kept", KEY),
        ("mistral", "kept_keys.Kept", "keyring set recortex mistral"),
        ("gemini", "kept_keys.Kept", "Set SOME_KEY."),
        ("openai", "kept_keys.Kept", "Set SOME_KEY."),
        ("voyage", "kept_nowhere.Kept", "Set SOME_KEY."),
    ],
)
def test_the_system_keyring_is_asked(provider, backend, said, tmp_path):
    """A keyring of our own, as the package's documentation has one written; the machine's is left alone."""
    (tmp_path / "kept_keys.py").write_text(textwrap.dedent(BACKEND % KEY))
    code = (
        "from recortex.embeddings.providers import key_of\n"
        "from recortex.errors import EmbeddingError\n"
        f"try: print(key_of({provider!r}, 'SOME_KEY', '', needed=True))\n"
        "except EmbeddingError as error: print(error.hint)"
    )
    environment = {"PYTHON_KEYRING_BACKEND": backend, "PYTHONPATH": str(tmp_path)}
    found = subprocess.check_output([sys.executable, "-c", code], text=True, env=environment)
    assert said in found


# -- The shipped model, the cache and the chain of embedders; providers and folders have files of their own.
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


# -- Vectors are made beside other work: with the same result, the same errors, and after a fork too.
@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
def test_a_forked_process_makes_vectors_too():
    assert begun(lambda: 7)() == 7
    child = os.fork()
    if not child:
        os._exit(begun(lambda: 7)())
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
    assert begun(lambda: 8)() == 8


# -- No minute holds more requests than are allowed, whatever the pauses between them.
@given(st.integers(1, 9), st.lists(st.floats(0, 40), max_size=60))
def test_no_minute_holds_more_than_the_limit(limit, pauses):
    now = 0.0
    rate = RateLimit(limit, now=lambda: now)
    taken = []
    for pause in pauses:
        now += pause
        while wait := rate.acquire():
            now += wait
        taken.append(now)
    for start in taken:
        assert sum(start <= one < start + MINUTE for one in taken) <= limit


# -- Prefixes, fewer dimensions, and names that keep vectors of different settings apart.
#
# The shipped MiniLM was not trained as a Matryoshka model: that its first dimensions stand for all of them
# is not promised and not tested. What is tested is the cutting, and that a nested embedding made here keeps
# its order of likeness.
FULL, KEPT = 256, 64

numbers = st.floats(min_value=-1e3, max_value=1e3, allow_nan=False).filter(lambda value: abs(value) > 1e-3)


@given(st.lists(numbers, min_size=8, max_size=64), st.integers(2, 8))
def test_cutting_twice_is_cutting_once(values, kept):
    rows = np.array([values], dtype=np.float32)
    assert np.allclose(cut(cut(rows, 8), kept), cut(rows, kept), atol=1e-5)


def test_more_dimensions_than_there_are_is_an_error():
    with pytest.raises(DimensionMismatchError, match=r"makes 4 dimensions; embedding\.dimensions asks for 5"):
        cut(np.ones((1, 4), dtype=np.float32), 5)


def test_a_prefix_may_not_pass_for_the_other():
    assert Shape("a", "").mark != Shape("", "a").mark
    assert Shape("a\0", "b").mark != Shape("a", "\0b").mark


# -- A cross-encoder from a folder decides the order of the answers; where it cannot run, the scorer does.
LIKED = np.zeros((len(WORDS), 1), dtype=np.float32)
LIKED[WORDS.index("parser")] = 3.0
"""The model likes pairs by how often they name the parser."""


def write_cross_encoder(folder, outputs=1):
    """A graph that sums a number of each token of a pair: (1, tokens) to (1, 1) or (1, 2)."""
    folder.mkdir(parents=True, exist_ok=True)
    table = np.repeat(LIKED, outputs, axis=1)
    nodes = [
        helper.make_node("Gather", ["table", "input_ids"], ["each"], axis=0),
        helper.make_node("ReduceSum", ["each", "second"], ["logits"], keepdims=0),
    ]
    given = [
        helper.make_tensor_value_info(name, TensorProto.INT64, ["batch", "tokens"])
        for name in ("input_ids", "attention_mask", "token_type_ids")
    ]
    found = [helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["batch", outputs])]
    axes = numpy_helper.from_array(np.array([1], dtype=np.int64), "second")
    graph = helper.make_graph(nodes, "cross", given, found, [numpy_helper.from_array(table, "table"), axes])
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)
    onnx.save(made, str(folder / "model.onnx"))


@pytest.fixture(params=[write_words, write_tokenizer])
def folder(tmp_path, request):
    write_cross_encoder(tmp_path / "cross")
    request.param(tmp_path / "cross")
    return tmp_path / "cross"


def test_each_pair_has_its_score(folder):
    few, many = CrossEncoder(folder).scores("the parser", ["the cache", "the parser reads"])
    assert few == pytest.approx(1 / (1 + np.exp(-3)))
    assert many == pytest.approx(1 / (1 + np.exp(-6)))
    assert CrossEncoder(folder).scores("the cache \ud800", ["reads " * 5_000]) == [0.5]


def test_a_model_for_something_else_is_refused(folder):
    write_cross_encoder(folder, outputs=2)
    with pytest.raises(EmbeddingError, match="gives 2 numbers for a pair"):
        CrossEncoder(folder).scores("the parser", ["the cache"])


@pytest.fixture
def ordered(tmp_path, monkeypatch):
    def asked(folder):
        monkeypatch.setenv("RECORTEX_RECALL_RERANKER", str(folder))
        with Cortex.open(url=f"sqlite:///{tmp_path}/c.db") as cx:
            if not cx.list().total:
                cx.remember("The worker reads the cache", kind="tribal")
                cx.remember("The parser is built at night and writes", kind="tribal")
            found = cx.recall("what reads the cache?", floor=False)
            return [hit.memory.text for hit in found.hits], [hit.score for hit in found.hits], found.degraded

    return asked


def test_it_decides_the_order_and_without_it_the_scorer_does(folder, ordered, tmp_path):
    alone, scores, _ = ordered("")
    texts, others, degraded = ordered(folder)
    assert "parser" in texts[0]
    assert "parser" not in alone[0]
    assert sorted(texts) == sorted(alone)
    assert others == pytest.approx(scores)
    assert degraded == ()
    texts, _, degraded = ordered(tmp_path / "gone")
    assert texts == alone
    assert any("recall.reranker is no folder" in one for one in degraded)
