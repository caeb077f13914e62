"""Chinese, Japanese and Korean, which write no spaces or join particles to words.

Such text is found and compared by its pairs of neighbouring characters, since most words have two and no
dictionary is at hand. Everything else here cuts such runs out of other text.
"""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING

from recortex.domain.expressions import lazy

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

_KANA = "\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff"
_HAN = "\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U000323af"
_HANGUL = "\uac00-\ud7a3"
_SIGNS = f"{_KANA}{_HAN}{_HANGUL}"
_RUN = lazy(f"[{_SIGNS}]+")
_PAIR = lazy(f"[{_SIGNS}]{{2}}")
_PIECE = lazy(f"[{_SIGNS}]+|[^{_SIGNS}]+")
_OTHER_FORM = lazy("[\u1100-\u11ff\u3099\u309a\uff01-\uffdc]")
"""Characters of wide Latin, narrow kana, and of kana and Hangul in pieces, as some systems write them."""
_TOKEN = lazy(rf"[^\W_{_SIGNS}]+(?:['’][^\W_{_SIGNS}]+)?")
_MARKS = lazy("[\u3000-\u3004\u3008-\u3020\u30fb\uff01-\uff0f\uff1a-\uff20\uff3b-\uff40\uff5b-\uff65]")
_KATAKANA = lazy("[\u30a1-\u30fa\u30fc-\u30ff]{2}")
KANA, HANGUL, _NO_SPACES = lazy(f"[{_KANA}]"), lazy(f"[{_HANGUL}]"), lazy(f"[{_KANA}{_HAN}]")


def composed(text: str) -> str:
    """The text with each character in its usual form (NFKC), where it has any of another form."""
    return unicodedata.normalize("NFKC", text) if _OTHER_FORM.search(text) else text


def runs(text: str) -> list[str]:
    """The runs of such characters."""
    return _RUN.findall(composed(text))


def is_cjk(word: str) -> bool:
    """Whether the word is one such run."""
    return _RUN.fullmatch(word) is not None


def has_cjk(text: str) -> bool:
    """Whether there is any such character."""
    return _RUN.search(composed(text)) is not None


def writes_no_spaces(text: str) -> bool:
    """Whether there is any Chinese or Japanese, which also has a full stop of its own."""
    return _NO_SPACES.search(text) is not None


def pairs(run: str) -> Iterable[str]:
    """The pairs of neighbours; a single character stands for itself."""
    return (run[place : place + 2] for place in range(len(run) - 1)) if len(run) > 1 else (run,)


def grams(text: str) -> Iterator[str]:
    """What such runs are indexed by: their characters and pairs, and the words that stand in them.

    `使用bcrypt` is one word to the keyword index, which would not be found by "bcrypt".
    """
    text = composed(text)
    for run in _RUN.findall(text):
        yield from run
        if len(run) > 1:
            yield from pairs(run)
    if _RUN.search(text):
        yield from (word[0].lower() for word in _TOKEN.finditer(text) if _touches(text, word.span()))


def _touches(text: str, span: tuple[int, int]) -> bool:
    """Whether a word stands beside such a character, without a space."""
    start, end = span
    return bool(_RUN.match(text, end) or (start and _RUN.match(text, start - 1)))


def units(words: Iterable[str]) -> Iterator[str]:
    """Words as they are compared: each such run in one as its pairs, and what stands between as words."""
    for word in words:
        if word.isascii() or not _RUN.search(plain := composed(word)):
            yield word
            continue
        for run in _RUN.findall(plain):
            yield from pairs(run)
        yield from filter(None, _RUN.split(plain))


def characters(words: Iterable[str]) -> Iterator[str]:
    """As `units`, with the characters of each run in place of its pairs: their order tells as much."""
    for word in words:
        if word.isascii() or not _RUN.search(word):
            yield word
            continue
        for piece in _PIECE.findall(word):
            yield from piece if is_cjk(piece) else (piece,)


def spaced(text: str) -> str:
    """The text with a space for each punctuation mark of East Asian writing, which stands between words."""
    return text if text.isascii() else _MARKS.sub(" ", text)


def without_cjk(text: str) -> str:
    """The text without such runs, a space for each."""
    return text if text.isascii() else _RUN.sub(" ", composed(text))


def borders(counts: Mapping[str, int]) -> set[str]:
    """Pairs that nothing holds beside one that something holds: they stand across the border of two words.

    Args:
        counts: how many texts hold each word and pair of a question.
    """
    two = [word for word in counts if _PAIR.fullmatch(word) and not _KATAKANA.match(word)]
    firsts, seconds = ({word[place] for word in two if counts[word]} for place in (0, 1))
    return {word for word in two if not counts[word] and (word[0] in seconds or word[1] in firsts)}
