"""BERT's uncased WordPiece in the standard library: text to the ids that the embedding model was trained on.

The `tokenizers` wheel gives the same ids, but installs a hub client and sixteen more packages with it
(`tests/properties/test_embedding_wordpiece.py` holds the two equal). Two differences are wanted: the names of
special tokens inside a text are ordinary text, and only the first `MAXIMUM_CHARACTERS` of a text are read.
"""

from __future__ import annotations

import re
import unicodedata
from itertools import chain
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

MAXIMUM_CHARACTERS = 16_384  # 256 pieces of ordinary text take about 1,200 characters
MAXIMUM_WORD = 100  # a longer word is unknown, as in BERT
REMEMBERED_WORDS = 50_000
BASIC_PLANE = 0xFFFF
# Characters that are words of their own, with the gap at 2B820 that BERT has.
_IDEOGRAPH = re.compile(
    "[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0002a6df\U0002a700-\U0002b81f"
    "\U0002b920-\U0002ceaf\U0002f800-\U0002fa1f]"
)


class _Characters(dict[int, str]):
    """A table for `str.translate` that is filled by a function when a character first occurs.

    Only the basic plane is cached, so that it stays small.
    """

    def __init__(self, translated: Callable[[str], str]) -> None:
        super().__init__()
        self._translated = translated

    def __missing__(self, code: int) -> str:
        value = self._translated(chr(code))
        if code <= BASIC_PLANE:
            self[code] = value
        return value


def _cleaned(character: str) -> str:
    """Drop control characters, replace white space by spaces, put spaces around ideographs."""
    if character in "\t\n\r":
        return " "
    if character == "\ufffd" or unicodedata.category(character) in {"Cc", "Cf", "Co", "Cs"}:
        return ""
    if character.isspace():
        return " "
    return f" {character} " if _IDEOGRAPH.match(character) else character


def _folded(character: str) -> str:
    """Drop accents of decomposed text, convert to lower case, put spaces around punctuation."""
    category = unicodedata.category(character)
    if category == "Mn":
        return ""
    ascii_symbol = character.isascii() and character.isprintable() and not character.isalnum()
    if category.startswith("P") or (ascii_symbol and character != " "):
        return f" {character} "
    return character.lower()


_CLEAN, _FOLD = _Characters(_cleaned), _Characters(_folded)


def words(text: str) -> list[str]:
    """Split text into BERT's words.

    Cleaned, without accents, lower case, punctuation and ideographs alone.
    """
    cleaned = text[:MAXIMUM_CHARACTERS].translate(_CLEAN)
    if not cleaned.isascii():
        cleaned = unicodedata.normalize("NFD", cleaned)
    return cleaned.translate(_FOLD).split()


class WordPiece:
    """The longest-match-first tokenizer over a word list.

    Args:
        vocabulary: piece to id; continuing pieces begin with `##`. `[UNK]`, `[CLS]` and `[SEP]` must be
            there.
    """

    def __init__(self, vocabulary: dict[str, int]) -> None:
        self._ids = vocabulary
        self._known: dict[str, tuple[int, ...]] = {}
        self._unknown, self._start, self._end = (vocabulary[name] for name in ("[UNK]", "[CLS]", "[SEP]"))

    @classmethod
    def load(cls, path: Path) -> WordPiece:
        """Read a word list of one piece per line, the line number being the id.

        Raises:
            OSError: The file cannot be read.
            UnicodeDecodeError: The file is not a word list.
            KeyError: A special piece is missing.
        """
        lines = path.read_text(encoding="utf-8").split("\n")
        return cls({piece: index for index, piece in enumerate(lines) if piece})

    def encode(self, text: str, limit: int) -> list[int]:
        """Return the ids of a text, start and end marks included, at most `limit` of them."""
        room = max(limit - 2, 0)
        ids: list[int] = []
        for word in words(text):
            ids.extend(self._pieces(word))
            if len(ids) >= room:
                break
        return list(chain((self._start,), ids[:room], (self._end,)))

    def _pieces(self, word: str) -> tuple[int, ...]:
        found = self._known.get(word)
        if found is None:
            if len(self._known) >= REMEMBERED_WORDS:
                self._known.clear()
            found = self._known[word] = self._split(word)
        return found

    def _split(self, word: str) -> tuple[int, ...]:
        if len(word) > MAXIMUM_WORD:
            return (self._unknown,)
        ids, start, mark = [], 0, ""
        while start < len(word):
            end = len(word)
            while end > start and mark + word[start:end] not in self._ids:
                end -= 1
            if end == start:
                return (self._unknown,)
            ids.append(self._ids[mark + word[start:end]])
            start, mark = end, "##"
        return tuple(ids)
