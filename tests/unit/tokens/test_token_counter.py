"""Tokens are counted as the reference counts them."""

import base64
import hashlib
from typing import TYPE_CHECKING

import pytest
import tiktoken

from recortex.text.tokens import VOCABULARY, TokenCounter, pieces, read_vocabulary

if TYPE_CHECKING:
    from recortex.domain.maintenance import Degradation

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
