"""What says the same as something else: near-copies in an answer, and what a person typed again.

Of near-copies the best stands for all that say the same, so that they take one place. Two statements are
near-copies when they have the same figures, names and negations, and neither says something that the other
lacks, but for words that say little. Nothing is merged: those that are folded stay reachable.

A sentence was typed again when it says what one of an earlier session said. Of 615 messages in which readers
found an instruction repeated from an earlier session (bench/labels/repeats), 27 % are found; of 395 that are
found, readers call 42 % a repetition. The others are mostly requests typed twice; what is missed says the
same in other words.
"""

from __future__ import annotations

import itertools
import re
import zlib
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from functools import lru_cache, reduce
from math import ceil
from operator import or_
from typing import TYPE_CHECKING

from recortex.domain.kinds import KINDS
from recortex.engines.extraction.authorship import typed
from recortex.engines.extraction.person_rules import asks
from recortex.engines.extraction.sentences import passages, typed_sentences, without_greeting
from recortex.engines.similarity import (
    CONSOLIDATE,
    LONGEST,
    contradiction,
    is_near_duplicate,
    jaccard,
    same_event,
)
from recortex.engines.tables import Patterns
from recortex.lean import NamedTuple, replace
from recortex.text.words import language_of, meaning, stem, tokens, word_set

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from recortex.domain.memory import Memory
    from recortex.domain.search import Hit


SHARED = 0.75
"""The least share of the longer statement's words that both have (bench/near_copies.py)."""
FEWEST = 3
"""Words that a statement must have to be a copy of another one."""
_ROOT = 4
"""Letters that two forms of one word begin with."""
SOFT = frozenset(
    stem(word)
    for word in word_set(
        "always every each since because if whether use uses using used get gets keep kept keeps instead "
        "decision itself become becomes make makes made let lets want wants wanted like need needs"
    )
)
"""Words that one of two copies may have alone."""
_JOINS = frozenset(("and", "or", "nor", "plus", "versus", "vs"))
"""Words whose two sides may change places: "uv and pip" says what "pip and uv" does."""
_BUILT_ALIKE = 0.7
"""The share of the longer sentence's words that both have in one order, from which on each word counts."""
_FILLING = word_set(
    "a an the this that these those it its our their your my his her we you they i he she is are be been "
    "being am by via using use uses used with through always and so also then just please well there here "
    "which who of as do does very really simply now still currently actually"
)
"""Words that either of two copies may have, or lack."""
_ONE_PLACE = dict.fromkeys(word_set("at on into within inside"), "in")
"""Prepositions that copies exchange: "on start" says what "at start" does."""
_MARKED = re.compile(r"[a-z0-9][A-Z]|[\d_]")
"""In a word: it is an identifier, which each letter distinguishes from others."""
_WORDS = re.compile(r"\w[\w'’]*")
_CODE = frozenset(("code", "code_description"))
_NAME = re.compile(r"[^a-z]")
"""In a word: it is a figure, a path, an identifier."""


class _Said(NamedTuple):
    """The words of a statement, in order, and as sets: all that matter, and the names and figures."""

    order: tuple[str, ...]
    words: frozenset[str]
    names: frozenset[str]


@lru_cache(1_024)
def _compared_form(text: str) -> _Said:
    order = tuple(word for word in meaning(text) if word not in SOFT)
    return _Said(order, frozenset(order), frozenset(word for word in order if _NAME.search(word)))


def alike(one: str, other: str) -> bool:
    """Whether two statements say the same in nearly the same words."""
    if one == other:
        return True
    if max(len(one), len(other)) > LONGEST:  # reports and logs: comparing them takes long and finds nothing
        return False
    a, b = _compared_form(one), _compared_form(other)
    if a.names != b.names or min(len(a.words), len(b.words)) < FEWEST:
        return False
    only_a, only_b = _without_forms(a.words - b.words, b.words - a.words)
    if only_a and only_b:
        return False
    longer = max(len(a.words), len(b.words))
    if longer - len(only_a) - len(only_b) < SHARED * longer:
        return False
    apart = _exchanged(a.order, b.order) or change_places(one, other) or replaces(one, other)
    return not (apart or contradiction(one, other))


