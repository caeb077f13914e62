"""Parses a statement into claims: the subject, what is said about it, and whether that is denied.

One pass over the words of each clause, without a model. A clause that cannot be parsed gives no claim.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from recortex.engines.patterns import Patterns
from recortex.engines.supersession.identifiers import identifying
from recortex.engines.supersession.lexicon import (
    BASES,
    BE,
    FAMILY_OF,
    JOINTS,
    NEEDS,
    NEGATORS,
    ORDERS,
    PARTICIPLES,
    RESTS,
    SYNONYMS,
    USES,
)
from recortex.engines.words import FILLERS, PREPOSITIONS, singular, word_set

PATTERNS = Patterns(__file__)

MAX_TEXT = 1_000
"""Characters that are read: a memory begins with its claim, and reasons follow."""

_NUMBERS = word_set("one two three four five six seven eight nine ten twelve once twice zero")
_SHORT, _SUBJECT_WORDS, _CHOICE_WORDS = 3, 6, 2
_MEANS = word_set("over via through using")
_BEFORE_TO = word_set("default defaults have has need needs")
_ADVERBS = word_set("now always only currently also still just actually again today")


@dataclass(frozen=True, slots=True)
class Claim:
    """What a clause says.

    Attributes:
        verb: `use`, `be`, or the verb with its preposition.
        subject: stems of what it is about; empty for the whole project.
        value: the words of the value as written, without articles.
        denied: whether it is negated.
        words: stems of all words but fillers, without the negation.
        several: whether the value is a list.
        names: stems of the words that distinguish the subject from others of its sort (`identifiers`); none
            of the value.
    """

    verb: str
    subject: frozenset[str]
    value: tuple[str, ...]
    denied: bool
    words: tuple[str, ...]
    several: bool = False
    names: frozenset[str] = frozenset()

    @property
    def stems(self) -> frozenset[str]:
        """The stems of the value."""
        return stems(self.value)


def stem(word: str) -> str:
    """A word in the form in which it is compared: lower case, singular, synonyms as one."""
    low = word.lower().strip("'’.,:/")
    if low in SYNONYMS or low in FAMILY_OF:
        return SYNONYMS.get(low, low)
    low = singular(low)
    return SYNONYMS.get(low, low)


def stems(words: tuple[str, ...] | list[str]) -> frozenset[str]:
    """The stems of the words of a phrase, without fillers."""
    return frozenset(stem(word) for word in words if word.lower() not in FILLERS and word != ",")


def named(words: tuple[str, ...] | list[str]) -> frozenset[str]:
    """The stems of all words of a phrase; a single letter stays as it is, since "queue A" has no article."""
    return frozenset(word if len(word) == 1 else stem(word) for word in words)


def is_number(word: str) -> bool:
    """Whether a word is a number, a version or a size."""
    return PATTERNS.number.match(word) is not None or word.lower() in _NUMBERS


def core(text: str) -> str:
    """A statement without code marks, opening words and reasons."""
    said = PATTERNS.marks.sub("", PATTERNS.aside.sub("", text[:MAX_TEXT])).replace("’", "'").strip()
    said = PATTERNS.on.sub(
        "we use ", PATTERNS.times_out.sub("expire", PATTERNS.lasting.sub("", PATTERNS.reason.sub("", said)))
    )
    for _ in range(4):
        shorter = PATTERNS.opening.sub("", said, count=1) if PATTERNS.opening.match(said) else said
        if shorter == said or not shorter:
            break
        said = shorter
    return PATTERNS.use_for.sub(r"use \g<value> for \g<subject>\g<rest>", said.strip(" ."))


@lru_cache(maxsize=512)
def claims(text: str) -> tuple[Claim, ...]:
    """The claims of a statement, one for each clause that can be parsed."""
    found = (_claim(clause) for clause in clauses(core(text)))
    return tuple(one for one in found if one is not None)


def clauses(text: str) -> list[str]:
    """The clauses of a cleaned statement."""
    return [part.strip() for part in PATTERNS.clause.split(text) if part and part.strip()]


def _claim(clause: str) -> Claim | None:
    shorter = PATTERNS.opening.sub("", clause, count=1) if PATTERNS.opening.match(clause) else clause
    words, denied = affirmed(
        _before_aside(
            clause_words(
                PATTERNS.go_with.sub(
                    "use", PATTERNS.want.sub("keep ", PATTERNS.in_place.sub("", shorter or clause))
                )
            )
        )
    )
    # A claim has a subject and a value at least; no clause has more than forty words.
    if len(words) < 2 or len(words) > 40:  # noqa: PLR2004
        return None
    told = tuple(stem(word) for word in words if word.lower() not in FILLERS and word != ",")
    read = _order(words) or _sentence(words) or _bare_choice(words)
    value = tuple(word for word in read[2] if word != ",") if read else ()
    names = _names(words) - named(value)
    if read is None or not value:
        return Claim("", frozenset(), (), denied, told, names=names)
    verb, subject, listed = read
    several = any(word.lower() in {",", "and", "or", "both"} for word in listed)
    return Claim(verb, stems(subject) - PREPOSITIONS, value, denied, told, several, names)


def names_of(text: str) -> frozenset[str]:
    """The stems of a statement's words, also of values, that distinguish things of one sort."""
    return frozenset[str]().union(*(_names(clause_words(clause)) for clause in clauses(core(text))))


