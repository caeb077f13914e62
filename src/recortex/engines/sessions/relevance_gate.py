"""Decides whether a memory is relevant to a prompt: most prompts ask for work, not for knowledge.

A short order ("the test fails, fix it") shares its few words with half of a project's memories, and in a
small store their score is then high. So a memory is relevant only if it shares something specific with the
prompt.
"""

from __future__ import annotations

from functools import cache, lru_cache
from typing import TYPE_CHECKING

from recortex.domain.expressions import lazy
from recortex.engines.retrieval.floor import FLOOR
from recortex.engines.retrieval.lexicon import synonyms_of
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
"""The least score of a hit that is given unasked. With it and the rule below 93 of 100 relevant prompts get
their memory (83 by words alone), and 4 of 100 everyday prompts of other projects get any, instead of 27
(bench/prompts.py)."""
SHARED = 2
"""Words of the topic that both must share; one is enough where the prompt has only two."""
ALIKE = 0.4
"""The cosine from which similarity of meaning alone is enough (bench/prompts.py)."""

_NAME = lazy(
    r"\w{0,64}[a-z][A-Z]\w{0,64}|\w{1,64}_\w{1,64}|\b[\w-]{1,64}\.\w{1,4}\b|[\w.-]{1,64}/[\w./-]{1,256}|"
    r"\b[A-Z]{2,}\w*\b|\w{0,64}[A-Za-z]\d\w{0,64}"
)


def is_relevant(prompt: str, memory: Memory, score: float, semantic: float) -> bool:
    """Whether a memory should be given unasked: its score is high, and it shares enough with the prompt.

    Words of the topic are enough, or the meaning; if they share a name, any score above the floor is.

    Args:
        prompt: what the person typed.
        memory: the one that may be given.
        score: of the memory as an answer to the prompt.
        semantic: the cosine of the two; 0 if unknown.
    """
    asked, known = topic(prompt), topic(_text_of(memory))
    shared = {word for word in asked if word in known or not known.isdisjoint(_synonym_stems(word))}
    if shared & names(prompt):
        return score >= FLOOR
    enough = len(shared) >= min(SHARED, max(1, len(asked) - 1)) or (bool(asked) and semantic >= ALIKE)
    return score >= LEAST and enough


def _text_of(memory: Memory) -> str:
    return " ".join([memory.text, *memory.tags, *(file.path for file in memory.files)])


@lru_cache(512)
def topic(text: str) -> frozenset[str]:
    """The stems of the words that tell what a text is about."""
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
def _synonym_stems(word: str) -> frozenset[str]:
    return frozenset(
        stem(name, SUFFIXES) for form in (word, f"{word}e", f"{word}s") for name in synonyms_of(form)
    )
