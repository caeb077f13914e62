"""What a statement forbids in plain words: `Never push to main` names no code, and is meant all the same.

Only an imperative without a condition counts ("never deploy before the tests pass" forbids no deploying), up
to the comma after which something else is told.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from recortex.engines.patterns import Patterns
from recortex.engines.words import PADDING, STOP_WORDS, SUFFIXES, identifier_parts, stem, word_set

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

PATTERNS = Patterns(__file__)
_WORD = re.compile(r"[^\W_]+")
_VERBS = word_set("use using used add write put call have create introduce make do import leave")
"""Verbs that say nothing beside their object: whoever writes the object does it."""
_PADDING = PADDING | word_set("straight directly ever just simply again also please manually")
_READ = 2_000
_LONGEST_CLAUSE = 2_000
"""Characters of a clause of a plan that are compared."""
_SOURCE = {"ts": "typescript", "tsx": "typescript", "js": "javascript", "py": "python", "rb": "ruby"}
"""Languages that a file's name tells by another word than people say."""


@dataclass(frozen=True, slots=True)
class Prohibition:
    """Something forbidden.

    Attributes:
        words: stems that stand together in what is forbidden.
        function_word: the one word, where it means something only as code (`any`); else empty.
        place: stems of where it is forbidden; none: everywhere.
    """

    words: frozenset[str]
    function_word: str = ""
    place: frozenset[str] = frozenset()

    def holds(self, places: Sequence[str]) -> bool:
        """Whether it may hold for one of some files; where none is known, it may."""
        return not (self.place and places) or any(self.place <= stems(_told_by(path)) for path in places)

    def found_in(self, line: str) -> str:
        """The clause of a line that goes against it; empty where none does."""
        if self.function_word:
            hit = re.search(rf"[:<(|,]\s*{re.escape(self.function_word)}\s*(?=[>),;\[|=])", line)
            return hit[0].strip() if hit else ""
        return next((clause.strip() for clause in _clauses(line) if self.words <= stems(clause)), "")


def prohibitions(text: str) -> list[Prohibition]:
    """What a statement forbids in plain words."""
    found = PATTERNS.imperative.finditer(text[:_READ])
    read = (_read(one[1], _of_things(one[0])) for one in found if not PATTERNS.condition.search(one[1]))
    return [one for one in read if one]


def stems(text: str) -> frozenset[str]:
    """The stems of all words of a text, and of the parts of its names."""
    return frozenset(
        stem(part.lower(), SUFFIXES)
        for word in _WORD.findall(text)
        for part in identifier_parts(word) or [word]
    )


def told_against(line: str) -> str:
    """A line without what it forbids itself: who writes `never push to main` does not do it."""
    return PATTERNS.negated.sub(" ", line)


def _of_things(order: str) -> bool:
    """Whether an order forbids things, as `no mocks` does, and not an act."""
    return order.lstrip(" .;:!?\n").lower().startswith(("no ", "avoid "))


def _read(clause: str, of_things: bool) -> Prohibition | None:
    what, _, where = PATTERNS.place.sub("\0", clause, count=1).partition("\0")
    words = [word.lower() for word in _WORD.findall(what)]
    if words and words[0] in _VERBS:
        words, of_things = words[1:], True
    meant = [word for word in words if word not in _PADDING]
    place = frozenset(
        stem(word.lower(), SUFFIXES) for word in _WORD.findall(where) if word.lower() not in STOP_WORDS
    )
    # An act alone ("do not close") says too little: what is not to be closed stands elsewhere.
    if len(meant) > 1 or (meant and of_things):
        return Prohibition(frozenset(stem(word, SUFFIXES) for word in meant), place=place)
    return Prohibition(frozenset(), words[0], place) if len(words) == 1 and not meant and of_things else None


def _clauses(line: str) -> Iterator[str]:
    return (clause[:_LONGEST_CLAUSE] for clause in PATTERNS.between.split(line))


def _told_by(path: str) -> str:
    """A path with the language of its file in the word that people use."""
    return f"{path} {_SOURCE.get(PurePosixPath(path).suffix[1:].lower(), '')}"
