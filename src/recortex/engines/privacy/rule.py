"""A row of the table of what must not be kept: its shape, how sure it is, and its own examples."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    import re
from collections.abc import Callable

Category = Literal["pii", "secret", "connection"]

TOKEN = 0.95
"""Base confidence of a shape that belongs to one provider: stays above the threshold in a comment of a test
file."""


class Place(NamedTuple):
    """What a check is told: the value without our own markers, the match, and the text in its own case."""

    value: str
    match: re.Match[str]
    text: str


@dataclass(frozen=True, slots=True)
class Rule:
    """One shape of personal data or of a secret.

    Attributes:
        name: lower case with underscores; gives the placeholder.
        pattern: regular expression without unbounded nested repetition. The group `v`, if there is one, is
            what gets replaced, otherwise the whole match.
        keywords: lower-case literals; unless one of them occurs in the text the pattern is not run. Empty:
            always run.
        gate: name of a cheap expression of `table.GATES` that must also match somewhere in the lower-cased
            text.
        anchored: every match begins with one of the keywords, so that it is enough to try at their places.
        confidence: before context scoring, 0 to 1.
        check: looks closer at a match; False means that it is something else.
        folded: run the pattern over the lower-cased text (offsets are the same).
        positives: examples that must be replaced; `<<h32>>` stands for 32 random hexadecimal digits, so that
            this file holds nothing that a secret scanner would report (see `examples`).
        negatives: look-alikes that must survive.
    """

    name: str
    category: Category
    pattern: str
    keywords: tuple[str, ...]
    confidence: float
    positives: tuple[str, ...]
    negatives: tuple[str, ...]
    check: Callable[[Place], bool] | None = None
    folded: bool = False
    gate: str = ""
    anchored: bool = False

    @property
    def placeholder(self) -> str:
        """What stands in the text afterwards, such as `[EMAIL]`."""
        return f"[{self.name.upper()}]"


def provider(
    name: str,
    pattern: str,
    keywords: str,
    positives: tuple[str, ...],
    negatives: tuple[str, ...],
    *,
    inside: bool = False,
    gate: str = "",
) -> Rule:
    """Build the row of a provider's own token.

    Args:
        name: as in `Rule`.
        pattern: bounded on the left by this function.
        keywords: parted by spaces; the token begins with one of them unless `inside`.
        positives: as in `Rule`.
        negatives: as in `Rule`.
        inside: the keywords occur within or near the token, not at its beginning.
        gate: as in `Rule`.
    """
    return Rule(
        name=name,
        category="secret",
        pattern=rf"(?<![A-Za-z0-9])(?:{pattern})",
        keywords=tuple(keywords.split()),
        confidence=TOKEN,
        positives=positives,
        negatives=negatives,
        anchored=not inside,
        gate=gate,
    )
