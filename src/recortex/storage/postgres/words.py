"""Splits texts into words as FTS5 does, so that both engines find the same memories with the same scores.

SQLite's own tokenizer does it (porter unicode61, diacritics removed); SQLite is there in any case.
"""

from __future__ import annotations

import threading
from collections import Counter
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, NamedTuple

from recortex.domain.search import BM25_WEIGHTS_DOUBLED

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from recortex.domain.search import SearchText

SAID, MOST_SAID, MOST_WEIGHT = 256, 63, 255
"""A lexeme has one position, of 14 bits: its count in the text times 256, plus twice its weighted count. Both
are capped: BM25 gives hardly more for more occurrences."""
_LONGEST = 255
"""Characters of a lexeme: a tsvector takes 2,046 bytes. Of longer ones the rest stands as its digest."""
_DIGEST_BYTES = 16
_local = threading.local()
_APOSTROPHES = (b"'", "’".encode())


class Words(NamedTuple):
    """What a memory is found by.

    Attributes:
        said: each word, with its count in the text and twice its weighted count.
        length: words in all columns, as often as they occur.
    """

    said: Mapping[str, tuple[int, int]]
    length: int

    def vector(self, workspace: int) -> str:
        """A tsvector as text; every lexeme begins with the workspace."""
        return " ".join(
            f"'{quoted(lexeme(workspace, word))}':{SAID * min(count, MOST_SAID) + min(weight, MOST_WEIGHT)}"
            for word, (count, weight) in self.said.items()
        )


def words_of(text: str, search: SearchText) -> Words:
    """The words of a memory."""
    return counted(zip((text, search.terms, search.context), BM25_WEIGHTS_DOUBLED.values(), strict=True))


def words_of_columns(row: Mapping[str, Any], weights: Mapping[str, int]) -> Words:
    """The words of an exchange or a chunk, by its columns; `weights`: twice that of each."""
    return counted((row[name], weight) for name, weight in weights.items())


def counted(parts: Iterable[tuple[str, int]]) -> Words:
    """The words of texts, each with twice BM25's weight; the first text is what counts as said."""
    counts: Counter[str] = Counter()
    weights: Counter[str] = Counter()
    length = 0
    for place, (said, doubled) in enumerate(parts):
        for word, added in _tokens(said):
            counts[word] += place == 0
            weights[word] += doubled
            length += added
    return Words({word: (counts[word], weight) for word, weight in weights.items()}, length)


def asked(word: str) -> str | None:
    """A word of a question as it is in the index; None where it has no letter or digit.

    One with an apostrophe is a phrase to FTS5: it is indexed as a whole beside its parts, where an
    apostrophe alone stands between them.
    """
    parts = _split(word.replace("\0", "").encode("utf-8", "replace"))
    return _short("'".join(parts)) if parts else None


def lexeme(workspace: int, word: str) -> str:
    """A word in the index."""
    return f"{workspace}:{word}"


def _tokens(text: str) -> Iterator[tuple[str, int]]:
    """Each token with what it adds to the length; joined ones, which FTS5 does not count, add nothing."""
    said = text.encode("utf-8", "replace")
    if "'" not in text and "’" not in text:
        yield from ((_short(token), 1) for token in _split(said))
        return
    end, last = 0, ""
    for start, after, token in _split(said, offsets=True):
        yield _short(token), 1
        if last and said[end:start] in _APOSTROPHES:
            yield _short(f"{last}'{token}"), 0
        end, last = after, token


def _short(word: str) -> str:
    if len(word) <= _LONGEST:
        return word
    rest = blake2b(word.encode(), digest_size=_DIGEST_BYTES).hexdigest()
    return word[: _LONGEST - len(rest)] + rest


def quoted(text: str) -> str:
    """A text as it stands between quotes in a tsvector or tsquery."""
    return text.replace("\\", "\\\\").replace("'", "''")


def _split(text: bytes, *, offsets: bool = False) -> Any:
    """The tokens of a text by SQLite's tokenizer as FTS5 uses it; with offsets (first byte, end, token)."""
    if not hasattr(_local, "tokenizer"):  # one for each thread: a connection of SQLite serves one at a time
        import apsw

        _local.flags = apsw.FTS5_TOKENIZE_DOCUMENT
        words = ["unicode61", "remove_diacritics", "2"]
        _local.tokenizer = apsw.Connection(":memory:").fts5_tokenizer("porter", words)
    return _local.tokenizer(text, _local.flags, None, include_offsets=offsets, include_colocated=False)
