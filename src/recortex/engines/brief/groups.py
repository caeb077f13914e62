"""What of a store belongs in a brief, and under which heading.

A session starts with what it can hardly do without: what the person wants, what was decided, warnings about
what it is going to touch, and what spared work before. The rest is found when it is asked for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from recortex.domain.kinds import KINDS, Kind
from recortex.domain.lasting import is_rule
from recortex.domain.session import Outcome
from recortex.domain.vocabulary import Origin, Trust
from recortex.domain.written_in import RULE as INSTRUCTED
from recortex.engines.decay.confidence import DAY
from recortex.engines.extraction.drafting import ON_PURPOSE
from recortex.engines.sessions.usefulness import spent

if TYPE_CHECKING:
    from recortex.domain.statistics import MemoryStatistics

RULE, DECISION, WARNING, FACT, PROGRESS = "rule", "decision", "warning", "fact", "progress"
GROUPS = (RULE, DECISION, WARNING, FACT, PROGRESS)
"""In the order of the headings."""
PASSING, TASK, STANDING = 3 * DAY, 14 * DAY, 180 * DAY
"""For so long after they were said they are current: how far the work is; what a task taught; what the person
decided, unless they wanted it to be remembered."""
UNUSED = 9
"""Sessions in which a line may be given without use before it is given no more."""
COMMAND = "command_habit"
"""The rule that finds commands which worked again and again."""
_TRUNKS = frozenset(("", "main", "master", "trunk", "develop", "dev"))
_GROUP_OF = {
    "feedback": RULE,
    "constraint_override": RULE,
    "pattern": RULE,
    "decision": DECISION,
    "gotcha": WARNING,
    "progress": PROGRESS,
}
"""By kind, or by the category of the kind; the others are facts."""


class Bearing(NamedTuple):
    """What a memory has to do with the session that starts.

    Attributes:
        files: whether it is about a file that is being worked on.
        branch: whether it was learned on the branch that is checked out, where that is one for some work.
        outcome: in how many sessions it was given and used.
    """

    files: bool = False
    branch: bool = False
    outcome: Outcome = Outcome()


def is_work_branch(branch: str) -> bool:
    """Whether a branch is made for some work, and not the one to which all work comes."""
    return branch not in _TRUNKS


def group_of(one: MemoryStatistics, bearing: Bearing, now: int) -> str:
    """The group of a memory; empty where it does not belong in the brief.

    Args:
        one: active, and true at that time.
        bearing: what it has to do with the session.
        now: microseconds since 1970 UTC.
    """
    kind = KINDS.get(Kind(one.kind))
    by_hand = not one.rule or bool(one.pinned)
    if kind is None or not kind.category:
        return ""
    told = by_hand or one.rule in ON_PURPOSE or one.validated_at is not None  # or a person approved it
    group = _GROUP_OF.get(kind.kind) or _GROUP_OF.get(kind.category, FACT)
    person = told or one.trust == Trust.TRUSTED
    # A rule of the repository is none of the person's, but worth telling a client that does not load it.
    # What its records and commits say is no rule.
    written = group == RULE and one.origin == Origin.REPOSITORY and one.rule == INSTRUCTED
    if group == RULE and not person:
        group = FACT
    if spent(bearing.outcome, UNUSED) and not (by_hand or is_rule(one.kind, one.trust, one.rule)):
        return ""
    said = now - one.valid_from
    worth_it = told or written or bearing.outcome.used > 0
    bears = (bearing.files or bearing.branch) and kind.kind != "incident"
    belongs = {
        RULE: True,
        DECISION: worth_it or bears or (person and said < STANDING),
        WARNING: worth_it or bears,
        FACT: worth_it or one.rule == COMMAND or (bears and said < TASK and kind.category != "context"),
        PROGRESS: said < PASSING,
    }
    return group if belongs[group] else ""
