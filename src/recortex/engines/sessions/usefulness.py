"""How much use a memory was in a project, by what became of it each time it was given."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from recortex.domain.session import Outcome

USUAL = 0.2
"""The share of sessions in which a memory that is given is used, as expected before anything is known."""
KNOWN = 3
"""Sessions that this expectation counts for."""
UNUSED, MOST_UNUSED = 3, 9
"""Sessions in which a memory may be given without use before it is given no more; each use allows as many
again, up to the most."""


def usefulness(outcome: Outcome) -> float:
    """How much likelier a memory is to be used than one that was never given: 1 for such a one.

    The mean of a Beta posterior by the expected share; never given and unused is below 1, used above.
    """
    return (outcome.used / USUAL + KNOWN) / (outcome.given + KNOWN)


def is_exhausted(outcome: Outcome, unused: int = UNUSED) -> bool:
    """Whether a memory was given so often without use that it is given no more unless it is asked for."""
    return outcome.given - outcome.used >= min(unused * (1 + outcome.used), MOST_UNUSED)


def risen(chance: float, outcome: Outcome) -> float:
    """A probability that a memory helps, with what became of it before: 0 for one that is spent."""
    if is_exhausted(outcome):
        return 0.0
    odds = chance * usefulness(outcome)
    return odds / (odds + 1.0 - chance) if chance < 1.0 else 1.0