def _names(words: list[str]) -> frozenset[str]:
    stated = {word for before, word in pairwise(words) if before.lower() in BE and is_number(word)}
    return named([word for word in identifying(words) if word not in stated])


def _before_aside(words: list[str]) -> list[str]:
    """The words up to the first comma, if what follows is about something else and is no list."""
    place = words.index(",") if "," in words else 0
    rest = {word.lower() for word in words[place:]}
    # The first three words are a subject, a verb and a value.
    if place < 3 or rest & {"and", "or", "both"} or words[0].lower() in PREPOSITIONS:  # noqa: PLR2004
        return words
    return words[:place]


def clause_words(clause: str) -> list[str]:
    """The words and commas of a clause as written."""
    return PATTERNS.word.findall(clause)


def affirmed(words: list[str]) -> tuple[list[str], bool]:
    """The words without the negation, and whether there was one."""
    kept: list[str] = []
    denied = False
    for place, word in enumerate(words):
        low = word.lower()
        longer = low in {"longer", "more"} and place > 0 and words[place - 1].lower() in {"no", "any"}
        if low in NEGATORS or low.endswith("n't"):
            denied = True
        elif not longer and low not in {"anymore", "any"}:
            kept.append(word)
    return kept, denied


_Parsed = tuple[str, list[str], list[str]]


def _order(words: list[str]) -> _Parsed | None:
    """Parse an order: `use V for S`, `run S with V`."""
    start = 0
    while start < len(words) - 1 and words[start].lower() in FILLERS:
        start += 1
    if start == len(words):
        return None
    verb, rest = words[start].lower(), words[start + 1 :]
    before = {word.lower() for word in words[:start]}
    if before & {"the", "a", "an", "our", "my"} and verb not in USES:
        return None
    if verb in USES:
        value, subject = cut(rest)
        manner = len(rest) > len(value) + 1 and rest[-len(subject) - 1].lower() == "with"
        return ("use", [] if manner else subject, value) if value else None
    if (
        verb in ORDERS
        and len(rest) > 1
        and rest[0].lower() in {*JOINTS, "with", "in", "on", "to", "against", "as"}
    ):
        value, scope = cut(rest[1:])
        return (frame(verb, rest[0]), [verb, *scope], value) if value else None
    if verb in ORDERS:
        subject, value = cut(rest)
        place = len(rest) - len(value) - 1
        if (
            subject
            and value
            and rest[place].lower() not in {"before", "after", "until", "when", "for", "while"}
        ):
            value, scope = cut(value)
            return frame(verb, rest[place]), [*subject, *scope], value
    return None


