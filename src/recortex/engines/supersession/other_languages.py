"""Decides whether a statement in another language than English replaces a known one.

The grammar of each language is not parsed. What is compared are roots of words, of Chinese, Japanese and
Korean pairs of characters: a cue names what is given up and the rest is about the same, or both say the same
but for a denial, an amount, or one of two tools of which a project uses one. In doubt nothing is replaced
(bench/language_pairs.py).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from recortex.engines.languages import negations, statement_units
from recortex.engines.patterns import Patterns
from recortex.engines.similarity.jaccard import jaccard
from recortex.engines.supersession.lexicon import FAMILY_OF, SYNONYMS
from recortex.engines.words import is_cjk

if TYPE_CHECKING:
    import re
    from collections.abc import Iterator, Mapping

PATTERNS = Patterns(__file__)
_OLD, _UNSURE, _ADDS = PATTERNS.by_name("old_"), PATTERNS.by_name("unsure_"), PATTERNS.by_name("adds_")

_ABOUT = 0.5
"""The share of the shorter subject that both must have where something is given up."""
_SAME = 0.8
"""The share of words that both must have where all but a denial, an amount or a tool is the same."""
_LEAST = 2
"""Words that tell what a statement is about: two that have fewer in common are not the same."""


class Change(NamedTuple):
    """How a new statement replaces a known one, and whether it says itself that things change."""

    evidence: str
    explicit: bool


def find_change(new: str, known: str, language: str) -> Change | None:
    """How a new statement replaces a known one; None where it does not.

    Args:
        new: of at most some hundred words.
        known: the statement that it may replace.
        language: of both, not English.
    """
    if any(_has(_UNSURE, language, text) for text in (new, known)):
        return None
    if not negations(known) and any(_ends(old, new, known, language) for old in _given_up(new, language)):
        return Change("announced change", explicit=True)
    evidence = "" if _has(_ADDS, language, new) else _same_but(new, known, language)
    return Change(evidence, PATTERNS.now.search(new) is not None) if evidence else None


def _has(patterns: Mapping[str, re.Pattern[str]], language: str, text: str) -> bool:
    return any(pattern.search(text) for name, pattern in patterns.items() if name.endswith(f"_{language}"))


# -- announced


def _given_up(new: str, language: str) -> Iterator[str]:
    """What a statement gives up."""
    for pattern in (one for name, one in _OLD.items() if name.startswith(f"old_{language}_")):
        for found in pattern.finditer(new):
            if not PATTERNS.negated.search(new[: found.start()]):
                yield found["old"]


def _ends(old: str, new: str, known: str, language: str) -> bool:
    """Whether what is given up is what a known statement says, of the same matter."""
    said, told = _units(new, language), _units(known, language)
    gone = frozenset(PATTERNS.number.findall(old)) or _units(old, language)
    if not gone or not gone <= told:
        return False
    about, about_known = said - gone, told - gone
    shared = len(about & about_known)
    if about and about_known:
        return shared >= _ABOUT * min(len(about), len(about_known)) and shared > 0
    return len(gone) >= _ABOUT * len(told)


def _units(text: str, language: str) -> frozenset[str]:
    return frozenset(SYNONYMS.get(word, word) for word in statement_units(text, language))


# -- the same but for one thing


def _same_but(new: str, known: str, language: str) -> str:
    """In what two statements differ that are the same otherwise; empty where they are not."""
    said, told = _units(new, language), _units(known, language)
    if bool(negations(new)) != bool(negations(known)):
        return "the same, denied" if _alike(said, told) else ""
    if negations(new):
        return ""
    if _other_amount(new, known):
        numbers = frozenset(PATTERNS.number.findall(f"{new} {known}"))
        return "another number" if _alike(said - numbers, told - numbers) else ""
    mine, theirs = said - told, told - said
    families = [{FAMILY_OF[word] for word in words if word in FAMILY_OF} for words in (mine, theirs)]
    tools = frozenset(word for word in mine | theirs if word in FAMILY_OF)
    kin = families[0] & families[1] and _alike(said - tools, told - tools)
    return "another value" if kin else ""


def _alike(one: frozenset[str], other: frozenset[str]) -> bool:
    """Whether two statements have nearly the same units, but for pairs across what stands in only one."""
    shared = one & other
    one, other = shared | _own(one - other, other), shared | _own(other - one, one)
    return len(shared) >= min(_LEAST, max(len(one), len(other))) and jaccard(one, other) >= _SAME


def _own(units: frozenset[str], other: frozenset[str]) -> frozenset[str]:
    signs = set("".join(other))
    return frozenset(unit for unit in units if not (is_cjk(unit) and signs.issuperset(unit)))


def _other_amount(new: str, known: str) -> bool:
    """Whether each states one amount, and not the same."""
    amounts = [PATTERNS.amount.findall(text) for text in (new, known)]
    numbers = [PATTERNS.number.findall(text) for text in (new, known)]
    return all(len(one) == 1 for one in (*amounts, *numbers)) and numbers[0] != numbers[1]