def change_places(one: str, other: str) -> bool:
    """Whether two parts change places around words that give each a part of its own.

    "Copy from staging to archive" and "copy from archive to staging" do, "on Fridays in Berlin" and "in
    Berlin on Fridays" do not: nothing stands between them.
    """
    a, b = tokens(one), tokens(other)
    if a == b or sorted(a) != sorted(b):
        return False
    start = next(at for at, pair in enumerate(zip(a, b, strict=True)) if pair[0] != pair[1])
    end = next(at for at, pair in enumerate(zip(a[::-1], b[::-1], strict=True)) if pair[0] != pair[1])
    a, b = a[start : len(a) - end], b[start : len(b) - end]
    firsts = [size for size in range(1, len(a) - 1) if a[:size] == b[-size:]]
    lasts = [size for size in range(1, len(a) - 1) if a[-size:] == b[:size]]
    return any(
        a[first:-last] == b[last:-first] and not _JOINS.issuperset(a[first:-last])
        for first in firsts
        for last in lasts
        if first + last < len(a)
    )


def replaces(one: str, other: str) -> bool:
    """Whether two English sentences are built alike, and each has a word of its own in place of another's.

    Words as short as "must" and "out" count; and which words stand in both is not enough: "async beside
    async" has all the words of "async beside sync".
    """
    if language_of(one) != "en":
        return False
    words, others = list(_short_words(one)), list(_short_words(other))
    a, b = Counter(words), Counter(others)
    only_a, only_b = _without_forms(a - b, b - a)
    if not (only_a and only_b):
        return False
    blocks = SequenceMatcher(None, words, others, autojunk=False).get_matching_blocks()
    return sum(block.size for block in blocks) >= _BUILT_ALIKE * max(len(words), len(others))


def _short_words(text: str) -> Iterator[str]:
    for word in _WORDS.findall(text):
        if _MARKED.search(word):
            yield word
        elif (plain := word.lower()) not in _FILLING:
            yield stem(_ONE_PLACE.get(plain, plain))


def folded(hits: Iterable[Hit]) -> list[Hit]:
    """The hits, best first, each with the ids of its near-copies, which have no place of their own."""
    found = list(hits)
    copies = defaultdict[str, list[str]](list)
    for memory, first in pair_with_originals([hit.memory for hit in found]):
        if memory is not first:
            copies[first.id].append(memory.id)
    left = {id_ for ids in copies.values() for id_ in ids}
    stay = [(hit, tuple(copies.get(hit.memory.id, ()))) for hit in found if hit.memory.id not in left]
    return [hit if hit.alike == alike else replace(hit, alike=alike) for hit, alike in stay]


def pair_with_originals(memories: Iterable[Memory]) -> Iterator[tuple[Memory, Memory]]:
    """Each memory with the one that stands for it: itself, or the first of which it is a near-copy."""
    firsts: defaultdict[frozenset[str], list[Memory]] = defaultdict(list)
    for memory in memories:
        # Copies have the same names and figures, so that only few are compared with each other.
        known = firsts[_compared_form(memory.text[:LONGEST]).names]
        first = next((one for one in known if _copies(one, memory)), memory)
        if first is memory:
            known.append(memory)
        yield memory, first


def _copies(a: Memory, b: Memory) -> bool:
    """Whether two memories say the same; what happened twice is told twice, and code is no statement."""
    if KINDS[a.kind].event or KINDS[b.kind].event:
        return a.kind == b.kind and same_event(a, b) and alike(a.text, b.text)
    return a.text == b.text if {a.kind, b.kind} & _CODE else alike(a.text, b.text)


def _without_forms(only_a: Iterable[str], only_b: Iterable[str]) -> tuple[list[str], list[str]]:
    """The words that are no forms of one word: `chose` and `chosen`, `retry` and `retried`."""
    left_a, left_b = list(only_a), list(only_b)
    for word in only_a:
        same = next((other for other in left_b if _same_root(word, other)), None)
        if same is not None:
            left_a.remove(word)
            left_b.remove(same)
    return left_a, left_b


