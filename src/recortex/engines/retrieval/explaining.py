"""How a question was understood: its intent, one of nineteen; and the parts of a hit's score."""

from __future__ import annotations

import re
import tomllib
from fnmatch import fnmatch
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from recortex.domain.kinds import KINDS
from recortex.domain.search import Understood, Why
from recortex.engines.retrieval.question import index_form
from recortex.engines.retrieval.scorer import FLOOR, answerable, evidence, lacks_vector
from recortex.engines.retrieval.weights import additions, found_words
from recortex.errors import InvalidInputError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from recortex.engines.retrieval.question import NamedDate, Question
    from recortex.engines.retrieval.scorer import Considered, Scored
    from recortex.engines.retrieval.weights import Vocabulary


TABLE = Path(__file__).with_name("intents.toml")
MATRIX = Path(__file__).with_name("intent_matrix.toml")
USUAL = "recall"
"""Where nothing speaks for any intent."""
FILE, ACTION = 0.6, 0.8
"""What a file in view, or a recent action, counts beside one word of the task."""
READ_CHARACTERS = 2_000
LEAST, MOST = 0.0, 5.0
"""What a weight of the matrix may be."""


class Rule(NamedTuple):
    """How one intent is recognised.

    Attributes:
        words: expression that finds its words and phrases.
        files: globs of paths.
        actions: words of recent actions.
    """

    words: re.Pattern[str]
    files: tuple[str, ...] = ()
    actions: tuple[str, ...] = ()


@cache
def rules() -> Mapping[str, Rule]:
    """The rules of each intent, in the order of the table."""
    table = tomllib.loads(TABLE.read_text(encoding="utf-8"))
    return {name: _rule(row) for name, row in table.items()}


def _rule(row: Mapping[str, list[str]]) -> Rule:
    # The longest first, so that a phrase is not taken for its first word.
    words = sorted(row["words"], key=len, reverse=True)
    # The end is left open, so that "test" finds "tests" and "testing" too.
    found = re.compile(rf"(?<!\w)(?:{'|'.join(re.escape(word.strip()) for word in words)})", re.IGNORECASE)
    return Rule(found, tuple(row.get("files", ())), tuple(row.get("actions", ())))


def classify(task: str, files: Sequence[str] = (), actions: Sequence[str] = ()) -> str:
    """The intent of a task.

    Args:
        task: in the person's or the agent's words.
        files: paths in view.
        actions: what was done last, the names of signals such as `failed`.
    """
    scores = {name: _score(rule, task[:READ_CHARACTERS], files, actions) for name, rule in rules().items()}
    best = max(scores, key=lambda name: scores[name])  # the first of equals
    return best if scores[best] else USUAL


def _score(rule: Rule, task: str, files: Sequence[str], actions: Sequence[str]) -> float:
    said = {found[0].lower() for found in rule.words.finditer(task)}
    # A phrase counts by its words: it is less likely to be there by chance than one word.
    words = float(sum(len(one.split()) for one in said))
    words += FILE * any(fnmatch(path, glob) for path in files for glob in rule.files)
    return words + ACTION * any(one in rule.actions for one in actions)


@cache
def _usual_matrix() -> Mapping[str, Mapping[str, float]]:
    return read_matrix(MATRIX.read_text(encoding="utf-8"))


def boosts(intent: str, own: Mapping[str, Mapping[str, float]] | None = None) -> Mapping[str, float]:
    """By how much the relevance of each kind counts for an intent; a kind that is missing counts once.

    Args:
        intent: by name.
        own: a matrix of the person's, which goes before the usual one, kind by kind.
    """
    return {**_usual_matrix().get(intent, {}), **(own or {}).get(intent, {})}


def read_matrix(text: str) -> Mapping[str, Mapping[str, float]]:
    """The matrix of a TOML text: a table for each intent, with a number for each kind.

    Raises:
        InvalidInputError: it is no such text.
    """
    try:
        table: dict[str, Any] = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise InvalidInputError(f"The matrix of intents is no TOML: {error}.") from error
    for intent, row in table.items():
        if intent not in rules() or not isinstance(row, dict):
            raise InvalidInputError(
                f"There is no intent {intent[:40]!r}.", hint=f"Intents: {', '.join(rules())}."
            )
        for kind, weight in row.items():
            if kind not in KINDS or not isinstance(weight, int | float) or not LEAST <= weight <= MOST:
                raise InvalidInputError(
                    f"{intent}.{kind} must be a kind with a number from {LEAST:g} to {MOST:g}."
                )
    return table


DIGITS = 3
"""Of what is added, and of logits."""


def why(one: Scored, best: Scored, vocabulary: Vocabulary, holding: Mapping[str, frozenset[int]]) -> Why:
    """The parts of a hit's score.

    Args:
        one: the hit.
        best: the first of all candidates.
        vocabulary: the words of the question in the store.
        holding: for each word, and each synonym that stands for one, the keys of hits that have it.
    """
    has = {word: count for word, count in _counts(vocabulary).items() if one.facts.key in holding[word]}
    lacks = tuple(word for word in vocabulary.frequency if word not in has)
    adds = {name: round(value, DIGITS) for name, value in one.adds.items()}
    told = (found_words(has, lacks, vocabulary.size), f"adds {additions(adds)}" if adds else "")
    return Why(
        has=has,
        lacks=lacks,
        store=vocabulary.size,
        adds=adds,
        behind=round(best.total - one.total, DIGITS),
        without_vector=lacks_vector(one.facts),
        text="; ".join(filter(None, told)),
    )


def understood(asked: Question, vocabulary: Vocabulary, considered: Considered) -> Understood:
    """How a store takes a question, and what speaks for an answer."""
    support = considered.support
    counts = _counts(vocabulary)
    return Understood(
        store=vocabulary.size,
        words={word: count for word, count in counts.items() if count},
        unknown=tuple(word for word, count in counts.items() if not count),
        instead=tuple(vocabulary.stand_ins),
        common=tuple(sorted({index_form(word) for word in asked.typed} & vocabulary.common())),
        names=asked.names,
        paths=asked.paths,
        dates=tuple(map(_written, asked.dates)),
        asks_for=(asked.answer.name or "").lower() if asked.answer else "",
        kinds=tuple(sorted(asked.kinds)),
        intent=classify(asked.text),
        for_an_answer={name: round(value, DIGITS) for name, value in evidence(support).items() if value},
        sure=round(answerable(support), DIGITS),
        floor=FLOOR,
        gathered=len(considered.scored),
    )


def _counts(vocabulary: Vocabulary) -> dict[str, int]:
    """The words of the question and those that stand for them, rarest first; unknown ones last."""
    counts = {**vocabulary.stand_ins, **vocabulary.frequency}
    return dict(sorted(counts.items(), key=lambda entry: (not entry[1], entry[1])))


def _written(date: NamedDate) -> str:
    parts = ("????" if date.year is None else f"{date.year}", date.month, date.day)
    known = (part if isinstance(part, str) else "??" if part is None else f"{part:02}" for part in parts)
    return "-".join(known)
