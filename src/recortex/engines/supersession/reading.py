"""Decides what a new statement does to a known one by how a model reads the two together.

Rules over words find few of the changes that people announce, and take some pairs for a change that both
hold (bench/changes.py has both figures). A model that was trained on such pairs decides, where there is one;
the rules stand in where there is none.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from recortex.engines.patterns import Patterns
from recortex.engines.supersession.change_cues import changed_mind
from recortex.engines.supersession.detection import NOTHING, Outcome, SupersessionVerdict

if TYPE_CHECKING:
    from recortex.domain.change import Chances

PATTERNS = Patterns(__file__)

ENDS, AGREED, DOUBTED = 0.9, 0.5, 0.6
"""The least chance that the known one ends, to end it: alone, and where the rules say so too; and that
something of it ends, to ask a person (bench/changes.py)."""
LONGEST = 600
"""Characters of a statement that are read: what is longer is more than one statement."""


def readable(text: str) -> bool:
    """Whether a text may end another one, or be ended: one or two statements, and no question."""
    return len(text) <= LONGEST and not PATTERNS.question.search(text)


def read_together(new: str, rules: SupersessionVerdict, chances: Chances) -> SupersessionVerdict:
    """What a new statement does to a known one.

    Args:
        new: the new statement.
        rules: what the rules say.
        chances: as a model reads them.
    """
    agreed = rules.outcome is Outcome.REPLACES
    if chances.ends >= (AGREED if agreed else ENDS):
        evidence = rules.evidence if agreed else "ends it, as read together"
        return SupersessionVerdict(Outcome.REPLACES, f"{evidence} {chances.ends:.2f}", changed_mind(new))
    if agreed or 1 - chances.stays >= DOUBTED:
        return SupersessionVerdict(
            Outcome.CONTRADICTS, f"may end it, as read together {1 - chances.stays:.2f}", changed_mind(new)
        )
    return NOTHING
