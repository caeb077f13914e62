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
from functools import lru_cache
from itertools import accumulate, islice, pairwise
from pathlib import Path
from typing import TYPE_CHECKING

from recortex.domain.maintenance import Degradation
from recortex.domain.text import lazy

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

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
_PLAIN = lazy("[\x00-\x7f…–—‘’“”→×€]*+")  # noqa: RUF001  all of these are neither letter, digit nor space
"""Texts that Python's expressions split into words as cl100k_base does."""
_SPACE = r"\t\n\x0b\x0c\r "
_WORD = lazy(
    r"'(?:[sdmtSDMT]|[lL][lL]|[vV][eE]|[rR][eE])|[^\r\nA-Za-z0-9]?+[A-Za-z]++|[0-9]{1,3}+"
    rf"| ?[^{_SPACE}A-Za-z0-9]++[\r\n]*+|[{_SPACE}]++\Z|[{_SPACE}]*[\r\n]"
    rf"|[{_SPACE}]+(?![^{_SPACE}])|[{_SPACE}]"
)
"""`PATTERN` for such a text. A word's tokens depend on it alone, and most words were counted before: so a
line is counted in 10 µs instead of 24."""
REMEMBERED_WORDS = 50_000
_FEW = 8
"""A text with more words that are new is counted at once: each would take 2 µs by itself."""


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
        self._encoding: Encoding | None = None
        self._approximate = False
        self._words: dict[str, int] = {}

    @property
    def exact(self) -> bool:
        """False once a count had to be approximated."""
        return not self._approximate

    def count(self, text: str) -> int:
        """Return the number of tokens of a text."""
        if not text:
            return 0
        encoding = self._load()
        if encoding is None:
            return -(-len(text) // CHARACTERS_PER_TOKEN)
        if len(text) <= PIECE and _PLAIN.fullmatch(text):
            if len(self._words) > REMEMBERED_WORDS:
                self._words = {}
            words, known = _WORD.findall(text), self._words
            try:  # of most texts every word is known
                return sum(map(known.__getitem__, words))
            except KeyError:
                new = {word for word in words if word not in known}
            for word in islice(new, _FEW):
                known[word] = len(encoding.encode_ordinary(word))
            if len(new) > _FEW:
                return len(encoding.encode_ordinary(text))
            return sum(map(known.__getitem__, words))
        return sum(len(encoding.encode_ordinary(piece)) for piece in pieces(text))

    def _load(self) -> Encoding | None:
        with self._lock:
            if self._encoding is None and not self._approximate:
                try:
                    self._encoding = open_encoding(self._vocabulary)
                except (OSError, ValueError, ImportError, zlib.error) as error:
                    self._approximate = True
                    if self._on_degradation is not None:
                        failure = f"the vocabulary cannot be used: {error}"
                        fallback = "a quarter of the characters"
                        self._on_degradation(Degradation("token counter", failure, fallback))
            return self._encoding


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


def read_vocabulary(path: Path) -> dict[bytes, int]:
    """Read the tokens and their ranks.

    Raises:
        OSError: The file cannot be read.
        ValueError: The file is not a whole vocabulary.
        zlib.error: The file is damaged.
    """
    data = zlib.decompress(path.read_bytes())
    bounds = list(accumulate(data[:TOKENS], initial=TOKENS))
    ranks = {data[start:end]: rank for rank, (start, end) in enumerate(pairwise(bounds))}
    if len(ranks) != TOKENS or bounds[-1] != len(data):
        raise ValueError("the vocabulary file is incomplete")
    return ranks


@lru_cache(maxsize=1)
def open_encoding(path: Path) -> Encoding:
    """Construct cl100k_base from a vocabulary file, with no special token and no network.

    It takes a tenth of a second, so all counters and threads of a process share it.
    """
    from tiktoken import Encoding

    ranks = read_vocabulary(path)
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
