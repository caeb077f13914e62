"""What keeps two statements apart that look alike: another value, name, number, negation, place or time.

Statements that say the same are merged; others only look so. "Alice is the CEO" and "Sarah is the CEO" have
nearly one vector, and so have purple and cyan as somebody's favourite colour. Whatever differs in one of
these ways is left to the service that judges pairs (`app/changes.py`). Of the others a regression says how
sure it is that they say the same.
"""

from __future__ import annotations

import re
from collections import Counter
from difflib import SequenceMatcher
from functools import lru_cache
from math import log, log1p
from typing import TYPE_CHECKING, NamedTuple

from recortex.engines.copies import SOFT, alike, change_places, replaces
from recortex.engines.exchanges import sentences
from recortex.engines.similarity import contradiction, marked
from recortex.engines.supersession import other_value
from recortex.engines.tables import Regression
from recortex.text.words import groups_of_synonyms, meaning, negations, sections, stem, tokens, word_set

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Iterator

_LISTS = sections(__file__, "guard")
_GROUPS = [
    word_set(line)
    for name in ("PLACES", "AMOUNTS", "TIMES")
    for line in _LISTS[name].splitlines()
    if line.strip()
] + [word_set(_LISTS["LIMITS"])]
"""Words of one line bound a statement in one way."""
_WISHES = frozenset(map(stem, word_set(_LISTS["WISHES"])))
_AMOUNTS = [word_set(line) for line in _LISTS["AMOUNTS"].splitlines() if line.strip()]
_OUTCOMES = word_set(_LISTS["OUTCOMES"])
_FIGURE = re.compile(r"\d")
_ENDS = re.compile(r"[.!?:;]\s|\n")
_INNER = re.compile(r"\w[./_:@#-]\w")
"""In a word: it is a path, an identifier, an address."""
_NAME = re.compile(r"[A-Z]")
_MARKUP = re.compile(r"[*`]{1,3}|(?<!\S)_(?=\w)|(?<=\w)_(?!\S)")
_CODE = re.compile(r"`([^`\n]{1,200})`")
# A contracted negation is one word, which no list of negations and no comparison of words would see:
# "can't" and "cannot" are both read as "can not" before anything is compared.
_NOT = re.compile(r"\b(?:(\w{1,6})n['’]t|(can)not)\b", re.IGNORECASE)
_STEMS = {"ca": "can", "wo": "will", "sha": "shall"}
# Two, since announcements come in pairs: "Confirmed: the issue is that …".
_LEADS_AT_MOST = 2
_LEAD = re.compile(
    r"^(?:(?:[\w-]{2,16} ){0,2}[\w-]{2,16} ?:(?= )"
    r"|(?:the|my|our) (?:[\w-]{1,12} ){0,2}(?:issue|problem|insight|cause|reason|fix|catch|finding|point)"
    r" (?:is|was|here is|should be)(?: clear)?(?: now)?(?: from [\w ]{1,20})?(?: that\b|:|,)?"
    r"|(?:confirmed|verified|fixed|so|but|also|and|now|note|ok|okay|yes|right|indeed)\b"
    r"(?: that\b)?[:,–—-]?"
    r"|(?:you(?:'re| are)|that(?:'s| is)) (?:absolutely |quite |exactly )?right ?[:,.!–—-]?)\s*",
    re.IGNORECASE,
)
_REPORT = re.compile(
    r"\W*(?:(?:I|we)(?: have|['’]ve)? )?"
    r"(?!(?:need|seed|feed|embed|speed|string|during|\w{0,5}thing)\b)[a-z]{2,16}(?:ed|ing)\b(?!-)",
    re.IGNORECASE,
)
"""What a statement begins with that tells what was or is being done, as "Updated the hooks" does."""
_CONTRAST = re.compile(
    r"(?:, (?:and |but )?not|,? (?:instead of|rather than|as opposed to)) (?!only\b)[^,.;:()]{1,60}",
    re.IGNORECASE,
)
_SAME_FRAME = 0.55
"""The share of the longer statement's words that both have in the same order, from which on one is a form of
the other, so that each word that differs counts."""
_RELATED = 0.4
"""The share of the shorter sentence's words that both have, from which on they speak of the same thing."""
_SHORT = 2
"""Words that may take each other's place: more are another way to say it."""
LIGHT = SOFT | set(map(stem, word_set("go goes gone run runs do does done work works happen happens way")))
"""Words that say little of what a statement is about."""
_ROOT = 4
"""Letters that forms of one word begin with."""

SURE = 0.65
"""The chance that two statements say the same, from which on one may stand for both (bench/RESULTS.md)."""
# One regression instead of more rules: rules that let more true pairs pass let as many look-alikes pass
# (bench/RESULTS.md, "Consolidation"; forests and boosted trees passed fewer pairs).
_SAME = Regression(
    -3.325,
    {
        "cosine": 2.116,
        "stays": 0.096,
        "held": 1.122,
        "own": -0.14,
        "length": 0.661,
        "wish": -0.595,
        "amount": -0.574,
        "name": 0.343,
        "replaced": -0.904,
    },
)
"""Fitted with 368 labelled pairs from the sessions of 18 projects; the features are in `features`."""
# The logarithm of the odds of a chance of 0 or 1 is infinite.
_LEAST_CHANCE = 1e-3


