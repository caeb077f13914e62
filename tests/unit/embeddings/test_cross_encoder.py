"""A cross-encoder from a folder decides the order of the answers; where it cannot run, the scorer does."""

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper
from tiny_model import WORDS, write_tokenizer, write_words

from recortex import Cortex
from recortex.embeddings.folder import CrossEncoder
from recortex.errors import EmbeddingError

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
