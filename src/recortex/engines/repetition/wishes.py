"""The wishes in a message of the person: orders, requests, corrections and rules, a clause each.

A wish is worded mechanically: "ok, can we add a test for this?" wishes "Add a test."; nothing is composed.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from recortex.engines.extraction.authorship import DOUBT, doubtful, typed
from recortex.engines.extraction.passages import passages
from recortex.engines.extraction.plain_speech import perhaps_durable
from recortex.engines.extraction.sentences import hangs, keeps, plain, typed_sentences
from recortex.engines.patterns import Patterns
from recortex.engines.words import INFLECTIONS, STOP_WORDS, sections, stem, tokens, word_set

if TYPE_CHECKING:
    from collections.abc import Iterator

PATTERNS = Patterns(__file__)
MOST_TYPED = 2_500
"""Characters of a message; a longer one is pasted."""
_MOST_WORDS = 40
_FEWEST_WORDS = 2
_DIGITS = 3
_WORD = re.compile(r"[^\W_]+(?:['’]t|-[^\W\d_]+)*")
_NUMBER = re.compile(r"\d+")
_NOT = "not"
_DENYING = word_set(
    "don't dont doesn't never without no not cannot can't shouldn't mustn't nothing nor avoid stop"
)
_LISTS = sections(__file__)


class Wish(NamedTuple):
    """A clause that wishes for something.

    Attributes:
        text: worded as a rule.
        words: what it is compared by: stems of its content words, one for words that mean the same.
        rule: it is worded as a rule for more than the moment.
        how: it says how work is to be done.
        stands: a reader understands it without what stands around it.
        task: it asks for a step of everyday work, and says nothing of how.
        doubtful: it may be quoted or pasted, and so not the person's wish.
        lasting: it may be a statement that lasts, in careless words: two sessions are enough for it.
    """

    text: str
    words: frozenset[str]
    rule: bool
    how: bool
    stands: bool
    task: bool
    doubtful: bool = False
    lasting: bool = False

    @property
    def standing(self) -> bool:
        """Whether its form is that of a wish for all work."""
        return self.rule or self.how


def wishes(message: str) -> list[Wish]:
    """The wishes in a message, in order, and then what it states carelessly that may last."""
    whole = PATTERNS.markup.sub(" ", message[: MOST_TYPED + 1])
    if len(whole) > MOST_TYPED or not (text := typed(whole)):
        return []
    text = PATTERNS.line.sub("\n\n", text)
    lasting = {
        words | set(_NUMBER.findall(one)): one  # a port that changed is not said again
        for one in perhaps_durable(whole)
        if (words := compared(one)) - {_NOT}
    }
    material = doubtful(whole)
    found = (
        wish._replace(doubtful=material(clause) >= DOUBT)
        for passage in passages(text)
        for clause in _clauses(passage.text)
        if (wish := _wish(clause)) and wish.words
    )
    asked = [one for one in found if one.words not in lasting]
    return asked + [
        Wish(one, words, rule=True, how=False, stands=True, task=False, lasting=True)
        for words, one in lasting.items()
    ]


def as_wish(statement: str) -> Wish:
    """A statement as it is compared with wishes; no wish itself, so that only what is surely alike is."""
    return Wish(statement, compared(statement), rule=False, how=False, stands=True, task=False)


def _clauses(passage: str) -> Iterator[str]:
    for sentence in typed_sentences(passage):
        first, *more = PATTERNS.split.split(plain(sentence))
        yield PATTERNS.joint.sub("", first.strip())
        for part in more:  # "can you repeat this, but format it in Markdown?" orders the second
            yield PATTERNS.joint.sub("", part.strip().rstrip("?"))


def _wish(clause: str) -> Wish | None:
    """The clause as a wish; None where it is none."""
    if not _FEWEST_WORDS <= len(clause.split()) <= _MOST_WORDS:
        return None
    said = PATTERNS.opening.sub("", clause)
    reminded = PATTERNS.never_forget.search(said) is not None
    bare = PATTERNS.request.sub("", said, count=1)
    asked = bare != said
    question = clause.rstrip().endswith("?")
    if not (
        asked
        or (
            not question
            and any(one.search(bare) for one in (PATTERNS.order, PATTERNS.order_after, PATTERNS.modal))
        )
    ):
        return None
    shorter = PATTERNS.tail.sub("", bare.rstrip(" ,;:?.!-")).rstrip(" ,;:?.!-")
    text = f"{shorter[:1].upper()}{shorter[1:]}." if shorter else ""
    words = compared(text)
    if not words - {_NOT} or hangs(text) or not keeps(PATTERNS.asked_not.sub("", said), text):
        return None  # without its negation, exception or condition it would say something else
    rule = reminded or PATTERNS.rule.search(text) is not None
    stands = not (PATTERNS.pointing.search(text) or PATTERNS.cut.search(text))
    how = PATTERNS.how.search(text) is not None
    return Wish(text, words, rule, how, stands, task=not rule and words <= _tasks())


def compared(text: str) -> frozenset[str]:
    """The words that two wishes are compared by: names as they are, no function words and numbers."""
    names = [name.strip("`") for name in PATTERNS.code.findall(text)]
    plain_words: list[str] = []
    for word in PATTERNS.code.sub(" ", text).split():
        bare = word.strip("'\".,;:()?!")
        (names if PATTERNS.name.match(bare) else plain_words).append(bare)
    told = {name.lower() for name in names if not _passing(name)}
    found = (word.replace("’", "'") for word in tokens(" ".join(plain_words), _WORD))
    return frozenset(_NOT if word in _DENYING else _root(word) for word in found if _counts(word)) | told


def _passing(name: str) -> bool:
    """Whether a name tells apart one case from the others, such as an address, a number or a hash."""
    return "://" in name or not re.search(r"[^\W\d_]{2}", name) or sum(map(str.isdigit, name)) > _DIGITS


def _counts(word: str) -> bool:
    return word in _DENYING or (word not in STOP_WORDS and len(word) > 1)


def _root(word: str) -> str:
    return _same().get(word) or _same().get(stem(word, INFLECTIONS)) or stem(word, INFLECTIONS)


@cache
def _same() -> dict[str, str]:
    """For each word and stem of the groups of words that mean the same, the first of its group."""
    groups = [line.split() for line in _LISTS["SAME"].splitlines() if line.strip()]
    named = {stem(word, INFLECTIONS): group[0] for group in groups for word in group}
    return named | {word: group[0] for group in groups for word in group}


@cache
def _tasks() -> frozenset[str]:
    return frozenset(map(_root, word_set(_LISTS["TASKS"]))) | {_NOT}
