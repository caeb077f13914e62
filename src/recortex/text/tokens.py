"""Exact token counts in cl100k_base, from the vocabulary in this package, without a network.

Special tokens in a text (`<|endoftext|>`) count as ordinary text. A text longer than `PIECE` characters is
counted in pieces, so that time and memory are proportional to its length (tiktoken before 0.13 needs its
square). No token of cl100k_base goes from a visible character over a space, or from a line's end to a visible
character, so a cut there changes nothing. A stretch of `PIECE` characters without such a place is cut
anywhere, which may change the count by one.
"""

from __future__ import annotations

import threading
import zlib
from array import array
from functools import lru_cache
from itertools import accumulate, pairwise
from pathlib import Path
from typing import TYPE_CHECKING

from recortex.domain.maintenance import Degradation
from recortex.domain.text import lazy

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator

    from tiktoken import Encoding

VOCABULARY = Path(__file__).parent / "cl100k_base.bin"
TOKENS = 100_256
PIECE = 4_096
CHARACTERS_PER_TOKEN = 4  # assumed if the vocabulary is missing
LONGEST_TOKEN = 8
"""Characters of a token, on the average of a text: a part of a line is no longer, whatever it has."""
# How cl100k_base splits a text into words (tiktoken, MIT licence).
PATTERN = (
    r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+"
    r"|\s++$|\s*[\r\n]|\s+(?!\S)|\s"
)
_SPACE = r"\t-\r \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"
_WORD = lazy(
    r"'(?:[sdmtSDMT]|[lL][lL]|[vV][eE]|[rR][eE])|(?:[^\w\r\n]|_)?+[^\W\d_]++|\d{1,3}+"
    rf"| ?(?:[^\w{_SPACE}]|_)++[\r\n]*+|[{_SPACE}]++\Z|[{_SPACE}]*[\r\n]"
    rf"|[{_SPACE}]+(?![^{_SPACE}])|[{_SPACE}]"
)
"""`PATTERN` as Python writes it, for texts without what `_splits_alike` leaves out. A word's tokens depend on
it alone, and most words were counted before: so a line is counted in 10 µs instead of 24."""
_ASCII = frozenset(map(chr, range(128)))
_LONGEST_WORD = 200
"""Characters: the time to merge a word's pairs is the square of its length."""
_NO_RANK = 1 << 20
_PLACES = 1 << 18
"""For the hashes of tokens, a power of two: with so many free ones, most are found at the first look."""
MERGED = 25_000
"""So many new words are merged in Python, 11 µs each, before tiktoken is loaded, which takes 0.1 s and 23 MB:
hundreds of questions have fewer, a long history that is imported more (bench/RESULTS.md)."""
REMEMBERED_WORDS = 50_000
_FEW = 8
"""With tiktoken, a text with more words that are new is counted at once: each would take 2 µs by itself."""


