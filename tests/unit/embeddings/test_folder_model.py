"""Any ONNX model in a folder: its tokens, inputs and pooling, and a name that changes with all of them."""

import shutil
import sys
from functools import partial

import numpy as np
import pytest
from tiny_model import (
    TABLE,
    WIDTH,
    WORDS,
    ids_of,
    write_model,
    write_other,
    write_pieces,
    write_tokenizer,
    write_words,
)

from recortex import Cortex
from recortex.embeddings.folder import FolderEmbedder
from recortex.embeddings.onnx import (
    MAXIMUM_PIECES,
    MODEL_FILE,
    MODEL_FOLDER,
    VOCABULARY_FILE,
    WEIGHTS_FILE,
    OnnxEmbedder,
)
from recortex.errors import EmbeddingError

TEXT = "The parser reads"
IDS = ids_of("the", "parser", "reads")


def unit(row):
    return row / np.linalg.norm(row)


@pytest.fixture(params=["vocab.txt", "tokenizer.json"])
def folder(request, tmp_path):
    """A model with each kind of tokenizer; both give the same ids."""
    place = tmp_path / "tiny"
    write_model(place / "model.onnx")
    (write_words if request.param == "vocab.txt" else write_tokenizer)(place)
    return place


@pytest.mark.parametrize(
    ("pooling", "wanted"),
    [("mean", TABLE[IDS].mean(axis=0)), ("cls", TABLE[IDS[0]]), ("last", TABLE[IDS[-1]])],
)
def test_tokens_are_pooled_as_it_is_set(pooling, wanted, folder):
    found = FolderEmbedder(folder, pooling=pooling).embed([TEXT])
    assert (found.shape, found.dtype) == ((1, WIDTH), np.float32)
    assert np.allclose(found[0], unit(wanted), atol=1e-6)


def test_a_graph_that_wants_segments_and_positions_gets_them(folder):
    write_model(
        folder / "model.onnx", inputs=("input_ids", "attention_mask", "token_type_ids", "position_ids")
    )
    found = FolderEmbedder(folder, pooling="last").embed([TEXT])[0]
    assert np.allclose(found, unit(TABLE[IDS[-1]] + 0 + len(IDS) - 1), atol=1e-6)


@pytest.mark.parametrize("text", ["", "\x00\ud800", "the " * 100_000, "[SEP]", "你" * 9])
def test_hostile_texts_get_a_unit_vector(text, folder):
    assert np.linalg.norm(FolderEmbedder(folder).embed([text])[0]) == pytest.approx(1, abs=1e-6)


def test_no_text_gives_no_vector(folder):
    embedder = FolderEmbedder(folder)
    assert embedder.embed([]).shape == (0, 0)
    embedder.embed([TEXT])
    assert (embedder.dimensions, embedder.embed([]).shape) == (WIDTH, (0, WIDTH))


def test_one_of_several_graphs_is_chosen_by_name(tmp_path):
    for name in ("a.onnx", "b.onnx"):
        write_model(tmp_path / "onnx" / name)
    write_words(tmp_path)
    with pytest.raises(EmbeddingError, match="2 models") as raised:
        FolderEmbedder(tmp_path).embed([TEXT])
    assert "onnx/a.onnx" in raised.value.hint
    assert FolderEmbedder(tmp_path, file="onnx/b.onnx").embed([TEXT]).shape == (1, WIDTH)


@pytest.mark.parametrize("file", ["missing.onnx", "../outside.onnx", "/etc/passwd"])
def test_a_graph_outside_its_folder_is_not_opened(file, tmp_path):
    write_model(tmp_path / "outside.onnx")
    write_words(tmp_path / "inside")
    with pytest.raises(EmbeddingError, match="no file of"):
        FolderEmbedder(tmp_path / "inside", file=file).embed([TEXT])


def cased(place):
    write_words(place)
    (place / "tokenizer_config.json").write_text('{"do_lower_case": false}')


@pytest.mark.parametrize(
    ("graph", "words", "reason"),
    [
        (None, write_words, r"no \*.onnx"),
        (write_model, None, "no tokenizer.json and no vocab.txt"),
        (write_model, cased, "cased"),
        (partial(write_model, inputs=("input_ids", "attention_mask", "pixels")), write_words, "pixels"),
        (partial(write_other, output="sequence"), write_words, "no array of numbers"),
        (partial(write_other, output="words"), write_words, "no array of numbers"),
    ],
)
def test_what_is_no_model_for_texts_is_refused_with_the_reason(graph, words, reason, tmp_path):
    if graph:
        graph(tmp_path / "model.onnx")
    if words:
        words(tmp_path)
    with pytest.raises(EmbeddingError, match=reason):
        FolderEmbedder(tmp_path).embed([TEXT])


@pytest.mark.parametrize("name", ["tokenizer.json", "model.onnx"])
def test_a_damaged_file_is_an_error_and_is_not_read_again(name, folder):
    (folder / "tokenizer.json").touch()
    (folder / name).write_bytes(b"\x00broken")
    embedder = FolderEmbedder(folder)
    with pytest.raises(EmbeddingError) as first:
        embedder.embed([TEXT])
    with pytest.raises(EmbeddingError) as second:
        embedder.embed([TEXT])
    assert first.value is second.value


def test_without_the_package_for_tokenizers_the_error_holds_the_line_to_type(tmp_path, monkeypatch):
    write_model(tmp_path / "model.onnx")
    write_tokenizer(tmp_path)
    monkeypatch.setitem(sys.modules, "tokenizers", None)
    with pytest.raises(EmbeddingError) as raised:
        FolderEmbedder(tmp_path).embed([TEXT])
    assert raised.value.hint == "pip install 'recortex[models]'"


