"""What is known of other languages than English, and that English text is left alone."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recortex.engines.retrieval.question import question
from recortex.text.words import (
    STOP_WORDS,
    bag_of_words,
    borders,
    function_words,
    grams,
    is_cjk,
    language_of,
    looked_up,
    negations,
    question_pairs,
    question_words,
    reads,
    stem,
    synonyms_of,
    units,
    words,
)

WRITTEN = st.text(alphabet="数据库認証データベースのは接続데이터를 abcX1_.,。「ｱＢガ\u3099\n", max_size=60)


@pytest.mark.parametrize(
    ("sentence", "language"),
    [
        ("Where do we store the sessions?", "en"), ("python sort list des con", "en"),
        ("MIT license", "en"), ("", "en"), ("Wo liegen die Sitzungen?", "de"),
        ("¿Dónde guardamos las sesiones?", "es"), ("Où sont stockées les sessions ?", "fr"),
        ("Onde são guardadas as sessões?", "pt"), ("会话存在哪里", "zh"), ("Redis はどこですか", "ja"),
        ("세션은 어디에 저장합니까", "ko"),
    ],
)  # fmt: skip
def test_a_sentence_is_in_the_language_that_its_script_or_most_of_its_words_tell(sentence, language):
    assert language_of(sentence) == language


@pytest.mark.parametrize(
    ("asked", "looked_for"),
    [
        ("为什么数据库连接失败?", ["数据", "据库", "库连", "连接", "接失", "失败"]),
        ("使用bcrypt做什么?", ["bcrypt", "使用"]),
        ("デプロイはいつ実行しますか?", ["デプ", "プロ", "ロイ", "実行"]),
        ("인증은 어디에서 합니까?", ["인증"]),
        ("令牌", ["令牌"]),
        ("何ですか", ["何で", "です", "すか"]),  # nothing else is asked
        ("¿Cuándo caduca l'API?", ["caduca", "l'api"]),
        ("Quand expire l'index ?", ["expire", "index"]),
        ("Wann läuft das Zertifikat ab?", ["läuft", "zertifikat"]),
    ],
)
def test_a_question_is_looked_up_without_what_only_asks(asked, looked_for):
    assert question_words(asked) == looked_for


def test_words_of_other_languages_are_looked_up_with_any_ending():
    assert looked_up("Wie ist die Datenbank benannt?", ["datenbank", "benannt"]) == ["datenbank*", "benannt"]
    assert looked_up("¿Dónde se ejecutan las pruebas?", ["ejecutan", "pruebas"]) == ["ejecut*", "prueb*"]
    assert looked_up("How is the database named?", ["database", "named"]) == ["database", "named"]


def test_german_nouns_are_no_names():
    assert question("Wo liegen die Sitzungen von Maria?").names == ()
    assert question("Where does Maria keep the sessions?").names == ("maria",)


def test_a_pair_across_the_border_of_two_words_is_no_unknown_word():
    counts = {"数据": 3, "据库": 3, "库存": 0, "存放": 0, "会话": 0, "database": 0}
    assert borders(counts) == {"库存"}
    assert borders({"デザ": 1, "ザイ": 1, "イナ": 0}) == set()  # katakana shows where a word ends


def test_what_denies_is_found_and_what_only_looks_so_is_not():
    assert negations("不再使用 Redis") == {"不"}
    assert negations("级别不同,无论如何都要识别") == frozenset()
    assert negations("Commit はまとめない") == {"ない"}
    assert negations("これは必ず実行しなければならない") == frozenset()
    assert negations("Das ist nicht erlaubt") == {"nicht"}
    assert negations("We never do that") == {"never"}


def test_the_shipped_model_reads_no_eastern_script():
    assert not reads("all-minilm-l6-v2.int8", "会话存在哪里")
    assert reads("all-minilm-l6-v2.int8", "What does 数据库 mean in the config?")
    assert reads("all-minilm-l6-v2.int8", "¿Dónde guardamos las sesiones?")
    assert reads("onnx/multilingual-e5-small-1f0c9a2b.mean~3d0b4b", "会话存在哪里")


@given(WRITTEN)
def test_a_text_is_found_by_every_pair_that_it_would_be_asked_for(text):
    assert set(question_pairs(text)) <= set(grams(text))


@given(WRITTEN)
def test_units_lose_no_character(text):
    said = {sign for word in words(text) for sign in word}
    kept = {sign for unit in units(words(text)) for sign in unit}
    assert {sign for sign in said if is_cjk(sign)} <= kept


@given(st.text(alphabet=st.characters(codec="ascii"), max_size=80))
def test_text_in_ascii_has_the_same_bag_of_words_as_without_units(text):
    plain = "".join(sign for sign in text.lower() if sign.isalnum() or sign == "_" or sign.isspace())
    assert bag_of_words(text) == frozenset(plain.split())


@given(st.lists(st.sampled_from(["the", "why", "does", "fail", "con", "des", "plus", "die", "was", "a"])))
def test_english_is_english_where_it_has_as_many_words_as_another_language(said):
    sentence = " ".join(["the why does", *said])
    assert function_words(sentence) == STOP_WORDS or said.count("con") + said.count("des") >= len(said) / 4


@pytest.mark.parametrize(
    ("language", "forms"),
    [
        ("en", ["deploy", "deploys", "deployed", "deployments"]),
        ("en", ["library", "libraries"]), ("en", ["class", "classes"]), ("de", ["sitzung", "sitzungen"]),
        ("es", ["configuración", "configuraciones"]), ("fr", ["migration", "migrations"]),
        ("pt", ["configuração", "configurações"]),
    ],
)  # fmt: skip
def test_forms_of_one_word_have_one_stem(language, forms):
    assert len({stem(one, language) for one in forms}) == 1


@pytest.mark.parametrize("name", ["src/policies.py", "node.js", "v2s", "--retries", "使用"])
def test_what_is_no_word_of_letters_has_no_stem(name):
    assert stem(name) == name


def test_plurals_of_a_question_have_the_synonyms_of_the_word():
    assert "kafka" in synonyms_of("queue")
    assert synonyms_of("queues") == synonyms_of("queue")
    assert synonyms_of("libraries") == ()
    assert synonyms_of("dependencies") == synonyms_of("dependency") != ()
