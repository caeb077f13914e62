"""Our WordPiece gives the ids of the reference implementation, which is installed for development only."""

import sys
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer
from tokenizers.models import WordPiece as ReferencePieces
from tokenizers.normalizers import BertNormalizer
from tokenizers.pre_tokenizers import BertPreTokenizer

from recortex.embeddings.onnx import MAXIMUM_CHARACTERS, MODEL_FOLDER, VOCABULARY_FILE, WordPiece

OURS = WordPiece.load(MODEL_FOLDER / VOCABULARY_FILE)
START, END = 101, 102
UNLIMITED = 1_000_000


def make_reference():
    pieces = ReferencePieces(OURS._ids, unk_token="[UNK]", max_input_chars_per_word=100)  # noqa: S106
    tokenizer = Tokenizer(pieces)
    tokenizer.normalizer = BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = BertPreTokenizer()
    return tokenizer


REFERENCE = make_reference()


def expected(text):
    return [START, *REFERENCE.encode(text, add_special_tokens=False).ids, END]


def settled(character):
    """Whether a character's class is unchanged since Unicode 3.2: newer ones differ by table version."""
    old, new = unicodedata.ucd_3_2_0.category(character), unicodedata.category(character)
    return old == new and old not in {"Cn", "Cs"}


SETTLED = st.characters(exclude_categories=["Cs", "Cn"]).filter(settled)
WORDS = st.sampled_from(
    [
        "hello",
        "getUserName",
        "snake_case",
        "naïve",
        "İstanbul",
        "ΣΊΣΥΦΟΣ",
        "[SEP]",
        "##ing",
        "unaffable",
        "x" * 101,
    ]
)


def batched(values, size):
    return (values[start : start + size] for start in range(0, len(values), size))


@pytest.mark.parametrize("step", [9, pytest.param(1, marks=pytest.mark.full)])
def test_every_settled_character_is_treated_alike(step):
    characters = [chr(code) for code in range(sys.maxunicode + 1) if settled(chr(code))]
    assert len(characters) > 90_000
    for some in batched(characters[::step], 200):
        text = " ".join(f"ab{c}cd" for c in some)
        assert OURS.encode(text, UNLIMITED) == expected(text), [
            c for c in some if OURS.encode(f"ab{c}cd", UNLIMITED) != expected(f"ab{c}cd")
        ]


@given(st.text(SETTLED, max_size=80))
def test_any_text_gives_the_reference_ids(text):
    assert OURS.encode(text, UNLIMITED) == expected(text)


@given(
    st.lists(WORDS | st.text(SETTLED, max_size=6), max_size=20), st.sampled_from([" ", "", "\n", "\t ", "-"])
)
def test_words_of_code_and_prose_give_the_reference_ids(words, gap):
    text = gap.join(words)
    assert OURS.encode(text, UNLIMITED) == expected(text)


@given(st.text(max_size=300), st.integers(2, 40))
def test_a_limit_keeps_the_first_pieces_and_both_marks(text, limit):
    whole, cut = OURS.encode(text, UNLIMITED), OURS.encode(text, limit)
    assert cut == [START, *whole[1:-1][: limit - 2], END]


@pytest.mark.parametrize("unit", ["a", " ", "你", "\u0301", "ab ", "\x00"])
def test_a_huge_text_is_read_up_to_the_maximum(unit):
    assert OURS.encode(unit * 1_000_000, 256) == OURS.encode((unit * 1_000_000)[:MAXIMUM_CHARACTERS], 256)
    assert len(OURS.encode(unit * 1_000_000, 256)) <= 256
