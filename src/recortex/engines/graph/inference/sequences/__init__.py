"""Courses of events that sessions show, the surest first. Each gives relation and evidence, or None."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recortex.engines.graph.inference.sequences.correction_after_act import correction_after_act
from recortex.engines.graph.inference.sequences.decision_after_discussion import decision_after_discussion
from recortex.engines.graph.inference.sequences.fix_after_failure import fix_after_failure
from recortex.engines.graph.inference.sequences.revert_after_change import revert_after_change

if TYPE_CHECKING:
    from collections.abc import Callable

    from recortex.engines.graph.inference.facts import Pair
    from recortex.engines.graph.inference.roles import Course

SEQUENCES: tuple[Callable[[Pair], Course | None], ...] = (
    correction_after_act,
    fix_after_failure,
    revert_after_change,
    decision_after_discussion,
)
