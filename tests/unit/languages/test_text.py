"""Text: its language, what of it is indexed, and how many tokens it has."""

import base64
import hashlib
from typing import TYPE_CHECKING

import pytest
import tiktoken
from hypothesis import example, given
from hypothesis import strategies as st

from recortex.engines.indexing import _ANSWERS, Trait, is_code, is_outline, self_description, traits
from recortex.engines.retrieval.question import question
from recortex.text.tokens import VOCABULARY, TokenCounter, pieces, read_vocabulary
from recortex.text.words import (
    LETTERS,
    LONGER,
    STOP_WORDS,
    WORD,
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
    tokens,
    units,
    words,
)

if TYPE_CHECKING:
    from recortex.domain.maintenance import Degradation


# -- What is known of other languages than English, and that English text is left alone.
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


FOREIGN = ("con", "des", "plus", "die", "was", "a")


@given(st.lists(st.sampled_from(["the", "why", "does", "fail", *FOREIGN])))
@example(["plus"] * 4)
@example(["con", "des", "plus"])
def test_english_is_english_where_it_has_as_many_words_as_another_language(said):
    sentence = " ".join(["the why does", *said])
    english = 3 + sum(word in {"the", "why", "does", "was", "a"} for word in said)
    # Four times "plus" are more than three English words: that sentence may be French.
    assert function_words(sentence) == STOP_WORDS or english < sum(map(said.count, FOREIGN))


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


# -- What of a text is indexed.
FUNCTION = '''def read_lines(path):
    """Read a file into a list of lines. Blank lines are kept.

    :param path: where it is
    """
    with open(path) as handle:
        return handle.read().splitlines()
'''
OUTLINE = "store/rows.py\nclass RowStore\nRowStore.def insert(self, row)\ndef connect(path)\n"


def test_a_function_body_is_code_and_says_what_it_does():
    assert is_code(FUNCTION)
    assert not is_outline(FUNCTION)
    assert self_description(FUNCTION) == "read lines Read a file into a list of lines."


def test_a_list_of_declarations_is_an_outline():
    assert is_outline(OUTLINE)
    assert not is_code(OUTLINE)


@pytest.mark.parametrize(
    "text",
    [
        "function names should be snake_case",
        "Use class UserStore for reading; type checks run in CI.",
        "Never call refresh() in a transaction = deadlock",
        "To release:\n- bump the version\n- tag it\n- push",
    ],
)
def test_notes_are_neither_code_nor_outline(text):
    assert not traits(text) & (Trait.CODE | Trait.OUTLINE)


@pytest.mark.parametrize(
    ("text", "trait"),
    [
        ("We moved there last spring in May", Trait.TIME), ("She has two dogs", Trait.NUMBER),
        ("They met in Lisbon", Trait.PLACE), ("We chose it because it is small", Trait.REASON),
        ("Did you see it?", Trait.QUESTION), ("word " * 400, Trait.DOCUMENT),
    ],
)  # fmt: skip
def test_what_a_text_may_answer(text, trait):
    assert traits(text) & trait


@pytest.mark.parametrize(
    ("speaker", "session", "trait"),
    [("Ann", "s1", Trait.DIALOGUE), ("user", "s1", Trait.MESSAGE), ("Assistant", "s1", Trait.REPLY)],
)
def test_speakers_tell_dialogue_from_chat(speaker, session, trait):
    assert traits("Hello there", speaker=speaker, session=session) & trait


def test_tests_are_known_by_their_path():
    assert traits(OUTLINE, files=["tests/unit/test_rows.py"]) & Trait.TEST
    assert not traits(OUTLINE, files=["src/contest.py"]) & Trait.TEST


# -- Text of ASCII is read by tables of characters and by its words: that finds what the expressions find.
SAID = st.lists(
    st.sampled_from(
        "since days Mondays 1999 2024s 20245 x1 one ones 12 3_ _4 in the Paris To so that helps want to "
        "wanted may's fridays dozen 192.168 v20 2019-03 don't a' motivation \x1c \x85 é ’".split(" ")
    )
).map(" ".join)


@pytest.mark.parametrize("pattern", [WORD, LETTERS, LONGER])
@given(text=st.text("aB0_'’é-. \n\x1c\x85") | SAID)
def test_words_are_those_of_the_expression(pattern, text):
    assert tokens(text, pattern) == pattern.findall(text.lower())
    assert tokens(text, pattern, lower=False) == pattern.findall(text)