class _Read(NamedTuple):
    text: str
    words: tuple[str, ...]
    said: frozenset[str]
    plain: frozenset[str]
    names: frozenset[str]
    figures: frozenset[str]
    code: frozenset[str]


def _plain(text: str) -> str:
    """A statement without markup, without what only announces it, and without what it is set against.

    "Fixed: we count changed lines, not all lines" says that changed lines are counted, as does "The
    issue is that we count changed lines instead of all lines".
    """
    text = " ".join(_MARKUP.sub(" ", text).split())
    text = _NOT.sub(lambda found: f"{_STEMS.get(word := (found[1] or found[2]).casefold(), word)} not", text)
    for _ in range(_LEADS_AT_MOST):
        text = _LEAD.sub("", text, count=1)
    return _CONTRAST.sub("", text).strip()


# Each statement is compared with many others, and is read once for all of them.
@lru_cache(16_384)
def _read(text: str) -> _Read:
    code = frozenset(" ".join(found[1].casefold().split()) for found in _CODE.finditer(text))
    text = _plain(text)
    words = meaning(text)
    # The first word of a sentence has a capital whatever it is.
    inside = [word for sentence in _ENDS.split(text) for word in tokens(sentence, lower=False)[1:]]
    names = {word for word in inside if _NAME.search(word) and word != "I"}
    names |= {word for word in marked(text) if _INNER.search(word)}
    plain = (re.sub(r"^\W+|(?:['’]s|\W)+$", "", word.casefold()) for word in names)
    figures = frozenset(word for word in words if _FIGURE.search(word))
    said = frozenset(words) - LIGHT
    return _Read(text, words, said, frozenset(tokens(text)), frozenset(filter(None, plain)), figures, code)


def named(text: str, known: str = "") -> frozenset[str]:
    """The names and figures of a statement that another text does not have."""
    read = _read(text)
    return _unshared((read.names | read.figures) - negations(text), known)


def difference(one: str, other: str) -> str:
    """Why two statements are not the same, in a clause; empty where nothing keeps them apart.

    The order of the two does not matter.
    """
    # One sentence that differs keeps the whole statements apart, however alike the rest of them is.
    found = (_difference(*sorted(pair)) for pair in compared(one, other))
    return next(filter(None, found), "")


def sameness(one: str, other: str, cosine: float, stays: float) -> float:
    """The chance that two statements that nothing keeps apart say the same.

    Args:
        one: a statement.
        other: another one; their order does not matter.
        cosine: of their vectors.
        stays: the chance that both can hold, as the model of changes of mind reads them.
    """
    pairs = compared(one, other) or [(one, other)]
    found = (features(min(pair), max(pair), cosine, stays) for pair in pairs)
    # The least sure pair of sentences decides: one that may differ is enough to keep both memories.
    return min(map(_SAME.probability, found))


def features(one: str, other: str, cosine: float, stays: float) -> dict[str, float]:
    """What speaks for or against two sentences saying the same."""
    a, b = _read(one), _read(other)
    own_a, own_b = (
        _own(a.words, {*a.words}.difference(b.words), b.words),
        _own(b.words, {*b.words}.difference(a.words), a.words),
    )
    sizes = [max(1, sum(word not in LIGHT for word in each.words)) for each in (a, b)]
    held = [1 - len(own) / size for own, size in zip((own_a, own_b), sizes, strict=True)]
    wishes = [any(stem(word) in _WISHES for word in each.plain) for each in (a, b)]
    names = [bool(_unshared(a.names, b.text)), bool(_unshared(b.names, a.text))]
    stays = min(max(stays, _LEAST_CHANCE), 1 - _LEAST_CHANCE)
    # `autojunk` would leave out words that are frequent in texts of 200 words and more.
    matcher = SequenceMatcher(None, a.words, b.words, autojunk=False)
    return {
        "cosine": cosine,
        "stays": log(stays / (1 - stays)),
        "held": max(held),
        "own": log1p(min(len(own_a), len(own_b))),
        "length": log1p(min(sizes)),
        "wish": float(wishes[0] != wishes[1]),
        "amount": float(any(bool(a.plain & one) != bool(b.plain & one) for one in _AMOUNTS)),
        "name": float(names[0] != names[1]),
        "replaced": float(any(True for _ in _replaced(a, b, matcher))),
    }


def compared(one: str, other: str) -> list[tuple[str, str]]:
    """The pairs of sentences that speak of the same thing, or else the statements themselves.

    A sentence that has no counterpart adds something; it differs from nothing.
    """
    parts, others = list(sentences(one)), list(sentences(other))
    if len(parts) == len(others) == 1:
        return [(one, other)]
    return [(part, each) for part in parts for each in others if _related(part, each)]


def _related(one: str, other: str) -> bool:
    a, b = _read(one).said, _read(other).said
    return len(a & b) >= _RELATED * min(len(a), len(b)) > 0


