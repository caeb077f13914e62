"""Chooses the memories of the brief by group and rank, within a budget of tokens."""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from recortex.domain.kinds import KINDS, Kind
from recortex.domain.lasting import is_rule
from recortex.domain.names import RULE as INSTRUCTED
from recortex.domain.session import Outcome
from recortex.domain.vocabulary import Importance, Origin, Trust, lowest_priority_of
from recortex.engines.decay.confidence import DAY, confidence, curve
from recortex.engines.extraction.report_entries import ON_PURPOSE
from recortex.engines.graph.walks import centrality
from recortex.engines.sessions.usefulness import is_exhausted, usefulness

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from recortex.domain.statistics import Arc, MemoryStatistics


# -- what of a store belongs in a brief, and under which heading


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
    if is_exhausted(bearing.outcome, UNUSED) and not (by_hand or is_rule(one.kind, one.trust, one.rule)):
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


# -- chooses the memories of the brief by group and rank, within a budget of tokens


LINES = {RULE: 5, DECISION: 4, WARNING: 4, FACT: 3, PROGRESS: 1}
"""The lines of each group, in the order of the headings, before what room is left goes to all of them."""
COMMANDS = 2
"""The most lines that name a command which worked again and again."""

NOTICE_TOKENS = 32
"""Kept free below the limit for the notice that a stale brief gets."""

HIGH = lowest_priority_of(Importance.HIGH)
"""From this priority on, a memory may use the tokens between the aim and the limit."""

_ORDER = {name: place for place, name in enumerate(GROUPS)}
_MOST_LOOKED_AT = 64
"""How many of each group are looked at: a brief has room for a dozen lines or two."""


class Passes(NamedTuple):
    """Memories within the lines of their groups, and the others; in order of groups, then as ranked."""

    first: list[Ranked]
    second: list[Ranked]