@given(SAID)
def test_traits_are_those_of_the_expressions(text):
    found = {trait for trait, pattern in _ANSWERS.items() if pattern.search(text.strip())}
    assert {trait for trait in Trait if trait in _ANSWERS and trait in traits(text)} == found


# -- Tokens are counted as the reference counts them.
OFFICIAL_NAME = "9b5ad71b2ce5302211f9c61530b329a4922fc6a4"  # under which tiktoken caches its cl100k_base file
OFFICIAL_SHA256 = "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7"  # which tiktoken checks

SENTENCES = (
    "Use bcrypt with 12 rounds.",
    "def get_user_name(user_id: int) -> str:\n    return USERS[user_id]['name']\n",
    "SELECT id FROM memories WHERE status = 'active' ORDER BY recorded_at DESC LIMIT 10;",
    "It's what they'd've said: we'll see, I'M sure, you're DON'T", "你好世界。今天天气很好。", "こんにちは、テストは成功しました。",
    "안녕하세요 데이터베이스 마이그레이션", "Привет, мир! Ошибка подключения.", "مرحبا بالعالم",
    "naïve café Straße Åström İstanbul", "👩‍💻 commits 🎉🎉 and 🇩🇪 flags",
    "\t\tif err != nil {\r\n\t\t\treturn err\r\n\t\t}\r\n",
    "1234567890 3.14159 0xDEADBEEF 2026-01-31T08:00:00Z",
    "   leading, trailing   and    inner     spaces    ",
    "<|endoftext|> <|im_start|>system<|im_end|> <|fim_prefix|>", "https://example.com/a/b?c=d&e=%20f#g",
    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "--------==========>>>>>>>>>>[[[[[[[[{{{{{{{{",
    "zero\u200bwidth\u00a0no-break\u2028line separator",
    "\x00\x01\x02 control \x7f characters \ud800 and a lone surrogate",
)  # fmt: skip
REFERENCE_TEXTS = [
    text
    for i, sentence in enumerate(SENTENCES)
    for text in (
        sentence,
        sentence.upper(),
        sentence[::-1],
        f"{sentence}\n\n{SENTENCES[(i + 7) % len(SENTENCES)]}",
        sentence.replace(" ", "_"),
    )
]


@pytest.fixture(scope="module")
def counter():
    return TokenCounter()


@pytest.fixture(scope="module")
def reference(tmp_path_factory):
    """tiktoken's own cl100k_base, from the official file that our vocabulary must reproduce to the byte."""
    tokens = read_vocabulary(VOCABULARY)
    lines = [base64.b64encode(token) + b" %d\n" % rank for rank, token in enumerate(tokens)]
    official = b"".join(lines)
    assert hashlib.sha256(official).hexdigest() == OFFICIAL_SHA256
    folder = tmp_path_factory.mktemp("tiktoken")
    (folder / OFFICIAL_NAME).write_bytes(official)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TIKTOKEN_CACHE_DIR", str(folder))
        return tiktoken.get_encoding("cl100k_base")


def test_empty_text_has_no_tokens(counter):
    assert counter.count("") == 0


def test_counts_match_the_reference_on_a_hundred_texts(counter, reference):
    assert len(REFERENCE_TEXTS) == 100
    ours = [counter.count(text) for text in REFERENCE_TEXTS]
    assert ours == [len(reference.encode(text, disallowed_special=())) for text in REFERENCE_TEXTS]


def test_a_long_text_is_counted_in_pieces_without_a_difference(counter, reference):
    text = "\n\n".join(REFERENCE_TEXTS[:60]) * 12
    assert len(list(pieces(text))) > 2
    assert counter.count(text) == len(reference.encode(text, disallowed_special=()))


@pytest.mark.parametrize("content", [None, b"", b"not a vocabulary", VOCABULARY.read_bytes()[:200_000]])
def test_without_the_vocabulary_a_quarter_of_the_characters_is_assumed(tmp_path, content):
    path = tmp_path / "cl100k_base.bin"
    if content is not None:
        path.write_bytes(content)
    told: list[Degradation] = []
    approximate = TokenCounter(path, on_degradation=told.append)
    assert [approximate.count(text) for text in ("", "a", "abcd", "abcde")] == [0, 1, 1, 2]
    assert approximate.count("abcde" * 100) == 125
    assert not approximate.exact
    assert [(event.component, event.recovered) for event in told] == [("token counter", False)]