def _same_root(one: str, other: str) -> bool:
    root = max(_ROOT, min(len(one), len(other)) - 1)
    return one[:root] == other[:root] and not _NAME.search(one + other)


def _exchanged(one: Sequence[str], other: Sequence[str]) -> bool:
    """Whether two words have changed places over others: `Ann calls Bob` and `Bob calls Ann`."""
    if len(one) != len(other):
        return False
    match [place for place, (a, b) in enumerate(zip(one, other, strict=True)) if a != b]:
        case [first, last]:
            return last > first + 1 and (one[first], one[last]) == (other[last], other[first])
    return False


# -- all pairs of texts that share more than half of their words, without comparing each with each


SIGNATURE_BITS = 256
MOST_COMPARED = 2_000_000
"""The most pairs that are compared: among 10,000 statements at most 1.8 million share a rare word, which
takes 0.6 s (bench/consolidation.py)."""


class ScoredPair(NamedTuple):
    """Two texts by their keys, `a` before `b`, and their similarity: 0 to 1."""

    a: str
    b: str
    score: float


def scored_pair(one: str, other: str, score: float) -> ScoredPair:
    """A pair with its keys in order."""
    return ScoredPair(min(one, other), max(one, other), score)


class OverlappingPairs(NamedTuple):
    """The pairs, and whether the search was complete."""

    pairs: tuple[ScoredPair, ...]
    complete: bool


def overlapping(texts: Mapping[str, frozenset[str]], *, most: int = MOST_COMPARED) -> OverlappingPairs:
    """Every pair whose Jaccard overlap is above 0.5, in no particular order.

    A join with prefix filtering (Xiao et al., «Efficient Similarity Joins for Near-Duplicate Detection»,
    2008): two such sets must share one of their rarest words, so only those words are indexed. Most pairs
    that
    share one are ruled out by their signatures: 256 bits, one set for each word.

    Args:
        texts: words of each text by its key.
        most: how many pairs are compared; beyond that the search is incomplete.
    """
    frequency = Counter(word for words in texts.values() for word in words)
    bits = {word: 1 << (zlib.crc32(word.encode()) % SIGNATURE_BITS) for word in frequency}
    index: defaultdict[str, list[_Text]] = defaultdict(list)
    pairs: list[ScoredPair] = []
    left = most
    # From the shortest on: the words that are indexed suffice only for texts that are no shorter than these.
    for key in sorted(texts, key=lambda key: (len(texts[key]), key)):
        words = sorted(texts[key], key=lambda word: (frequency[word], word))
        text = _Text(key, texts[key], len(words), reduce(or_, (bits[word] for word in words), 0))
        # Shorter or equally long texts that share one of the rarer half of the words.
        rare = words[: len(words) - ceil(CONSOLIDATE * len(words)) + 1]
        candidates = {other.key: other for word in rare if word in index for other in index[word]}
        left -= len(candidates)
        if left < 0:
            return OverlappingPairs(tuple(pairs), complete=False)
        pairs += _overlapping(text, candidates)
        for word in words[: _indexed(len(words))]:
            index[word].append(text)
    return OverlappingPairs(tuple(pairs), complete=True)


class _Text(NamedTuple):
    key: str
    words: frozenset[str]
    size: int
    signature: int


def _indexed(size: int) -> int:
    """How many of the rarest words are indexed: |x| - ceil(2t / (1 + t) |x|) + 1, with the threshold t."""
    return size - ceil(2 * CONSOLIDATE / (1 + CONSOLIDATE) * size) + 1


def _overlapping(text: _Text, candidates: Mapping[str, _Text]) -> Iterator[ScoredPair]:
    """The candidates with enough overlap. Each differing word changes at most one bit of a signature."""
    most_other = (1 - CONSOLIDATE) / (1 + CONSOLIDATE)
    for other in candidates.values():
        if (text.signature ^ other.signature).bit_count() > most_other * (text.size + other.size):
            continue
        score = jaccard(text.words, other.words)
        if score > CONSOLIDATE:
            yield scored_pair(text.key, other.key, score)


