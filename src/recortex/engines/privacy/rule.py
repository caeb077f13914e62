"""A privacy rule: the shape of what must not be kept, and how sure a match is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    import re

Category = Literal["pii", "secret", "connection"]


class Place(NamedTuple):
    """What a check is told: the value without our own placeholders, the match, the text in its own case."""

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
        check: name of the function of `checks` that looks closer at a match; False means that it is something
            else. Empty: none.
        folded: run the pattern over the lower-cased text (offsets are the same).
        gate: name of a cheap expression of `table.GATES` that must also match somewhere in the lower-cased
            text.
        anchored: every match begins with one of the keywords, so that it is enough to try at their places.
    """

    name: str
    category: Category
    pattern: str
    keywords: tuple[str, ...]
    confidence: float
    check: str = ""
    folded: bool = False
    gate: str = ""
    anchored: bool = False

    @property
    def placeholder(self) -> str:
        """What stands in the text afterwards, such as `[EMAIL]`."""
        return f"[{self.name.upper()}]"
