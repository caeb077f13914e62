"""Decides whether a memory is relevant to a prompt: most prompts ask for work, not for knowledge.

A terse order ("the test fails, fix it") shares its few words with half of what any project knows, and a small
store then answers it with confidence. So a memory is only brought where it and the prompt share something
that is said of few things.
"""

from __future__ import annotations

from functools import cache, lru_cache
from typing import TYPE_CHECKING

from recortex.domain.expressions import lazy
from recortex.engines.retrieval.floor import FLOOR
from recortex.engines.retrieval.lexicon import names_for
from recortex.engines.words import (
    EVERYDAY,
    STOP_WORDS,
    SUFFIXES,
    compound_parts,
    content_words,
    is_cjk,
    query_grams,
    stem,
)

if TYPE_CHECKING:
    from recortex.domain.memory import Memory

LEAST = 0.7
"""The score that a hit must have to be brought unasked. With it and the rule below 93 of 100 relevant prompts
get their memory (83 by words alone), and 4 of 100 everyday prompts of other projects get any, instead of 27
(bench/prompts.py)."""
SHARED = 2
"""Words of the topic that both share; one where the prompt has no more than two."""
ALIKE = 0.4
"""A cosine from which meaning alone is enough (bench/prompts.py)."""

_NAME = lazy(
    r"\w{0,64}[a-z][A-Z]\w{0,64}|\w{1,64}_\w{1,64}|\b[\w-]{1,64}\.\w{1,4}\b|[\w.-]{1,64}/[\w./-]{1,256}|"
    r"\b[A-Z]{2,}\w*\b|\w{0,64}[A-Za-z]\d\w{0,64}"
)


def is_relevant(prompt: str, memory: Memory, score: float, semantic: float) -> bool:
    """Whether a memory is worth bringing unasked: its score is high, and it shares enough with the prompt.

    Enough are words of its topic, or the meaning; where they share a name, any answer above the floor will
    do.

    Args:
        prompt: what the person typed.
        memory: what may be brought.
        score: of the memory as an answer to the prompt.
        semantic: cosine of the two, 0 where it is not known.
    """
    asked, known = topic(prompt), topic(_said(memory))
    shared = {word for word in asked if word in known or not known.isdisjoint(_stand_ins(word))}
    if shared & names(prompt):
        return score >= FLOOR
    enough = len(shared) >= min(SHARED, max(1, len(asked) - 1)) or (bool(asked) and semantic >= ALIKE)
    return score >= LEAST and enough


def _said(memory: Memory) -> str:
    return " ".join([memory.text, *memory.tags, *(file.path for file in memory.files)])


@lru_cache(512)
def topic(text: str) -> frozenset[str]:
    """The stems of the words that say what a text is about."""
    found = [*content_words(text), *compound_parts(text)]
    kept = (word for word in found if word not in STOP_WORDS and not is_cjk(word) and len(word) > 1)
    plain = {stem(word, SUFFIXES) for word in kept}
    return frozenset(plain - _everyday() | set(query_grams(text)))


def names(text: str) -> frozenset[str]:
    """The stems of identifiers, paths and abbreviations in a text."""
    found = (word for name in _NAME.findall(text) for word in content_words(name))
    return frozenset(stem(word, SUFFIXES) for word in found) - _everyday()


@cache
def _everyday() -> frozenset[str]:
    return frozenset(stem(word, SUFFIXES) for word in EVERYDAY)


@lru_cache(512)
def _stand_ins(word: str) -> frozenset[str]:
    return frozenset(
        stem(name, SUFFIXES) for said in (word, f"{word}e", f"{word}s") for name in names_for(said)
    )
