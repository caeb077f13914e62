"""What a validation finds of a memory, and what was done about it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    from datetime import datetime

Dimension = Literal["citation", "temporal", "contradiction", "pattern"]
DIMENSIONS: tuple[Dimension, ...] = ("citation", "temporal", "contradiction", "pattern")
Severity = Literal["minor", "moderate", "severe"]
SEVERITIES: tuple[Severity, ...] = ("minor", "moderate", "severe")
"""From the least on."""
State = Literal["valid", "stale", "flagged"]
FLAG = "needs-review"
"""The tag of a memory that a person should look at."""


@dataclass(frozen=True, slots=True)
class Issue:
    """Something that speaks against a memory.

    Attributes:
        what: in one sentence, without a word of the memory.
        todo: what a person can do about it; empty where nothing needs to be done.
    """

    dimension: Dimension
    severity: Severity
    what: str
    todo: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What four dimensions say of a memory.

    Attributes:
        score: the mean of the dimensions' scores, 0 to 1.
        state: valid: nothing speaks against it; flagged: a severe issue, which a person should look at.
        issues: the gravest first.
        cited: the share of the code that it cites which stands; None where none can be compared.
    """

    id: str
    score: float
    state: State
    issues: tuple[Issue, ...] = ()
    cited: float | None = None

    @property
    def short(self) -> str:
        """The gravest issue of each dimension, such as "citation:severe"; empty where there is none."""
        worst = {one.dimension: one.severity for one in reversed(self.issues)}
        return " ".join(f"{name}:{worst[name]}" for name in DIMENSIONS if name in worst)


class Check(NamedTuple):
    """What is kept of a memory's last validation.

    Attributes:
        updated_at: the state that was validated, by its recording time; another state is left alone.
        cited: the share of the code that it cites which stands; None where none can be compared.
        verdict: what was found, as `Verdict.short` has it.
    """

    id: str
    updated_at: datetime
    cited: float | None
    verdict: str
