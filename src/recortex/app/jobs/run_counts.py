"""What a run of the job that learns did, in counts."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from recortex.app.jobs.learning import Lesson


@dataclass(slots=True)
class RunCounts:
    """What a run of the job did, in counts.

    Attributes:
        places: branch and folder of each session that was learned from: their next brief is made at once.
    """

    sessions: int = 0
    passes: int = 0
    turns: int = 0
    found: int = 0
    added: int = 0
    merged: int = 0
    used: int = 0
    failed: int = 0
    places: list[tuple[str, str]] = field(default_factory=list)

    def counts(self) -> dict[str, int]:
        """All counts by name."""
        return {name: value for name, value in asdict(self).items() if isinstance(value, int)}

    def count(self, lesson: Lesson) -> None:
        """Add a pass."""
        outcomes = [one.outcome for one in lesson.extracted.found]
        self.passes += 1
        self.turns += len(lesson.turns)
        self.found += len(outcomes)
        self.added += outcomes.count("added")
        self.merged += outcomes.count("merged")
