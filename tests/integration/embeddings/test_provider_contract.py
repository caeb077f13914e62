"""Each provider is asked as documented, in batches, with dimensions and purposes, and answers in order."""

import json
import math
import subprocess
import sys

import numpy as np
import pytest
from local_embedding import KEY, NAMES, WIDTH, enveloped, texts_of, unit_of

from recortex.embeddings.providers import PROVIDERS, batches
from recortex.errors import DimensionMismatchError

TEXTS = [f"The {word} is read once." for word in ("cache", "index", "parser", "queue")]
PATHS = {
    "openai": "/embeddings", "voyage": "/embeddings", "mistral": "/embeddings",
    "gemini": "/v1beta/models/small:batchEmbedContents", "ollama": "/api/embed",
}  # fmt: skip
ASKED_FOR = {
    "openai": {"query": None, "passage": None},
    "voyage": {"query": "query", "passage": "document"},
    "mistral": {"query": None, "passage": None},
    "gemini": {"query": "RETRIEVAL_QUERY", "passage": "RETRIEVAL_DOCUMENT"},
    "ollama": {"query": None, "passage": None},
}
SHORTENED = {
    "openai": "dimensions",
    "voyage": "output_dimension",
    "mistral": "output_dimension",
    "gemini": "outputDimensionality",
}


def first_of(name, body):
    return body["requests"][0] if name == "gemini" else body


@pytest.mark.parametrize("name", NAMES)
def test_where_it_posts_with_which_key_and_model(name, server, embedder_at):
    server.speaks(name)
    embedder_at(name).embed(TEXTS)
    assert server.last.path == PATHS[name]
    header, value = ("x-goog-api-key", KEY) if name == "gemini" else ("authorization", f"Bearer {KEY}")
    assert server.last.headers[header] == value
    assert first_of(name, server.last.body)["model"].removeprefix("models/") == "small"
    assert texts_of(name, server.last.body) == TEXTS
    assert KEY not in json.dumps(server.last.body) + server.last.path


@pytest.mark.parametrize("purpose", ["query", "passage"])
@pytest.mark.parametrize("name", NAMES)
def test_a_query_and_a_passage_are_told_apart_where_the_protocol_can(name, purpose, server, embedder_at):
    server.speaks(name)
    embedder_at(name).embed(TEXTS, purpose=purpose)
    asked = first_of(name, server.last.body)
    assert asked.get("input_type", asked.get("taskType")) == ASKED_FOR[name][purpose]


@pytest.mark.parametrize("name", NAMES)
def test_the_number_of_dimensions_is_asked_for_where_it_can_be(name, server, embedder_at):
    server.speaks(name)
    embedder_at(name).embed(TEXTS)
    assert SHORTENED.get(name, "dimensions") not in first_of(name, server.last.body)
    assert PROVIDERS[name].shortens is (name in SHORTENED)
    if name in SHORTENED:
        embedder_at(name, dimensions=WIDTH).embed(TEXTS)
        assert first_of(name, server.last.body)[SHORTENED[name]] == WIDTH


@pytest.mark.parametrize("name", SHORTENED)
def test_a_provider_that_does_not_shorten_is_found_out(name, server, embedder_at):
    server.speaks(name, WIDTH)
    with pytest.raises(DimensionMismatchError, match=f"{WIDTH} to {WIDTH} dimensions instead of 4"):
        embedder_at(name, dimensions=4).embed(TEXTS)


@pytest.mark.parametrize("name", NAMES)
def test_texts_go_in_batches_that_the_provider_takes(name, server, embedder_at):
    server.speaks(name)
    row = PROVIDERS[name]
    texts = [f"text {number}" for number in range(2 * row.texts + 1)]
    assert np.allclose(embedder_at(name).embed(texts), unit_of(texts), atol=1e-6)
    assert [len(texts_of(name, seen.body)) for seen in server.seen] == [row.texts, row.texts, 1]


@pytest.mark.parametrize("name", NAMES)
def test_long_texts_are_cut_and_fill_a_request_by_bytes(name):
    row = PROVIDERS[name]
    sent = list(batches(["ä" * row.longest] * 40 + ["end"], row))
    assert {len(text.encode()) for batch in sent for text in batch} == {row.longest // 2 * 2, 3}
    assert all(sum(len(text.encode()) for text in batch) <= row.bytes for batch in sent)
    assert len(sent) >= math.ceil(40 * row.longest / row.bytes)
    assert sum(map(len, sent)) == 41


@pytest.mark.parametrize("name", NAMES)
def test_hostile_texts_are_sent_as_something_a_provider_takes(name, server, embedder_at):
    server.speaks(name)
    found = embedder_at(name).embed(["", " \n", "broken \ud800", "\x00"])
    assert np.allclose(np.linalg.norm(found, axis=1), 1, atol=1e-6)
    assert texts_of(name, server.last.body)[:3] == [".", ".", "broken ?"]


@pytest.mark.parametrize("name", NAMES)
def test_no_text_asks_nobody(name, server, embedder_at):
    embedder = embedder_at(name, model="", dimensions=256)
    row = PROVIDERS[name]
    assert embedder.embed([]).shape == (0, 256 if row.shortens else row.dimensions)
    assert server.seen == []


@pytest.mark.parametrize("name", ["openai", "voyage", "mistral"])
def test_an_answer_in_another_order_is_put_right(name, server, embedder_at):
    said = enveloped(name, unit_of(TEXTS).tolist())
    said["data"].reverse()
    server.sends(json.dumps(said).encode())
    assert np.allclose(embedder_at(name).embed(TEXTS), unit_of(TEXTS), atol=1e-6)


@pytest.mark.parametrize("name", NAMES)
def test_the_name_tells_provider_model_and_dimensions(name, embedder_at):
    row = PROVIDERS[name]
    assert embedder_at(name, model="").name == f"{name}/{row.model}@{row.dimensions}"
    width = 256 if row.shortens else row.dimensions
    assert embedder_at(name, model="", dimensions=256).name == f"{name}/{row.model}@{width}"
    assert embedder_at(name, model="other").name == f"{name}/other"


def test_the_http_library_is_loaded_by_a_call_alone():
    code = """
import sys
import recortex.embeddings.providers
from recortex.embeddings.building import build_embedders
from recortex.embeddings.providers import EmbedderSettings
(made,) = build_embedders(EmbedderSettings(embedder="voyage"), key="", clean=str)
print(made.name, {"httpx2", "numpy", "keyring", "onnxruntime"} & set(sys.modules))
"""
    assert (
        subprocess.check_output([sys.executable, "-c", code], text=True).strip()
        == "voyage/voyage-code-3@1024 set()"
    )