class Budget(NamedTuple):
    """What the whole brief may have.

    Attributes:
        aim: tokens that memories of any priority may fill.
        limit: tokens that are never exceeded.
        lines: of memories.
    """

    aim: int
    limit: int
    lines: int

    @classmethod
    def of_tokens(cls, limit: int) -> Budget:
        """The budget within a limit of tokens: aim and lines grow with it (400 and 30 of 550)."""
        return cls(limit * 8 // 11, limit, limit * 3 // 55)


class Costs(NamedTuple):
    """Costs in tokens: of the frame, of each heading, of a line."""

    frame: int
    heading: Callable[[str], int]
    line: Callable[[Ranked], int]


def foremost(ranked: Iterable[Ranked]) -> list[Ranked]:
    """The first of each group, as many as are looked at, in the order that is given."""
    used: Counter[str] = Counter()
    found = []
    for one in ranked:
        used[one.group] += 1
        if used[one.group] <= _MOST_LOOKED_AT:
            found.append(one)
    return found


def passes(ranked: Iterable[Ranked]) -> Passes:
    """Separate the memories within the lines of their groups from the others; commands beyond two go."""
    used: Counter[str] = Counter()
    parted = Passes([], [])
    commands = 0
    for one in sorted(ranked, key=lambda one: (_ORDER[one.group], one.place)):
        commands += one.command
        if one.command and commands > COMMANDS:
            continue
        used[one.group] += 1
        side = parted.first if used[one.group] <= LINES[one.group] else parted.second
        side.append(one)
    return parted


def choose(parted: Passes, costs: Costs, budget: Budget) -> list[Ranked]:
    """The memories to show, highest rank first.

    The first pass fills the lines of each group up to the aim, group by group. The second gives the room that
    is left to the other memories by their ranks; those of high priority may also use the tokens up to the
    limit. What does not fit is skipped.
    """
    taken: list[Ranked] = []
    headings: set[str] = set()
    tokens = costs.frame

    def take(one: Ranked, most: int) -> bool:
        nonlocal tokens
        cost = costs.line(one) + (0 if one.group in headings else costs.heading(one.group))
        if tokens + cost > most:
            return False
        tokens += cost
        headings.add(one.group)
        taken.append(one)
        return True

    rest = [one for one in parted.first if not take(one, budget.aim)]
    for one in sorted((*rest, *parted.second), key=lambda one: one.place):
        if len(taken) < budget.lines:
            take(one, budget.limit - NOTICE_TOKENS if one.priority >= HIGH else budget.aim)
    return sorted(taken, key=lambda one: (one.place, one.store_index))


def by_group(chosen: Sequence[Ranked]) -> list[tuple[str, list[Ranked]]]:
    """The chosen ones under their headings, in the order of `LINES`; a group without any is left out."""
    groups = [(name, [one for one in chosen if one.group == name]) for name in LINES]
    return [(name, group) for name, group in groups if group]


# -- how much a memory matters at the start of a session


CONFIDENCE, PRIORITY, CENTRALITY, ACCESS, BRANCH, FILES = 0.5, 0.2, 0.15, 0.15, 0.1, 0.1
"""Weights of a rank; they are part of what is documented, not measured."""
NEAR = 0.5
"""How much of the weight of files those have that belong with them (bench/neighbours.py --brief)."""
_HIGHEST_PRIORITY = 10


class Presentable(NamedTuple):
    """The memories that the brief may show of one store, and their relations.

    Attributes:
        touched: keys of memories about files that are being worked on.
        near: keys of those about files that belong with these.
        outcomes: in how many sessions each was given and used, by id; of those that ever were.
    """

    memories: Sequence[MemoryStatistics]
    arcs: Sequence[Arc]
    touched: frozenset[int] = frozenset()
    near: frozenset[int] = frozenset()
    outcomes: Mapping[str, Outcome] = {}


class Ranked(NamedTuple):
    """A memory that may be shown.

    Attributes:
        store_index: the place of its store in the list of those that were ranked.
        group: that it is shown under.
        rank: 0 to 1.
        command: whether it names a command that worked again and again.
        repository: whether it is the repository's word, which stands below what others said.
    """

    id: str
    store_index: int
    group: str
    rank: float
    priority: int
    content_hash: bytes
    command: bool = False
    repository: bool = False

    @property
    def place(self) -> tuple[bool, float]:
        """Sorts what is told first to the front."""
        return self.repository, -self.rank


def rank(
    current_confidence: float,
    priority: int,
    central: float,
    access: float,
    *,
    same_branch: bool = False,
    files: float = 0.0,
    use: float = 1.0,
) -> float:
    """The sum of what speaks for a memory, times its use; from 0 to 1.

    0.5 confidence + 0.2 priority / 10 + 0.15 centrality + 0.15 access + 0.1 if on the branch + 0.1 if about
    files that are being worked on, half of that if about files that belong with these.

    Args:
        current_confidence: 0 to 1, after decay.
        priority: 1 to 10.
        central: the centrality, 0 to 1.
        access: log(accesses + 1) / the largest such logarithm, 0 to 1.
        same_branch: whether it was learned on the branch that is checked out.
        files: 1 if it is about a file that is being worked on, a half about one that belongs with such a one.
        use: how much likelier it is to be used than one that was never given (`engines/sessions/usefulness`);
            above 1 it counts as its square root.
    """
    total = (
        CONFIDENCE * current_confidence
        + PRIORITY * priority / _HIGHEST_PRIORITY
        + CENTRALITY * central
        + ACCESS * access
        + (BRANCH if same_branch else 0.0)
        + FILES * files
    )
    return min(1.0, max(0.0, total * (use if use < 1.0 else math.sqrt(use))))


def ranked(stores: Sequence[Presentable], *, branch: str, now: int) -> list[Ranked]:
    """The brief's candidates of several stores, each text once.

    The repository's word comes after all others; then highest rank first, then by store.

    Args:
        stores: what each may show, the project's first.
        branch: the one that is checked out; empty where none is.
        now: microseconds since 1970 UTC.
    """
    most_accesses = max((memory.access_count for store in stores for memory in store.memories), default=0)
    found = [
        one
        for index, store in enumerate(stores)
        for one in _ranked(store, index, branch=branch, now=now, most_accesses=most_accesses)
    ]
    found.sort(key=lambda one: one.place)  # stable: the stores' order breaks ties
    once: dict[bytes, Ranked] = {}
    for one in found:
        once.setdefault(one.content_hash, one)
    return list(once.values())


def _ranked(store: Presentable, index: int, *, branch: str, now: int, most_accesses: int) -> Iterator[Ranked]:
    hubs = centrality(store.arcs)
    for memory in store.memories:
        here = bool(branch) and memory.branch == branch
        outcome = store.outcomes.get(memory.id, Outcome())
        bearing = Bearing(memory.key in store.touched, here and is_work_branch(branch), outcome)
        group = group_of(memory, bearing, now)
        if not group:
            continue
        central = hubs.get(memory.key, 0.0)
        value = rank(
            _confidence(memory, central, now),
            memory.priority,
            central,
            math.log(memory.access_count + 1) / math.log(most_accesses + 1) if most_accesses else 0.0,
            same_branch=here,
            files=1.0 if bearing.files else NEAR * (memory.key in store.near),
            use=max(usefulness(outcome), 1.0 if is_rule(memory.kind, memory.trust, memory.rule) else 0.0),
        )
        command = memory.rule == COMMAND
        repositorys = memory.origin == Origin.REPOSITORY
        yield Ranked(
            memory.id, index, group, value, memory.priority, memory.content_hash, command, repositorys
        )


def _confidence(memory: MemoryStatistics, central: float, now: int) -> float:
    """What time has left of the confidence: since it was said, not since it was imported."""
    if is_rule(memory.kind, memory.trust, memory.rule):
        return memory.confidence
    said = memory._replace(recorded_at=min(memory.recorded_at, memory.valid_from or memory.recorded_at))
    return confidence(curve(said, central), now)