def test_a_text_that_the_model_makes_nothing_of_keeps_no_other_from_its_vector(
    project, tmp_path, monkeypatch
):
    """As when a half-precision model overflows: the batch would fail for ever, and the rest would wait."""
    table = TABLE.copy()
    table[WORDS.index("parser")] = np.nan
    write_model(tmp_path / "model" / "model.onnx", table=table)
    write_words(tmp_path / "model")
    monkeypatch.setenv("RECORTEX_EMBEDDING_FOLDER", str(tmp_path / "model"))
    facts = [f"The cache number {number} is cold." for number in range(7)] + ["The parser is slow."]
    with Cortex.open(project) as cortex:
        cortex.remember_many([{"text": text, "kind": "insight"} for text in facts], link=False)
        (store,) = cortex.status().stores
        assert (store.memories, store.without_vector) == (8, 1)
        assert "finite" in cortex.backfill().stopped


def test_a_length_beyond_the_models_own_keeps_long_texts_alone_from_their_vectors(
    project, tmp_path, monkeypatch
):
    folder = tmp_path / "model"
    folder.mkdir()
    shutil.copy(MODEL_FOLDER / MODEL_FILE, folder / "model.onnx")
    shutil.copy(MODEL_FOLDER / WEIGHTS_FILE, folder)
    shutil.copy(MODEL_FOLDER / VOCABULARY_FILE, folder / "vocab.txt")
    monkeypatch.setenv("RECORTEX_EMBEDDING_FOLDER", str(folder))
    monkeypatch.setenv("RECORTEX_EMBEDDING_MAX_LENGTH", "1024")  # it has places for 512
    facts = ["The queue is full.", " ".join(f"step {number}" for number in range(600)), "The cache is cold."]
    with Cortex.open(project) as cortex:
        cortex.remember_many([{"text": text, "kind": "insight"} for text in facts], link=False)
        (store,) = cortex.status().stores
        assert (store.memories, store.without_vector) == (3, 1)
        assert "embedding.max_length" in cortex.backfill().stopped
    monkeypatch.delenv("RECORTEX_EMBEDDING_MAX_LENGTH")
    with Cortex.open(project) as cortex:
        assert (cortex.reembed().done, cortex.status().stores[0].without_vector) == (3, 0)


def test_whatever_changes_a_vector_changes_the_name(folder):
    assert "missing" in FolderEmbedder(folder / "nowhere").name
    names = [FolderEmbedder(folder).name]
    names += [FolderEmbedder(folder, pooling=pooling).name for pooling in ("cls", "last")]
    names.append(FolderEmbedder(folder, length=64).name)
    write_model(folder / "model.onnx", table=TABLE + 1)
    names.append(FolderEmbedder(folder).name)
    (folder / "model.onnx_data").write_bytes(b"weights beside the graph")
    names.append(FolderEmbedder(folder).name)
    (folder / "vocab.txt").write_text("other words")
    names.append(FolderEmbedder(folder).name)
    assert len(set(names)) == len(names)


@pytest.mark.parametrize("tokenizer", ["vocab.txt", "tokenizer.json"])
def test_the_shipped_model_in_a_folder_gives_the_vectors_that_it_gives(tokenizer, tmp_path):
    """A real model with a real word list, read in both ways."""
    (tmp_path / "model.onnx").symlink_to(MODEL_FOLDER / MODEL_FILE)
    shutil.copy(MODEL_FOLDER / WEIGHTS_FILE, tmp_path)
    if tokenizer == "vocab.txt":
        (tmp_path / "vocab.txt").symlink_to(MODEL_FOLDER / VOCABULARY_FILE)
    else:
        words = (MODEL_FOLDER / VOCABULARY_FILE).read_text(encoding="utf-8").split("\n")
        write_tokenizer(tmp_path, [word for word in words if word])
    texts = ["How do we hash passwords?", "Use bcrypt with 12 rounds.", "naïve café — 你好", "x" * 3_000]
    found = FolderEmbedder(tmp_path, length=MAXIMUM_PIECES, threads=2).embed(texts)
    assert np.allclose(found, OnnxEmbedder().embed(texts), atol=1e-5)


def test_a_multilingual_model_in_a_folder_finds_by_meaning_what_the_shipped_one_cannot_read(
    project, tmp_path, monkeypatch
):
    same = (("会话", "登录状态", "ログイン"), ("缓存", "内存", "メモリ"), ("发票", "账单", "請求書"))
    pieces = ["\u2581", *(one for group in same for one in group)]
    table = np.zeros((4 + len(pieces), WIDTH), dtype=np.float32)
    table[:, 3] = 0.1
    for number, group in enumerate(same):
        for one in group:
            table[4 + pieces.index(one), number] = 5.0
    write_model(tmp_path / "model" / "model.onnx", table=table)
    write_pieces(tmp_path / "model", pieces)
    monkeypatch.setenv("RECORTEX_EMBEDDING_FOLDER", str(tmp_path / "model"))
    monkeypatch.setenv("RECORTEX_EMBEDDING_QUERY_PREFIX", "query: ")
    monkeypatch.setenv("RECORTEX_EMBEDDING_PASSAGE_PREFIX", "passage: ")
    with Cortex.open(project) as cortex:
        kept = [cortex.remember(text) for text in ("会话 缓存", "发票")]
        for question, found in (("登录状态 内存", kept[0]), ("請求書", kept[1])):
            (hit, *_) = cortex.recall(question, floor=False).hits
            assert (hit.memory.id, hit.signals.get("keyword", 0.0)) == (found.id, 0.0)
            assert hit.signals["semantic"] > 0.9
