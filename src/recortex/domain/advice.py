"""What to watch out for, and what else is worth knowing, where certain files are worked on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from recortex.domain.links import Freshness

Severity = Literal["critical", "error", "warning", "info"]
SEVERITIES: tuple[Severity, ...] = ("critical", "error", "warning", "info")
"""The gravest first."""
Reason = Literal["follow", "related", "check", "waiting"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Warned:
    """A memory that warns.

    Attributes:
        id: of the memory.
        text: what it says.
        advice: consequences, and what to do instead, where its fields say so.
        about: the files in view that it is about; none where it was found by the focus.
        freshness: whether the cited files still read as they did.
        pattern_state: how the patterns that it is linked to stand, as counted last.
    """

    id: str
    kind: str
    severity: Severity
    text: str
    advice: str = ""
    about: tuple[str, ...] = ()
    freshness: Freshness = "none"
    pattern_state: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Warnings:
    """What to watch out for, the gravest first.

    Attributes:
        more: how many less grave ones were left out.
    """

    warnings: tuple[Warned, ...] = ()
    more: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Suggestion:
    """Something else worth knowing.

    Attributes:
        id: of the memory, or of the part of a document.
        kind: of the memory; `document` for a part of one.
        reason: it shows how things are done here (`follow`); it bears on the work, or is linked to what is
            known of it (`related`); the code that it cites changed, or nobody has confirmed it for long
            (`check`); it waits for a person's review (`waiting`).
        because: the reason in words.
    """

    id: str
    kind: str
    reason: Reason
    text: str
    because: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Suggestions:
    """What else is worth knowing, by reason."""

    suggestions: tuple[Suggestion, ...] = ()
