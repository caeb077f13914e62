"""Why a convention is kept, where somebody wrote it down: a sentence that names it and gives a reason.

A reason is taken from a text only where one sentence says both what is shared and who shares it. Otherwise
there is none: a person is asked.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from recortex.engines.code.conventions.signatures import words
from recortex.engines.code.detection.evidence import plain
from recortex.engines.commits.rules import PATTERNS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from recortex.domain.code_patterns import Convention

SHORTEST, LONGEST = 25, 400
"""Characters of a sentence that is taken."""
LEAST_NAME = 3
_NAMED = re.compile(r"[A-Za-z_][\w]*")
_COMMENT = re.compile(r"^\s*(?:#+|//+!?|/\*+|\*+/?|--|<!--)\s?|(?:\*/|-->)$")
_QUOTES = ('"""', "'''")
_ONLY_A_WORD = re.compile(r"[a-z]+|[A-Z][a-z]*")
_OPENING = ("`", "(", "<")
_GENERAL = frozenset({"public", "methods", "functions", "own", "with", "names", "several", "the", "and"})


class Reason(NamedTuple):
    """A reason that somebody wrote down.

    Attributes:
        text: its sentence.
        memory: the id of the memory that says it; empty: a file does.
        path, line: of the file.
    """

    text: str
    memory: str = ""
    path: str = ""
    line: int = 0


def reasons_in(text: str) -> list[str]:
    """The sentences of a text that give a reason."""
    joined = " ".join(text.split())
    return [
        one.strip()
        for one in PATTERNS.sentence.split(joined)
        if SHORTEST <= len(one.strip()) <= LONGEST and PATTERNS.strong.search(one)
    ]


def names(sentence: str, one: Convention) -> bool:
    """Whether a sentence names both what a convention's members share and who they are."""
    said = {match[0] for match in _NAMED.finditer(sentence) if _as_a_name(sentence, match)}
    words_said = set(_NAMED.findall(sentence))
    lowered = {word.lower().rstrip("s") for word in words_said}
    shared = {
        part
        for value in one.values
        for part in _NAMED.findall(plain(value.partition("<")[0]))
        if len(part) >= LEAST_NAME
    }
    name = one.population.partition(" in ")[0]
    who = {
        word.lower().rstrip("s")
        for part in _NAMED.findall(name)
        for word in (part, *words(part))
        if len(word) >= LEAST_NAME and word.lower() not in _GENERAL
    }
    return bool(shared) and shared <= said and not lowered.isdisjoint(who)


def _as_a_name(sentence: str, match: re.Match[str]) -> bool:
    """Whether a word stands for what is called so: `error` and "None of it" are words of the language too."""
    start, end = match.span()
    if "`" in sentence[max(start - 1, 0) : start] or sentence[end : end + 1] in _OPENING:
        return True
    return not _ONLY_A_WORD.fullmatch(match[0]) or (start > 0 and match[0][0].isupper())


def said_of(one: Convention, text: str) -> str:
    """The first sentence of a text that names a convention and gives a reason; empty: there is none."""
    return next((sentence for sentence in reasons_in(text) if names(sentence, one)), "")


def comment_beside(lines: Iterable[str]) -> str:
    """The comments and documentation among some lines, without their signs."""
    found, quoted = [], False
    for line in lines:
        plain_line = line.strip()
        quotes = sum(plain_line.count(each) for each in _QUOTES)
        if quoted or quotes or _COMMENT.match(line):
            found.append(_COMMENT.sub("", plain_line).strip("\"' "))
        quoted ^= quotes == 1
    return " ".join(found)
