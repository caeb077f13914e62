"""Whether two statements give the same thing different values: "page size 50" and "page size is 100 now".

The model that reads two statements together is sure of many pairs that have nothing to do with each other.
Where both say a value of one sort for something that both name, it is right about as often as it is sure, so
that less is asked of it (`reading.py`). It reads the clauses that say so: what follows is often a task.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import pairwise, product, takewhile
from typing import TYPE_CHECKING, NamedTuple

from recortex.engines.patterns import Patterns
from recortex.text.words import CLAIM_WORDS, aliases, sections, singular, word_set, words

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence


_LISTS = sections(__file__, "lexicon")


FAMILIES = [word_set(line) for line in _LISTS["FAMILIES"].strip().splitlines()]
"""Things of which a project uses one: a move to one of them is a move away from the others."""
FAMILY_OF = {name: place for place, names in reversed([*enumerate(FAMILIES)]) for name in names}
"""The first family of each name."""
SYNONYMS = aliases()
_FRAME = CLAIM_WORDS | word_set(_LISTS["FRAME"])
"""Words in which any rule may be worded: two that have only these in common are about two matters."""


@lru_cache(maxsize=1024)  # one statement is compared with many
def content(text: str) -> frozenset[str]:
    """The stems of the words that tell what a text is about."""
    return stems(words(text)) - _FRAME


def stems(said: Iterable[str]) -> frozenset[str]:
    """Words in the form in which they are compared: lower case, singular but for names, synonyms as one."""
    plain = (word.lower().strip("'’.,:/") for word in said)
    whole = (word if word in SYNONYMS or word in FAMILY_OF else singular(word) for word in plain)
    return frozenset(SYNONYMS.get(word, word) for word in whole if word)


# -- whether two statements give the same thing different values


PATTERNS = Patterns(__file__)
_LISTS = sections(__file__, "slots")
_LABELLED = word_set(_LISTS["LABELLED"])
"""Things that are told apart by a number: "issue 41" and "issue 42" are two, not one with another value."""
_DIMENSION_OF = {
    word: name for name in ("TIME", "SIZE", "SHARE", "LENGTH") for word in word_set(_LISTS[name])
}
_GIVEN_UP_BEFORE, _GIVEN_UP_AFTER = word_set(_LISTS["BEFORE"]), word_set(_LISTS["AFTER"])
_RUN = word_set(_LISTS["RUN"])
"""Words after a tool that make it a command: "then npm install"."""
_FAMILIES_OF = {name: [place for place, names in enumerate(FAMILIES) if name in names] for name in FAMILY_OF}
"""All families of each name: Redis is a cache and a queue."""
_LEAST, _HALF = 2, 0.5
"""Words in common of two statements with counts or names, and their share of the shorter one with names."""
_BEGINNING = 3
"""Words with which both begin, whatever follows."""
_PUNCTUATION = "`'\"()[]*,;:!?"


class _Values(NamedTuple):
    """The values in a statement.

    Attributes:
        measured: numbers, by the dimension of their unit.
        counted: numbers without one, each with the word before it.
        tools: of which a project uses one, by family; without what is given up.
        names: identifiers and proper names.
    """

    measured: Mapping[str, frozenset[str]]
    counted: Mapping[str, str]
    tools: Mapping[int, frozenset[str]]
    names: frozenset[str]


def other_value(known: str, new: str) -> tuple[str, str] | None:
    """The clauses of two statements that give the same thing different values; None where none do.

    None as well where the new one is about a while, or one of both about tests alone.
    """
    if bool(PATTERNS.elsewhere.search(known)) != bool(PATTERNS.elsewhere.search(new)):
        return None
    if PATTERNS.passing.search(new) or _tools(known) & _tools(new):
        return None
    if _same_beginning(known, new):
        return known, new
    found = (pair for pair in product(_clauses(known), _clauses(new)) if _differ(*pair))
    return next(found, (known, new) if _differ(known, new) else None)


def one_value_apart(known: str, new: str) -> bool:
    """Whether two statements are the same word for word but for a number, or a tool of one family.

    After the tool one of them may go on: "hashed by argon2" and "hashed by bcrypt with 12 rounds".
    """
    theirs, mine = (_words(PATTERNS.article.sub("", text).rstrip(" .!")) for text in (known, new))
    shorter = min(len(theirs), len(mine))
    apart = [place for place, (one, other) in enumerate(zip(theirs, mine, strict=False)) if one != other]
    if len(apart) != 1 or apart[0] < _LEAST or shorter <= _BEGINNING:
        return False
    (place,) = apart
    old, value = theirs[place], mine[place]
    if set(_FAMILIES_OF.get(old, ())) & set(_FAMILIES_OF.get(value, ())):
        same = len(theirs) == len(mine) or place == shorter - 1
    else:
        numbers = all(PATTERNS.number.fullmatch(one) for one in (old, value))
        same = numbers and len(theirs) == len(mine) and theirs[place - 1] not in _LABELLED
    return same and other_value(known, new) is not None


def _same_beginning(known: str, new: str) -> bool:
    """Whether two texts begin alike and go on with other words: "images are pushed to A", "… to B now"."""
    theirs, mine = (PATTERNS.article.sub("", text.lower()).rstrip(" .!").split() for text in (known, new))
    same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(theirs, mine, strict=False)))
    if same < _BEGINNING or not content(" ".join(theirs[:same])):
        return False
    if len({_sibling(" ".join(one[same : same + 1])) for one in (theirs, mine)}) == 1:
        return False
    rest, other = content(" ".join(theirs[same:])), content(" ".join(mine[same : same + _BEGINNING]))
    return bool(rest - other and other - rest)


@lru_cache(maxsize=256)  # one statement is compared with many
def gives_value(text: str) -> bool:
    """Whether a statement gives something a value: a number, a tool or a name."""
    return any(_values(text))


@lru_cache(maxsize=256)
def _clauses(text: str) -> tuple[str, ...]:
    parts = PATTERNS.clause.split(text.rstrip(" .!"))
    return tuple(one for one in parts if len(one.split()) >= _LEAST and gives_value(one))


def _differ(known: str, new: str) -> bool:
    """Whether two texts say different values of one sort for what they have in common."""
    theirs, mine = _values(known), _values(new)
    if any(mine.tools[one].isdisjoint(theirs.tools[one]) for one in theirs.tools.keys() & mine.tools.keys()):
        return True
    about, said = content(known), content(new)
    shared = sum(one not in _DIMENSION_OF and not one[0].isdigit() for one in about & said)
    if not shared:
        return False
    dimensions = theirs.measured.keys() & mine.measured.keys()
    if any(mine.measured[one] - theirs.measured[one] for one in dimensions):
        return True
    things = set(theirs.counted.values()) - CLAIM_WORDS - {""}
    counted = mine.counted.keys() - theirs.counted.keys() if theirs.counted else ()
    if counted and (shared >= _LEAST or any(mine.counted[one] in things for one in counted)):
        return True
    return shared >= max(_LEAST, _HALF * min(len(about), len(said))) and any(
        _sibling(one) != _sibling(other)
        for one, other in product(theirs.names - mine.names, mine.names - theirs.names)
    )


def _tools(text: str) -> frozenset[str]:
    return frozenset().union(*_values(text).tools.values())


def _no_value(said: Sequence[str], place: int) -> bool:
    """Whether the words around a tool say that it is used no more, or make it a command."""
    before, after = said[max(0, place - 2) : place], said[place + 1 : place + 3]
    if not _RUN.isdisjoint(after[:1]):
        return True
    return not (_GIVEN_UP_BEFORE.isdisjoint(before) and _GIVEN_UP_AFTER.isdisjoint(after))


def _sibling(name: str) -> str:
    """What names have in common that are told apart by a number: `screen-17` and `screen-18`."""
    return PATTERNS.digits.sub("", name)


def _words(text: str) -> list[str]:
    said = (word.strip(_PUNCTUATION).rstrip(".").lower() for word in text.split())
    return [SYNONYMS.get(word, word) for word in said]


@lru_cache(maxsize=2_048)  # of the clauses as well
def _values(text: str) -> _Values:
    measured: dict[str, set[str]] = {}
    counted: dict[str, str] = {}
    tools: dict[int, set[str]] = {}
    said = _words(text)
    for place, word in enumerate(said):
        for family in () if _no_value(said, place) else _FAMILIES_OF.get(word, ()):
            tools.setdefault(family, set()).add(word)
        if (found := PATTERNS.number.fullmatch(word)) is None:
            continue
        before = singular(said[place - 1]) if place else ""
        unit = found["unit"] or (said[place + 1] if place + 1 < len(said) else "")
        if dimension := _DIMENSION_OF.get(singular(unit), ""):
            # By the first letters of its unit: "min" and "minutes", "sec" and "seconds".
            measured.setdefault(dimension, set()).add(f"{found['number']} {singular(unit)[:3]}")
        elif before not in _LABELLED and not found["unit"]:
            counted[found["number"]] = before
    spelt = [word.strip(_PUNCTUATION).rstrip(".") for word in text.split()]
    names = {
        name.lower()
        for before, name in pairwise(spelt)
        if PATTERNS.leads.fullmatch(before) and PATTERNS.name.fullmatch(name)
    }
    return _Values(
        {name: frozenset(found) for name, found in measured.items()},
        counted,
        {name: frozenset(found) for name, found in tools.items()},
        frozenset(name for name in names if SYNONYMS.get(name, name) not in FAMILY_OF),
    )
