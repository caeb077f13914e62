"""The result of a redaction: the clean text, and where something was replaced, but never what it was."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple


class RedactionFinding(NamedTuple):
    """One place of the original text that was replaced.

    Attributes:
        rule: name of the rule that matched; the placeholder is that name in capitals and brackets.
        category: `pii`, `secret` or `connection`.
        start: offset in the original text, in characters.
        end: offset just past the last replaced character.
        confidence: 0 to 1, after context scoring.
    """

    rule: str
    category: str
    start: int
    end: int
    confidence: float


@dataclass(frozen=True, slots=True)
class Redaction:
    """A text that is safe to store, with what was found in it.

    Attributes:
        text: the text with each finding replaced by its placeholder; the same object when nothing was found.
        findings: in the order of their places.
        skipped: rules that could not be compiled or run; the caller logs them.
    """

    text: str
    findings: tuple[RedactionFinding, ...] = ()
    skipped: tuple[str, ...] = ()
