"""Analyses a question by its words."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

from recortex.domain.kinds import Kind
from recortex.engines.indexing.traits import Trait
from recortex.engines.languages import function_words, is_german, question_words
from recortex.engines.retrieval.dates import NamedDate, named_dates
from recortex.engines.words import STOP_WORDS, TYPED, tokens, words

if TYPE_CHECKING:
    from collections.abc import Iterator

READ_CHARACTERS = 2_000
"""Characters of a question that are read; MiniLM reads about 1,200."""
MOST_WORDS = 48
"""Words that are looked up: enough for any question, and a bound for a pasted text."""
NOTHING = Trait(0)

_PATH = re.compile(r"[\w.-]{1,100}(?:/[\w.-]{1,100}){1,40}/?|\b[\w-]{1,100}\.(?:[a-z]{1,4})\b")
_TESTS = re.compile(r"\btest")
_ANSWERS = (
    (Trait.TIME, re.compile(r"\bwhen\b|what (?:date|day|month|year|time)|which (?:month|year|day)")),
    (Trait.NUMBER, re.compile(r"how (?:many|much|often|long|old|far)")),
    (Trait.PLACE, re.compile(r"\bwhere\b|(?:which|what) (?:city|country|state|place)")),
    (Trait.REASON, re.compile(r"\bwhy\b|reason")),
)


def kinds_of(*names: str) -> frozenset[Kind]:
    """Kinds by their names."""
    return frozenset(Kind(name) for name in names)


_USUAL_KINDS = (
    (
        re.compile(
            r"\bwhy (?:do|did|not|is|are|was)|\b(?:chose|choose|decided?|decision|rationale)\b|"
            r"\b(?:warum|wieso|weshalb|entschieden|por qué|pourquoi|por que)\b|为什么|为何|なぜ|どうして|왜 "
        ),
        kinds_of("decision", "decision_context", "pattern_rationale", "constraint_override"),
    ),
    (
        re.compile(
            r"\bhow (?:do|to|can|should)\b|\bsteps\b|\bprocedure\b|\bcómo (?:se|puedo|debo)\b|"
            r"\bwie (?:kann|soll|muss|macht|wird|werden|geht)\b|\bcomment (?:faire|puis)|"
            r"\bcomo (?:faço|posso)\b|怎么|如何|どうやって|どうすれば|어떻게"
        ),
        kinds_of("procedural", "workflow", "skill", "tribal"),
    ),
    (
        re.compile(r"\b(?:outage|incident|broke|down|crash\w*|leak|went wrong|root cause)\b"),
        kinds_of("incident", "tribal"),
    ),
    (re.compile(r"\b(?:prefer\w*|style|convention)\b"), kinds_of("preference", "feedback")),
)
"""Kinds by the questions that they usually answer. A new kind need not be here: the weight of `kind` only
decides between memories that answer about equally well."""


@dataclass(frozen=True, slots=True)
class Question:
    """An analysed question.

    Attributes:
        text: the question, at most `READ_CHARACTERS` long, without NUL.
        words: what to look up in the keyword index: words that are not function words, parts of identifiers,
            CJK pairs.
        names: capitalised words that do not begin the question, in lower case; none of German, where every
            noun is capitalised.
        typed: every word as it stands in the question.
        dates: the dates it names.
        answer: what kind of answer is asked for (a time, a number, a place, a reason), or nothing.
        paths: file names and paths in it.
        kinds: kinds of memories that usually answer such a question.
        about_tests: whether it asks about tests.
    """

    text: str
    words: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    typed: tuple[str, ...] = ()
    dates: tuple[NamedDate, ...] = ()
    answer: Trait = NOTHING
    paths: tuple[str, ...] = ()
    kinds: frozenset[Kind] = frozenset()
    about_tests: bool = False


def question(text: str) -> Question:
    """Analyse a question. Any text is accepted; an empty one asks for nothing."""
    text = text.replace("\0", " ")[:READ_CHARACTERS].strip()
    lower = text.lower()
    return Question(
        text=text,
        words=tuple(question_words(text))[:MOST_WORDS],
        names=() if is_german(text) else tuple(dict.fromkeys(_names(text))),
        typed=tuple(tokens(text, TYPED, lower=False)),
        dates=named_dates(text),
        answer=next((trait for trait, pattern in _ANSWERS if pattern.search(lower)), NOTHING),
        paths=tuple(_PATH.findall(text)),
        kinds=frozenset[Kind]().union(*(kinds for pattern, kinds in _USUAL_KINDS if pattern.search(lower))),
        about_tests=bool(_TESTS.search(lower)),
    )


def index_form(word: str) -> str:
    """A word of a question as the index knows it: in lower case, without a possessive ending."""
    return "".join(words(word)[:1])


def without(asked: Question, common: frozenset[str]) -> str:
    """The question without its common words, to be embedded; whole if only function words would be left."""
    kept = [word for word in asked.typed if index_form(word) not in common]
    nothing = function_words(asked.text)
    if len(kept) == len(asked.typed) or all(index_form(word) in nothing for word in kept):
        return asked.text
    return " ".join(kept)


def _names(text: str) -> Iterator[str]:
    for token in islice(TYPED.finditer(text), 1, None):
        word = index_form(token[0])
        begins_sentence = text[: token.start()].rstrip()[-1:] in {".", "!", "?", ":", "\n"}
        if token[0][0].isupper() and word not in STOP_WORDS and not begins_sentence:
            yield word
