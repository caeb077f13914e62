"""Vectors of the word pieces of a text, by which a question is compared with a text word by word.

A sentence model's vectors of its tokens are compared as in ColBERT (late interaction, arXiv 2004.12832): each
piece of the question with the piece of the text that is most like it. They are turned to the directions in
which pieces differ most (principal components, mixed by a random rotation so that each number tells about as
much), of which the signs are enough for a text (`engines/indexing/pieces.py`). `bench/piece_table.py` makes
the table and has the figures.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

from recortex.domain.embedding import LABEL

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    import numpy as np
    import numpy.typing as npt

    from recortex.ports.embedding import PieceCodes, Pieces

    Rows = npt.NDArray[np.float32]
    Flags = npt.NDArray[np.bool_]


MOST = 96
"""Pieces of a text that are kept, from its beginning. Of what is asked of sessions' messages by its meaning,
96 find 59 % within ten hits, 64 find 53, and 32 find 49; three more stretches of 256 pieces find no more."""


class Table(NamedTuple):
    """What a model's pieces are turned by.

    Attributes:
        centre: the mean of pieces of unit length, shape (model's dimensions,).
        rotation: shape (model's dimensions, numbers that are kept).
        telling: for each piece of the word list, whether it says what a text is about: no punctuation, no
            English function word, no mark.
    """

    centre: Rows
    rotation: Rows
    telling: Flags


def read_table(path: Path) -> Table:
    """Read a table that `bench/piece_table.py` made.

    Raises:
        OSError: it cannot be read.
        KeyError, ValueError: it is none.
    """
    import numpy as np

    with np.load(path, allow_pickle=False) as file:
        rotation = file["rotation"].astype(np.float32) * np.float32(file["scale"])
        telling = np.unpackbits(file["telling"]).astype(bool)
        return Table(file["centre"].astype(np.float32), rotation, telling)


class PieceReader:
    """Makes pieces of what a model says of each token.

    Args:
        read: gives the table, once it is needed.
        encode: the ids of a text, with a mark at each end.
    """

    def __init__(self, read: Callable[[], Table], encode: Callable[[str], Sequence[int]]) -> None:
        self._read = read
        self._encode = encode

    @cached_property
    def _table(self) -> Table:
        return self._read()

    def of_question(self, ids: Sequence[int], states: Rows) -> Pieces:
        """Every piece of a question.

        Args:
            ids: of the tokens, marks included.
            states: the model's vector of each, shape (tokens, dimensions).
        """
        import numpy as np

        telling = self._table.telling[np.asarray(ids[1:-1], dtype=np.int64)]
        return self._turned(_unit(states[1:-1])), telling if telling.any() else ~telling

    def of_passage(self, text: str, ids: Sequence[int], states: Rows) -> PieceCodes:
        """The telling pieces of a text without its label, each once, as the mean of where it occurs."""
        import numpy as np

        begins = self._encode(label[0])[:-1] if (label := LABEL.match(text)) else ids[:1]
        places = np.arange(min(len(begins), len(ids) - 1), len(ids) - 1)
        told = np.asarray(ids, dtype=np.int64)[places]
        telling = self._table.telling[told]
        if telling.any():
            told, places = told[telling], places[telling]
        _, first, which = np.unique(told, return_index=True, return_inverse=True)
        sums = np.zeros((len(first), states.shape[1]), np.float32)
        np.add.at(sums, which, _unit(states[places]))
        rows = self._turned(_unit(sums[np.argsort(first)][:MOST]))
        return bytes(np.packbits(rows > 0, axis=1).tobytes())

    def _turned(self, rows: Rows) -> Rows:
        import numpy as np

        # Not as a product of matrices, which would wake the threads of the linear algebra library: they wait
        # for more work so eagerly that a recall takes three times as long (bench/latency.py).
        return _unit(np.einsum("pd,dn->pn", rows - self._table.centre, self._table.rotation))


def _unit(rows: npt.NDArray[np.floating[Any]]) -> Rows:
    import numpy as np

    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.asarray(rows / np.maximum(lengths, 1e-12), dtype=np.float32)


# -- BERT's uncased WordPiece in the standard library: text to the ids that the embedding model was trained


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
            found = self._known.get(word)
            if found is None:
                if len(self._known) >= REMEMBERED_WORDS:
                    self._known.clear()
                found = self._known[word] = self._split(word)
            ids.extend(found)
            if len(ids) >= room:
                break
        return list(chain((self._start,), ids[:room], (self._end,)))

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