class TokenCounter:
    """Counts tokens. The vocabulary is read on the first count.

    Args:
        vocabulary: the file that `scripts/build_vocabulary.py` made.
        on_degradation: called once if counts become approximations (a quarter of the characters).
    """

    def __init__(
        self,
        vocabulary: Path = VOCABULARY,
        *,
        on_degradation: Callable[[Degradation], None] | None = None,
    ) -> None:
        self._vocabulary = vocabulary
        self._on_degradation = on_degradation
        self._lock = threading.RLock()
        self._approximate = False
        self._words: dict[str, int] = {}
        self._merged = 0

    @property
    def exact(self) -> bool:
        """False once a count had to be approximated."""
        return not self._approximate

    def count(self, text: str) -> int:
        """Return the number of tokens of a text."""
        if not text:
            return 0
        if not self._approximate:
            try:
                return self._counted(text)
            except (OSError, ValueError, ImportError, zlib.error) as error:
                self._give_up(error)
        # Rounded up, so that only an empty text counts as nothing.
        return -(-len(text) // CHARACTERS_PER_TOKEN)

    def _counted(self, text: str) -> int:
        if len(text) <= PIECE and (text.isascii() or _splits_alike(text)):
            if len(self._words) > REMEMBERED_WORDS:
                self._words = {}
            words, known = _WORD.findall(text), self._words
            try:  # of most texts every word is known
                return sum(map(known.__getitem__, words))
            except KeyError:
                new = {word for word in words if word not in known}
            if count := self._word_counter(new):
                known.update((word, count(word)) for word in new)
                return sum(map(known.__getitem__, words))
        with self._lock:
            encoding = open_encoding(self._vocabulary)
        return sum(len(encoding.encode_ordinary(piece)) for piece in pieces(text))

    def _word_counter(self, new: Collection[str]) -> Callable[[str], int] | None:
        """What counts these words one by one; None where the text is better counted at once."""
        self._merged += len(new)
        if self._merged <= MERGED:
            if max(map(len, new)) > _LONGEST_WORD:
                return None
            with self._lock:
                return open_merges(self._vocabulary).count
        with self._lock:
            encoding = open_encoding(self._vocabulary)
        return (lambda word: len(encoding.encode_ordinary(word))) if len(new) <= _FEW else None

    def _give_up(self, error: Exception) -> None:
        """Approximate from now on, and tell it once."""
        with self._lock:
            told, self._approximate = self._approximate, True
        if self._on_degradation is not None and not told:
            failure = f"the vocabulary cannot be used: {error}"
            self._on_degradation(Degradation("token counter", failure, "a quarter of the characters"))


def _splits_alike(text: str) -> bool:
    """Whether `_WORD` splits a text into the words of cl100k_base.

    Numerals that are neither letters nor decimal digits are numbers there and letters here; lone surrogates
    have no bytes; the long s is a case of "s" there.
    """
    return not any(
        one == "\u017f"
        or "\ud800" <= one <= "\udfff"
        or (one.isalnum() and not (one.isalpha() or one.isdecimal()))
        for one in set(text) - _ASCII
    )


class Merges:
    """Counts the tokens of a word by the ranks of its parts, in a twentieth of tiktoken's memory.

    Parts are known by Python's hash of 64 bits alone: that one which is no token has the hash of a token is
    to be expected once in 10^14.

    Args:
        tokens: in the order of their ranks.
    """

    def __init__(self, tokens: Iterable[bytes]) -> None:
        self._hashes, self._ranks = array("q", bytes(8 * _PLACES)), array("I", bytes(4 * _PLACES))
        for rank, known in enumerate(map(hash, tokens)):
            at = self._place(known)
            self._hashes[at], self._ranks[at] = known, rank
        self._rank = lru_cache(4_096)(self._look_up)  # most parts are those of other words

    def count(self, word: str) -> int:
        """The number of tokens of a word: of two parts beside each other, those with the least rank merge."""
        whole = word.encode()
        if self._rank(whole) < _NO_RANK:
            return 1
        parts = [whole[at : at + 1] for at in range(len(whole))]
        ranks = [self._rank(one + other) for one, other in pairwise(parts)]
        while (least := min(ranks, default=_NO_RANK)) < _NO_RANK:
            at = ranks.index(least)
            parts[at : at + 2] = [parts[at] + parts[at + 1]]
            del ranks[at]
            # No other pairs have changed.
            for pair in range(max(at - 1, 0), min(at + 1, len(ranks))):
                ranks[pair] = self._rank(parts[pair] + parts[pair + 1])
        return len(parts)

    def _look_up(self, part: bytes) -> int:
        at = self._place(hash(part))
        return self._ranks[at] if self._hashes[at] else _NO_RANK

    def _place(self, sought: int) -> int:
        """Where a hash stands, or the free place where it would stand."""
        hashes, at = self._hashes, sought & (_PLACES - 1)
        while (found := hashes[at]) and found != sought:
            at = (at + 1) & (_PLACES - 1)
        return at


def pieces(text: str) -> Iterator[str]:
    """Cut a text into parts of at most `PIECE` characters (see the module's text for where)."""
    start = 0
    while len(text) - start > PIECE:
        end = _cut(text, start, start + PIECE)
        yield text[start:end]
        start = end
    yield text[start:]


def _cut(text: str, start: int, end: int) -> int:
    """The last place before `end` where a cut changes no token: before a single space, or after a line."""
    space = text.rfind(" ", start + 1, end)
    while space > start and text[space - 1].isspace():
        space = text.rfind(" ", start + 1, space)
    line = text.rfind("\n", start, end) + 1
    while line > start and text[line].isspace():
        line = text.rfind("\n", start, line - 1) + 1
    return max(space, line) if max(space, line) > start else end


def read_vocabulary(path: Path) -> Iterator[bytes]:
    """Read the tokens, in the order of their ranks.

    Raises:
        OSError: The file cannot be read.
        ValueError: The file is not a whole vocabulary.
        zlib.error: The file is damaged.
    """
    data = zlib.decompress(path.read_bytes())
    bounds = list(accumulate(data[:TOKENS], initial=TOKENS))
    if bounds[-1] != len(data) or len(bounds) <= TOKENS:
        raise ValueError("the vocabulary file is incomplete")
    return (data[start:end] for start, end in pairwise(bounds))


@lru_cache(maxsize=1)
def open_merges(path: Path) -> Merges:
    """The ranks of a vocabulary file, for all counters and threads of a process."""
    return Merges(read_vocabulary(path))


@lru_cache(maxsize=1)
def open_encoding(path: Path) -> Encoding:
    """Construct cl100k_base from a vocabulary file, with no special token and no network.

    It takes a tenth of a second, so all counters and threads of a process share it.
    """
    from tiktoken import Encoding

    ranks = {token: rank for rank, token in enumerate(read_vocabulary(path))}
    encoding = Encoding("cl100k_base", pat_str=PATTERN, mergeable_ranks=ranks, special_tokens={})
    ranks.clear()  # 12 MB that it keeps for what is never asked here: it counts with a copy of its own
    return encoding


def fitting(text: str, most: int, count: Callable[[str], int], begin: int = 0) -> int:
    """How many characters of a text have at most so many tokens, at least one: after a word if it can be.

    Nearly as many as could be: each look counts the tokens anew, and a text is as long as it likes.

    Args:
        text: its beginning is taken.
        most: tokens.
        count: tokens of a text.
        begin: how many characters to try first, where something is known of what stands before.
    """
    fits, fails = 0, min(len(text), LONGEST_TOKEN * max(most, 1)) + 1
    trial = min(begin or 4 * max(most, 1), fails - 1)
    while fits + 1 < fails:
        end = _after_word(text, trial) if trial < len(text) else trial
        end = end if end > fits else trial
        tokens = count(text[:end])
        if tokens <= most:
            fits = end
            if 8 * tokens >= 7 * most or end + 1 >= fails or trial + 1 >= fails:
                return end
        else:
            fails = end
        trial = end * (most - 2) // max(tokens, 1)
        if not fits < trial < fails:
            trial = (fits + fails) // 2
    return max(fits, 1)


def _after_word(text: str, end: int) -> int:
    """The end of the last word of the first characters of a text, where one ends in their second half."""
    space = max(text.rfind(" ", 0, end), text.rfind("\t", 0, end)) + 1
    return space if 2 * space > end else end
