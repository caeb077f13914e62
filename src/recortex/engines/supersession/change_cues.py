"""Recognises announced changes: what is given up, what replaces it, and for which purpose.

Each cue is a pattern with the groups `old`, `new` and `what`. They come from how decisions are reversed in
writing and in prompts; bench/reversals.py measures them.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from recortex.engines.patterns import Patterns
from recortex.engines.supersession.claims import clause_words, core, cut, stems
from recortex.engines.supersession.lexicon import TELLTALE

if TYPE_CHECKING:
    import re

PATTERNS = Patterns(__file__)


_CHANGES = PATTERNS.starting("change_")


@dataclass(frozen=True, slots=True)
class AnnouncedChange:
    """An announced change.

    Attributes:
        old, new: stems of what is given up and of what replaces it; one of them may be empty.
        what: stems of what it is about; empty for the whole project, or if it does not say.
    """

    old: frozenset[str]
    new: frozenset[str]
    what: frozenset[str]


def may_change(words: frozenset[str]) -> bool:
    """The cheap test: whether the lower-case words of a text contain one that announces a change."""
    return not TELLTALE.isdisjoint(words)


@lru_cache(maxsize=256)  # one statement is compared with many
def changes(text: str) -> tuple[AnnouncedChange, ...]:
    """The changes that a statement announces."""
    statement = core(text)
    found = (pattern.search(statement) for pattern in _CHANGES)
    return tuple(
        _change(one, statement)
        for one in found
        if one is not None and not PATTERNS.negated.search(statement[: one.start()])
    )


def changed_mind(text: str) -> bool:
    """Whether the statement says that things were different before."""
    return PATTERNS.mind.search(text) is not None


def is_unsure(text: str) -> bool:
    """Whether a statement is a question, a guess or temporary: then it replaces nothing."""
    return PATTERNS.unsure.search(core(text)) is not None or text.rstrip().endswith("?")


def is_past(text: str) -> bool:
    """Whether a statement is about the past."""
    return PATTERNS.past.search(core(text)) is not None and PATTERNS.but_now.search(text) is None


def used_to(text: str) -> str:
    """What was done before, as a statement, if a text says both that and what is done now; else empty."""
    found = PATTERNS.used_to.search(core(text))
    return f"we {found['what']}" if found else ""


def adds(text: str) -> bool:
    """Whether a statement adds something to what holds already, or is an exception."""
    return PATTERNS.adds.search(text) is not None


def _change(found: re.Match[str], statement: str) -> AnnouncedChange:
    groups = found.groupdict()
    old, of_old = _split(groups.get("old") or "")
    new, of_new = _split(groups.get("new") or "")
    what = stems(clause_words(groups.get("what") or ""))
    rest = _around(statement, found) if not (new or what or of_old) else frozenset()
    return AnnouncedChange(old - _PRONOUNS, new, what | of_old | of_new | rest)


_PRONOUNS = frozenset({"one", "ones"})


def _split(phrase: str) -> tuple[frozenset[str], frozenset[str]]:
    """The stems of a thing, and of what it is used for."""
    thing, scope = cut(clause_words(phrase))
    return stems(thing), stems(scope)


def _around(statement: str, found: re.Match[str]) -> frozenset[str]:
    """The stems of what the rest of the sentence is about: `S` in `use Y for S instead of X`."""
    before = statement[: found.start()]
    scope = PATTERNS.scope.search(before) or PATTERNS.scope.search(statement[found.end() :])
    return stems(clause_words(scope.group(1))) if scope else frozenset()