def _difference(one: str, other: str) -> str:
    if one == other:
        return ""
    a, b = _read(one), _read(other)
    if found := (
        # What keeps two statements apart in any words comes first. What follows compares word by word,
        # which means something only where both are built alike; of others each different word would count.
        contradiction(a.text, b.text)
        or _done(a, b)
        or _exchanged(_unshared(a.code, b.text), _unshared(b.code, a.text))
        or _exchanged(_unshared(a.figures, b.text), _unshared(b.figures, a.text))
        or _exchanged(_unshared(a.names, b.text), _unshared(b.names, a.text))
        or _order(a, b)
    ):
        return found
    matcher = SequenceMatcher(None, a.words, b.words, autojunk=False)
    shared = sum(block.size for block in matcher.get_matching_blocks())
    if shared < _SAME_FRAME * max(len(a.words), len(b.words)):
        return ""
    if replaces(a.text, b.text):
        return "each has a word in the place of the other's"
    return _bounds(a, b) or _in_place(a, b, matcher) or _values(a, b)


def _done(a: _Read, b: _Read) -> str:
    """One tells what was done or came of it; the other what is so, or is to be done."""
    if bool(_REPORT.match(a.text)) != bool(_REPORT.match(b.text)):
        return "only one of them tells what was done"
    if bool(found := a.plain & _OUTCOMES) != bool(others := b.plain & _OUTCOMES):
        return f"only one of them says «{min(found or others)}»"
    return ""


def _exchanged(one: frozenset[str], other: frozenset[str]) -> str:
    """Both have something of this sort that the other lacks."""
    # Two texts that hold one name more than the other only add to it; an exchange needs both sides.
    only_one, only_other = sorted(one - other), sorted(other - one)
    if only_one and only_other:
        return f"one names «{only_one[0]}», the other «{only_other[0]}»"
    return ""


def _unshared(names: frozenset[str], text: str) -> frozenset[str]:
    """The names that another text does not have, not even as parts of a path or a qualified name."""
    low = text.casefold()
    return frozenset(name for name in names if not _stands_in(low, name.rpartition("/")[2]))


def _stands_in(text: str, name: str) -> bool:
    # "key" stands in "backup_key", but "fresh_db" not in "fresh_db_old".
    ends = r"\w" if _INNER.search(name) or "_" in name else r"[^\W_]"
    return re.search(rf"(?<!{ends}){re.escape(name)}(?:s|es)?(?!{ends})", text) is not None


def _bounds(a: _Read, b: _Read) -> str:
    """One has a word of place, amount, time or condition that the other lacks."""
    for group in _GROUPS:
        in_one, in_other = a.plain & group, b.plain & group
        if bool(in_one) != bool(in_other):
            return f"only one of them says «{min(in_one or in_other)}»"
    return ""


def _order(a: _Read, b: _Read) -> str:
    """Both have the same words in another order, and deny one of them or exchange two of them."""
    if a.words == b.words or sorted(a.words) != sorted(b.words):
        return ""
    if negations(a.text) or change_places(a.text, b.text):
        return "they say the same words in another order"
    return ""


def _values(a: _Read, b: _Read) -> str:
    """Both give the same thing a value, and not the same one."""
    if alike(a.text, b.text):
        return ""
    clauses = other_value(a.text, b.text) or other_value(b.text, a.text)
    return f"one says «{clauses[0]}», the other «{clauses[1]}»" if clauses else ""


def _in_place(a: _Read, b: _Read, matcher: SequenceMatcher[str]) -> str:
    """A word or two stand in the place of others."""
    for left, right in _replaced(a, b, matcher):
        if max(len(left), len(right)) <= _SHORT:
            return f"one says «{' '.join(left)}», the other «{' '.join(right)}»"
    return ""


def _replaced(a: _Read, b: _Read, matcher: SequenceMatcher[str]) -> Iterator[tuple[list[str], list[str]]]:
    """The words of one that stand in the place of words of the other, where both say something."""
    more, fewer = Counter(a.words) - Counter(b.words), Counter(b.words) - Counter(a.words)
    for tag, at, end, start, stop in matcher.get_opcodes():
        # A word that one has once more than the other is its own, though the other has it elsewhere.
        left, right = _own(a.words[at:end], more, fewer), _own(b.words[start:stop], fewer, more)
        if tag == "replace" and left and right:
            yield left, right


def _own(words: Iterable[str], mine: Container[str], others: Iterable[str]) -> list[str]:
    """The words that say something and are one statement's own, of which another has no form or synonym."""
    own = (word for word in words if word not in LIGHT and word in mine)
    return [word for word in own if not any(_same(word, one) for one in others)]


def _same(one: str, other: str) -> bool:
    if one == other or any(one in group and other in group for group in _synonyms()):
        return True
    # Two letters less than the shorter word: endings such as "-ed" and "-er" are no other word. With a
    # figure in it ("v1", "utf8") each letter counts.
    root = max(_ROOT, min(len(one), len(other)) - 2)
    return one[:root] == other[:root] and not _FIGURE.search(one + other)


@lru_cache(1)
def _synonyms() -> tuple[frozenset[str], ...]:
    return tuple(frozenset(map(stem, group)) for group in groups_of_synonyms())