PATTERNS = Patterns(__file__, "typed_again")

READ = 20_000
"""Characters of a prompt that are looked at."""
LEAST, MOST = 3, 60
"""Words that carry meaning in a sentence that is compared: fewer are in any request, more are pasted."""
ALIKE = 0.5
"""The share of such words in common from which two sentences say the same."""
SHORT, SESSIONS = range(2, 6), 2
"""Words of a phrase such as "no code", which is typed again where so many sessions had just these."""
LONGEST_PHRASE = 80
"""Characters."""

_Words = frozenset[str]


class Sentence(NamedTuple):
    """A typed sentence with the words that carry its meaning, and the session that it was typed in."""

    text: str
    words: _Words
    session: str = ""


def says_the_same(text: str, other: str) -> bool:
    """Whether two statements say the same, in nearly the same words."""
    one, two = _words(text), _words(other)
    alike = jaccard(one, two) >= ALIKE or is_near_duplicate(text, other) or is_near_duplicate(other, text)
    return alike and len(one & two) >= min(LEAST, len(one), len(two))


@dataclass(slots=True)
class Typed:
    """What the person typed in sessions so far; each sentence is compared with those of other sessions."""

    _said: list[Sentence] = field(default_factory=list)
    _with: dict[str, list[int]] = field(default_factory=dict)
    _phrases: dict[_Words, dict[str, Sentence]] = field(default_factory=dict)

    def again(self, session: str, prompt: str) -> list[tuple[str, Sentence]]:
        """What of a prompt repeats an earlier session: sentences and phrases, each with the first one.

        The prompt's own sentences are then known, too.
        """
        found: list[tuple[str, Sentence]] = []
        new: list[tuple[Sentence, list[Sentence]]] = []
        for text in _requests(prompt):
            one, phrases = Sentence(text, _words(text), session), list(_phrases(text, session))
            habits = ((phrase.text, self._known(phrase)) for phrase in phrases)
            repeats = ((said, first) for said, first in [(text, self._alike(one)), *habits] if first)
            found += itertools.islice(repeats, 1)
            new.append((one, phrases))
        for one, phrases in new:
            if LEAST <= len(one.words) <= MOST:
                for word in one.words:
                    self._with.setdefault(word, []).append(len(self._said))
                self._said.append(one)
            for phrase in phrases:
                self._phrases.setdefault(phrase.words, {}).setdefault(phrase.session, phrase)
        return found

    def _alike(self, one: Sentence) -> Sentence | None:
        """The first sentence of another session that says the same."""
        if not LEAST <= len(one.words) <= MOST:
            return None
        near = sorted({place for word in one.words for place in self._with.get(word, ())})
        return next(
            (
                known
                for known in (self._said[place] for place in near)
                if known.session != one.session and jaccard(one.words, known.words) >= ALIKE
            ),
            None,
        )

    def _known(self, phrase: Sentence) -> Sentence | None:
        """The first of the same phrase, where enough other sessions had it."""
        others = [
            known
            for session, known in self._phrases.get(phrase.words, {}).items()
            if session != phrase.session
        ]
        return others[0] if len(others) >= SESSIONS else None


def _requests(prompt: str) -> Iterator[str]:
    """The typed sentences that ask nothing: a question is no instruction, whatever its words."""
    for passage in passages(typed(prompt[:READ])):
        for text in typed_sentences(passage):
            if not asks(text):
                yield text


def _phrases(text: str, session: str) -> Iterator[Sentence]:
    """The parts of a sentence that are short enough to be a habit."""
    for part in PATTERNS.border.split(PATTERNS.place.sub(" ", text)):
        words = frozenset(meaning(part))
        if len(words) in SHORT and len(part) < LONGEST_PHRASE and not asks(part.strip()):
            yield Sentence(" ".join(part.split()), words, session)


def _words(text: str) -> _Words:
    """The words that carry meaning, without greeting and names of files."""
    return frozenset(meaning(PATTERNS.place.sub(" ", without_greeting(text))))
