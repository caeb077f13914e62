"""A privacy rule: the pattern of personal data or of a secret, and the confidence of a match."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    import re

Category = Literal["pii", "secret", "connection"]


class Place(NamedTuple):
    """What a check gets: the value without Recortex's placeholders, the match, and the original text."""

    value: str
    match: re.Match[str]
    text: str


@dataclass(frozen=True, slots=True)
class Rule:
    """One shape of personal data or of a secret. `rules/README.md` says how rules are written.

    Attributes:
        name: lower case with underscores; gives the placeholder.
        pattern: regular expression without unbounded nested repetition. The group `v`, if there is one, is
            what gets replaced, otherwise the whole match.
        keywords: lower-case literals; unless one of them occurs in the text the pattern is not run. Empty:
            always run.
        confidence: before context scoring, 0 to 1.
        check: name of a function of `checks` that confirms a match (True) or rejects it. Empty: none.
        finder: name of a function of `finders`, for a pattern that is a mere word: it says where the secret
            is. Empty: the match is the secret.
        folded: run the pattern over the lower-cased text (offsets are the same).
        gate: name of a cheap expression of `table.GATES` that must also match somewhere in the lower-cased
            text.
        anchored: every match begins with one of the keywords, so the pattern is tried only where they occur.
    """

    name: str
    category: Category
    pattern: str
    keywords: tuple[str, ...]
    confidence: float
    check: str = ""
    finder: str = ""
    folded: bool = False
    gate: str = ""
    anchored: bool = False

    @property
    def placeholder(self) -> str:
        """What replaces a match, such as `[EMAIL]`."""
        return f"[{self.name.upper()}]"
