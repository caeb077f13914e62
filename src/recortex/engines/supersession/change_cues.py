"""Words that announce a change: what is given up, what comes in its place, and for what.

Each cue is one row: a pattern whose groups `old`, `new` and `what` hold phrases. The rows come from how
decisions are reversed in writing and in what people type to an agent; bench/reversals.py measures them.
"""

from __future__ import annotations

from dataclasses import dataclass
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
        old, new: stems of what is given up and of what comes in its place; one of them may be empty.
        what: stems of what it is about; empty where it is about the whole project or does not say.
    """

    old: frozenset[str]
    new: frozenset[str]
    what: frozenset[str]


def may_change(words: frozenset[str]) -> bool:
    """The cheap test: whether among the lower-case words of a text is one that announces a change."""
    return not TELLTALE.isdisjoint(words)


def changes(text: str) -> list[AnnouncedChange]:
    """The changes that a statement announces."""
    said = core(text)
    found = (pattern.search(said) for pattern in _CHANGES)
    return [
        _change(one, said)
        for one in found
        if one is not None and not PATTERNS.negated.search(said[: one.start()])
    ]


def changed_mind(text: str) -> bool:
    """Whether the statement says of itself that things were otherwise before."""
    return PATTERNS.mind.search(text) is not None


def is_unsure(text: str) -> bool:
    """Whether it asks, supposes or holds for a while only: it replaces nothing."""
    return PATTERNS.unsure.search(core(text)) is not None or text.rstrip().endswith("?")


def is_past(text: str) -> bool:
    """Whether it tells what once was."""
    return PATTERNS.past.search(core(text)) is not None and PATTERNS.but_now.search(text) is None


def used_to(text: str) -> str:
    """What was done before, where it is said along with what is done now; else nothing."""
    found = PATTERNS.used_to.search(core(text))
    return f"we {found['what']}" if found else ""


def adds(text: str) -> bool:
    """Whether it says that something holds beside what holds already, or by way of exception."""
    return PATTERNS.adds.search(text) is not None


def _change(found: re.Match[str], said: str) -> AnnouncedChange:
    groups = found.groupdict()
    old, of_old = _split(groups.get("old") or "")
    new, of_new = _split(groups.get("new") or "")
    what = stems(clause_words(groups.get("what") or ""))
    rest = _around(said, found) if not (new or what or of_old) else frozenset()
    return AnnouncedChange(old - _PRONOUNS, new, what | of_old | of_new | rest)


_PRONOUNS = frozenset({"one", "ones"})


def _split(phrase: str) -> tuple[frozenset[str], frozenset[str]]:
    """The thing itself, and what it is used for."""
    thing, scope = cut(clause_words(phrase))
    return stems(thing), stems(scope)


def _around(said: str, found: re.Match[str]) -> frozenset[str]:
    """What the rest of the sentence names as the matter: `use Y for S instead of X`."""
    before = said[: found.start()]
    scope = PATTERNS.scope.search(before) or PATTERNS.scope.search(said[found.end() :])
    return stems(clause_words(scope.group(1))) if scope else frozenset()