def _sentence(words: list[str]) -> _Parsed | None:
    """Parse a sentence with a subject: `S uses V`, `S is V`, `S is built with V`, `S runs on V`."""
    for place, word in enumerate(words[1:], 1):
        low = word.lower()
        rest = words[place + 1 :]
        while rest and rest[0].lower() in _ADVERBS:
            rest = rest[1:]
        if not rest:
            return None
        if low in BE or (low == "be" and words[place - 1].lower() in {"must", "should", "to"}):
            return _with_be(words[:place], rest)
        if low in USES:
            value, scope = cut(rest)
            return ("use", [*words[:place], *scope], value) if value else None
        if (low in {"default", "defaults"}) != (rest[0].lower() == "to") and low in _BEFORE_TO:
            continue
        if (
            low in RESTS
            and place <= _SUBJECT_WORDS
            and words[place - 1].lower() not in {"to", "must", "should", "may", "can"}
            and not any(word.lower() == "from" for word in words[:place])
        ):
            joint = rest[0].lower() if rest[0].lower() in PREPOSITIONS else ""
            value, scope = _cut_at_means(rest[1:] if joint else rest)
            return (f"{stem(low)} {joint}".strip(), [*words[:place], *scope], value) if value else None
        if low in NEEDS and (low != "call" or words[place - 1].lower() in {"must", "should", "can"}):
            value, scope = cut(rest)
            return (stem(low), [*words[:place], *scope], value) if value else None
    return None


def _bare_choice(words: list[str]) -> _Parsed | None:
    """Parse a bare choice: `V for S`."""
    place = next((place for place, word in enumerate(words) if word.lower() == "for"), 0)
    if 0 < place <= _CHOICE_WORDS and len(words) > place + 1 and words[0].lower() not in FILLERS:
        return "use", words[place + 1 :], words[:place]
    return None


def _with_be(subject: list[str], rest: list[str]) -> _Parsed | None:
    first = rest[0].lower()
    joint = rest[1].lower() if len(rest) > 1 else ""
    if (first in PARTICIPLES or PATTERNS.participle.match(first)) and joint in PREPOSITIONS:
        value, scope = cut(rest[2:])
        if first == "used":
            return "use", rest[2:], subject
        return (frame(first, joint), [*subject, *scope], value) if value else None
    if PATTERNS.participle.match(first) and joint and is_number(joint):
        value, scope = cut(rest[1:])
        return frame(first, ""), [*subject, *scope], value
    if first == "using":
        value, scope = cut(rest[1:])
        return ("use", [*subject, *scope], value) if value else None
    if first in PREPOSITIONS:
        return (f"be {first}", subject, rest[1:]) if joint else None
    value, scope = cut(rest)
    return ("be", [*subject, *scope], value) if value else None


def _cut_at_means(words: list[str]) -> tuple[list[str], list[str]]:
    """As `cut`, but a means at the end is the value: REST in `talks to the backend over REST`."""
    place = next((place for place, word in enumerate(words) if place and word.lower() in _MEANS), 0)
    if not place or place == len(words) - 1:
        return cut(words)
    value, scope = cut(words[place + 1 :])
    return value, [*words[:place], *scope]


def frame(verb: str, joint: str) -> str:
    """A verb with its preposition, normalised: the same for `built with` and `build via`."""
    low = verb.lower()
    root = BASES.get(low, low)
    if root == low and PATTERNS.participle.match(low):
        root = low[:-2]
        root = root[:-1] if len(root) > _SHORT and root[-1] == root[-2] else root
    return f"{root.rstrip('e').replace('y', 'i')} {JOINTS.get(joint.lower(), joint.lower())}".strip()


def cut(words: list[str]) -> tuple[list[str], list[str]]:
    """A phrase up to its first preposition, and what follows that."""
    for place, word in enumerate(words):
        if place and word.lower() in PREPOSITIONS:
            rest = words[place + 1 :]
            return _trimmed(words[:place]), rest[: rest.index(",")] if "," in rest else rest
    return _trimmed(words), []


def _trimmed(words: list[str]) -> list[str]:
    """A phrase without adverbs and articles at its ends."""
    while words and words[-1].lower() in {*_ADVERBS, ",", "instead", "here", "all", "everywhere", "too"}:
        words = words[:-1]
    while words and words[0].lower() in {*_ADVERBS, "the", "our", "my", ","}:
        words = words[1:]
    return words
