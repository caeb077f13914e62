"""What a task is about: one of nineteen intents, by its words, the files in view, and what was done last."""

from __future__ import annotations

import re
import tomllib
from fnmatch import fnmatch
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from recortex.domain.kinds import KINDS
from recortex.errors import InvalidInputError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

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
