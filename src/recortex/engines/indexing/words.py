"""Words of a text, as questions and the keyword index see them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_FUNCTION_WORDS = """
a about above after again all am an and any are as at be because been before being below between both but by can could did
do does doing down during each few for from further had has have having he her here hers him his how i if in into is it its
just me more most my myself no nor not of off on once only or other our out over own same she should so some such than that
the their theirs them then there these they this those through to too under until up very was we were what when where which
while who whom why will with would you your yours
"""
STOP_WORDS = frozenset(_FUNCTION_WORDS.split())
"""Function words of English: they say nothing about what is asked."""

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")
_POSSESSIVE = re.compile(r"['’]s$")
_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff]+")
_IDENTIFIER = re.compile(r"[A-Za-z_]\w*")
_PART = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+")


def words(text: str) -> list[str]:
    """The words in order, in lower case, without possessive endings."""
    return [_POSSESSIVE.sub("", word) for word in _WORD.findall(text.lower())]


def content_words(text: str) -> list[str]:
    """The different words that are not function words, in order."""
    return list(dict.fromkeys(word for word in words(text) if word not in STOP_WORDS))


def identifier_parts(identifier: str) -> list[str]:
    """The words that a name is made of, in lower case: `getUserName`, `get_user_name` and `get.user.name` alike."""
    return [part.lower() for part in _PART.findall(identifier)]


def compound_parts(text: str) -> Iterator[str]:
    """For each identifier of more than one part, its parts, as often as it occurs."""
    for identifier in _IDENTIFIER.findall(text):
        parts = identifier_parts(identifier)
        if len(parts) > 1:
            yield from parts


def path_words(path: str) -> list[str]:
    """The names on a path and the words that they are made of."""
    names = _IDENTIFIER.findall(path)
    return [*(name.lower() for name in names), *identifier_parts(path)]


def cjk_grams(text: str) -> Iterator[str]:
    """Characters and pairs of neighbours in runs of Chinese, Japanese and Korean, which write no spaces."""
    for run in _CJK.findall(text):
        yield from run
        yield from _pairs(run)


def query_grams(text: str) -> Iterator[str]:
    """The pairs of each CJK run of a question; a run of one character stands for itself."""
    for run in _CJK.findall(text):
        yield from _pairs(run) if len(run) > 1 else run


def is_cjk(word: str) -> bool:
    """Whether the word is one run of CJK characters."""
    return _CJK.fullmatch(word) is not None


def _pairs(run: str) -> Iterable[str]:
    return (run[place : place + 2] for place in range(len(run) - 1))
