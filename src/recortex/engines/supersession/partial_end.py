"""Recognises a change that ends only a part of a known statement: "Redis goes" of "Postgres and Redis".

The rest still holds, so the statement is not replaced; but it cannot stand as it is, and waits for review.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from recortex.engines.patterns import Patterns
from recortex.engines.supersession.change_cues import changes
from recortex.engines.supersession.claims import affirmed, clause_words, core, named, stems
from recortex.engines.words import CLAIM_WORDS, word_set

if TYPE_CHECKING:
    from collections.abc import Iterator

PATTERNS = Patterns(__file__)

_LEAST_PARTS = 2
_SAYS_THE_CHANGE = CLAIM_WORDS | word_set(
    "no not but drop dropped let lets throw thrown out goes gone go going longer more stop stopped "
    "replace replaced with instead than rather remove removed retire retired switch switched off "
    "away rid get got stay stays keep kept now by need needed longer ditch ditched left leave leaves "
    "done use used using uses run runs "
)


def ends_a_part(new: str, known: str) -> bool:
    """Whether a statement gives up one of several things that a known one names together, and not the rest.

    Args:
        new: no question, guess or report of the past, and no addition.
        known: the statement that it may end in part.
    """
    parts = _parts(known)
    if len(parts) < _LEAST_PARTS or affirmed(clause_words(core(known)))[1]:
        return False
    all_words = frozenset[str]().union(*parts)
    return any(
        sum(bool(gone & part) for part in parts) == 1 and gone <= all_words and rest <= all_words
        for gone, rest in _given_up(new)
    )


def _parts(known: str) -> list[frozenset[str]]:
    """The words of each thing that a statement lists or joins, without those that say nothing of it."""
    parts = [_telling(part) for part in PATTERNS.joint.split(core(known))]
    return [part for part in parts if part]


def _given_up(new: str) -> Iterator[tuple[frozenset[str], frozenset[str]]]:
    """Of each thing that is given up: its words, and the other words of its clause."""
    for clause in PATTERNS.clause.split(core(new)):
        found = [(change.old, change.new) for change in changes(clause)]
        ends = (pattern.search(clause) for pattern in PATTERNS.starting("ends_"))
        found += [(_telling(one["old"]), frozenset()) for one in ends if one]
        for old, instead in found:
            if gone := frozenset(old) - _SAYS_THE_CHANGE:
                yield gone, _telling(clause) - gone - (instead | _instead(clause))


def _instead(clause: str) -> frozenset[str]:
    """The words of what takes the place of what is given up."""
    found = PATTERNS.instead.search(clause)
    return _telling(next(filter(None, found.groups()))) if found else frozenset()


def _telling(text: str) -> frozenset[str]:
    words = [word for word in clause_words(text) if word.lower() not in _SAYS_THE_CHANGE and word != ","]
    return stems(words) & named(words)
