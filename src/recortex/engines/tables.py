"""What modules keep in files beside them: regular expressions, and the weights of logistic regressions.

The expressions of `NAME.py` are in `patterns/NAME.txt`. A file has a section for each: its name and flags in
brackets (`[hedge i]`: i ignores case, m and s are multi-line and dot-all), then the expression. One that
recognises statements also has the kind of memory that they make and their confidence
(`[cue_limit i tribal 0.72]`). It may take several lines, which are joined without the spaces around them. A
section `[fragment NAME]` replaces `{NAME}` in later ones. Lines that begin with `# ` are comments.

A table of a regression is a JSON file, written by what trained it: `features` names what is weighed, `models`
has for each model its bias and the weights of the features in that order, and `record` says how it was
trained. What else a table holds is its user's own.
"""

from __future__ import annotations

import json
import re
from functools import cache
from math import exp, fsum, isfinite, sqrt
from operator import mul
from pathlib import Path
from typing import TYPE_CHECKING, Any

from recortex.domain.text import lazy
from recortex.lean import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


_SECTION = re.compile(r"^\[(fragment )?([a-z]\w*)(?: ([ims]+))?(?: ([a-z]\w+ [\d.]+))?\]\n", re.MULTILINE)
_FRAGMENT = re.compile(r"\{([a-z]\w*)\}")
_NUMBER = re.compile(r"_\d+$")


class Form(NamedTuple):
    """A form of statement, with the expression that recognises it.

    Attributes:
        name: that of its section, without the prefix of the table and the number of the variant.
        kind: the kind of memory that such a statement makes.
        confidence: 0 to 1, before adjustments.
    """

    name: str
    kind: str
    confidence: float
    pattern: re.Pattern[str]


class Patterns:
    """The expressions of a module as attributes; each is compiled when it is first used."""

    def __init__(self, module: str, file: str = "") -> None:
        """Read the file of a module, given its `__file__`; `file`: of another name."""
        path = Path(module)
        written = (path.parent / "patterns" / f"{file or path.stem}.txt").read_text(encoding="utf-8")
        fragments: dict[str, str] = {}
        self._rated: dict[str, list[str]] = {}
        sections = _SECTION.split(re.sub(r"(?m)^# .*\n", "", written))[1:]
        for fragment, name, flags, rated, lines in zip(*(sections[at::5] for at in range(5)), strict=True):
            text = "".join(line.strip() for line in lines.splitlines())
            text = _FRAGMENT.sub(lambda found: fragments[found[1]], text)
            if fragment:
                fragments[name] = text
            else:
                setattr(self, name, lazy(text, sum(re.RegexFlag[flag.upper()] for flag in flags or "")))
                self._rated |= {name: rated.split()} if rated else {}

    def starting(self, prefix: str) -> tuple[re.Pattern[str], ...]:
        """The expressions whose names begin so, in the order of the file."""
        return tuple(self.by_name(prefix).values())

    def by_name(self, prefix: str) -> dict[str, re.Pattern[str]]:
        """The expressions whose names begin so, by name, in the order of the file."""
        return {name: pattern for name, pattern in vars(self).items() if name.startswith(prefix)}

    def forms(self, prefix: str) -> tuple[Form, ...]:
        """The forms whose sections begin so, in the order of the file; the first that matches counts."""
        return tuple(
            Form(_NUMBER.sub("", name.removeprefix(prefix)), kind, float(confidence), getattr(self, name))
            for name, (kind, confidence) in self._rated.items()
            if name.startswith(prefix)
        )

    def __getattr__(self, name: str) -> re.Pattern[str]:
        """Say which expression is missing; for type checkers, that the others are expressions."""
        raise AttributeError(f"There is no expression {name} in the file.")


_MOST = 30.0
"""A logit beyond this says no more: 1e-13 is left of the probability."""


def logistic(value: float) -> float:
    """1 / (1 + e^-value), for any finite value."""
    # `exp` fails above 709, and beyond 60 a probability says no more.
    return 1.0 / (1.0 + exp(-max(-60.0, min(60.0, value))))


def standardised(values: Sequence[float], least_spread: float = 1e-9) -> list[float]:
    """Each value's distance from the mean in standard deviations; all zero where nothing differs.

    A spread below `least_spread` is taken as that, so that noise among near equals is not blown up.
    """
    if not values:
        return []
    mean = fsum(values) / len(values)
    distances = [value - mean for value in values]
    spread = max(sqrt(fsum(map(mul, distances, distances)) / len(values)), least_spread)
    return [distance / spread for distance in distances]


def clamp(value: float) -> float:
    """The value within 0 to 1; what is no number is 0."""
    return min(1.0, max(0.0, value)) if isfinite(value) else 0.0


class Regression(NamedTuple):
    """A logistic regression.

    Attributes:
        bias: of the logit.
        weights: by feature; of one that is not named it is 0.
    """

    bias: float
    weights: Mapping[str, float]

    def logit(self, features: Mapping[str, float]) -> float:
        """The log-odds by named numbers, between -30 and 30; what is not given counts as 0."""
        weights = self.weights
        found = self.bias + sum(weights.get(name, 0.0) * value for name, value in features.items() if value)
        return max(-_MOST, min(_MOST, found))

    def probability(self, features: Mapping[str, float]) -> float:
        """The probability by named numbers."""
        return logistic(self.logit(features))


class Table(NamedTuple):
    """The models of a file.

    Attributes:
        models: by name.
        written: the whole file.
    """

    models: Mapping[str, Regression]
    written: Mapping[str, Any]


@cache
def table(path: Path) -> Table:
    """The table in a file of the package."""
    return read(json.loads(path.read_text(encoding="utf-8")))


def read(written: Mapping[str, Any]) -> Table:
    """A table as its file has it."""
    names = written["features"]
    models = {
        model: Regression(bias, dict(zip(names, weights, strict=True)))
        for model, (bias, *weights) in written["models"].items()
    }
    return Table(models, written)
