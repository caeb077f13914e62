"""A memory, with its time, origin, trust and place in the code; and relations between memories.

Also what became of a cited place, what a new statement does to a known one, and what lasts.
"""

from __future__ import annotations

from collections import defaultdict
from datetime import datetime
from heapq import heapify, heappop, heappush
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from recortex.domain.kinds import KINDS, Content, Kind
from recortex.domain.vocabulary import (
    Actor,
    Domain,
    Importance,
    Origin,
    RelationStatus,
    RelationType,
    Scope,
    Status,
    Trust,
)
from recortex.errors import InvalidInputError
from recortex.lean import NamedTuple, Value, field

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Sequence

    Node = TypeVar("Node", bound=Hashable)
    Named = TypeVar("Named")


# -- what a memory is about in the code: files with lines and hashes, functions, patterns, constraints


Freshness = Literal["fresh", "moved", "changed", "gone", "none"]
"""Whether a cited place still reads as it did, from best to worst; `none`: there is nothing to compare."""


DECISION_RECORD = "decision_record"
"""The rule of a memory that was made of a decision record of the project."""


_LOWEST_PRIORITY = {Importance.LOW: 1, Importance.NORMAL: 4, Importance.HIGH: 7, Importance.CRITICAL: 9}
_USUAL_PRIORITY = {Importance.LOW: 2, Importance.NORMAL: 5, Importance.HIGH: 8, Importance.CRITICAL: 10}


def importance_of(priority: int) -> Importance:
    """The word for a priority: 1–3 low, 4–6 normal, 7–8 high, 9–10 critical."""
    return max(
        (word for word, least in _LOWEST_PRIORITY.items() if priority >= least),
        key=_LOWEST_PRIORITY.__getitem__,
        default=Importance.LOW,
    )


def priority_of(importance: Importance) -> int:
    """The priority that stands for a word: low 2, normal 5, high 8, critical 10."""
    return _USUAL_PRIORITY[importance]


def lowest_priority_of(importance: Importance) -> int:
    """The smallest priority that the word still covers."""
    return _LOWEST_PRIORITY[importance]


class FileLink(Value, frozen=True):
    """A file that a memory cites.

    Attributes:
        path: relative to the project's root, with forward slashes.
        line_start: first line, from 1; None for the whole file.
        line_end: last line, inclusive.
        content_hash: BLAKE3 of the cited text when it was cited; empty where it was not read.
        commit: the commit that was checked out then.
        signature: of the cited lines, by which they are found again (`engines/citations.py`).
    """

    path: str
    line_start: int | None = None
    line_end: int | None = None
    content_hash: str = ""
    commit: str = ""
    signature: str = ""


class FunctionLink(Value, frozen=True):
    """A function or method that a memory is about."""

    name: str
    file: str = ""
    signature: str = ""


Role = Literal["about", "caller"]
"""What a memory is to a symbol: it is about it, or about a function that calls it."""


class SymbolLink(Value, frozen=True):
    """A symbol of code that a memory hangs on, as it was when they were linked.

    It follows from the memory's text and the code, so it is kept beside the memory and is no part of it.

    Attributes:
        path: of its file, from the project's root.
        name: qualified within the file.
        kind, arity, hash: as `code_facts.Symbol` has them; the hash leaves out the symbol's own name.
        first, last: its lines, from 1.
        lines: two bytes for each of them, at most `MOST_LINES`, by which the first that changed is told.
        commit: that was checked out then.
        key: of the facts of the whole file: while the file has the same, nothing in it changed.
        copies: symbols of its hash that other files had then, as a bundle that is kept beside its sources
            does: these are not where it moved to.
    """

    path: str
    name: str
    kind: str
    arity: int
    hash: str
    first: int
    last: int
    lines: bytes = b""
    commit: str = ""
    key: bytes = b""
    role: Role = "about"
    copies: int = 0

    @property
    def plain(self) -> str:
        """Its name without what it belongs to."""
        return self.name.rpartition(".")[2]


class PatternLink(Value, frozen=True):
    """A code pattern that a memory explains."""

    id: str
    name: str = ""


class ConstraintLink(Value, frozen=True):
    """A constraint that a memory sets, explains or lifts."""

    id: str
    name: str = ""


# -- a memory: one thing that was learned, with its time, origin, trust and place in the code


LOWEST_PRIORITY, HIGHEST_PRIORITY = 1, 10


class Source(Value, frozen=True, kw_only=True):
    """Where exactly a memory was learned.

    Attributes:
        session: the agent's session, or the dialogue, that it came from.
        turn: position in that session, from 0.
        turn_id: the client's own id of the turn.
        speaker: who said it (`user`, `assistant`, or a name).
        client: the agent's program.
        path: the transcript or imported file.
        quote: the words it rests on, shortened.
        rule: the extraction rule that found it.
        tool, url, commit, branch: what else is known.
    """

    session: str = ""
    turn: int | None = None
    turn_id: str = ""
    speaker: str = ""
    client: str = ""
    path: str = ""
    quote: str = ""
    rule: str = ""
    tool: str = ""
    url: str = ""
    commit: str = ""
    branch: str = ""


class Memory(Value, frozen=True, kw_only=True):
    """The state of a memory between two changes.

    Attributes:
        id: UUID version 4.
        text: what was said, whole; `content` holds the same by fields.
        confidence: 0 to 1, the stored base; decay is computed when it is read.
        priority: 1 to 10; `importance` is its word.
        recorded_at: when it was first recorded.
        updated_at: since when this state holds (recording time).
        valid_from, valid_until: when it was true in the world; the end is exclusive, None means still.
        evidence: how often it was learned.
        content_hash: BLAKE3 of kind and text: equal for equal memories.
        tokens: exact count of `text` in cl100k_base.
        version: 1 for the first state.
    """

    id: str
    kind: Kind
    text: str
    summary: str
    content: Content
    recorded_at: datetime
    updated_at: datetime
    valid_from: datetime
    valid_until: datetime | None = None
    status: Status = Status.ACTIVE
    scope: Scope = Scope.PROJECT
    confidence: float = 1.0
    priority: int = 5
    pinned: bool = False
    tags: tuple[str, ...] = ()
    domain: Domain = Domain.GENERAL
    files: tuple[FileLink, ...] = ()
    functions: tuple[FunctionLink, ...] = ()
    patterns: tuple[PatternLink, ...] = ()
    constraints: tuple[ConstraintLink, ...] = ()
    source: Source = field(default_factory=Source)
    origin: Origin = Origin.USER
    trust: Trust = Trust.TRUSTED
    evidence: int = 1
    validated_at: datetime | None = None
    last_accessed_at: datetime | None = None
    access_count: int = 0
    supersedes: str | None = None
    superseded_by: str | None = None
    metadata: dict[str, Any] = field(default_factory=dict)
    content_hash: str = ""
    tokens: int = 0
    version: int = 1

    @property
    def importance(self) -> Importance:
        """The word for the priority."""
        return importance_of(self.priority)

    @property
    def archived(self) -> bool:
        """Whether it was put away."""
        return self.status in {Status.ARCHIVED, Status.PRUNED}

    def was_valid_at(self, at: datetime) -> bool:
        """Whether it was true in the world at that instant."""
        return self.valid_from <= at and (self.valid_until is None or at < self.valid_until)


def check(memory: Memory) -> Memory:
    """The same memory, if its values are in range.

    Raises:
        InvalidInputError: a value is out of range, with the field's name.
    """
    problems = (
        (not memory.text.strip(), "the text is empty"),
        (memory.kind not in KINDS, "the kind is unknown"),
        (not 0.0 <= memory.confidence <= 1.0, "confidence must be from 0 to 1"),
        (not LOWEST_PRIORITY <= memory.priority <= HIGHEST_PRIORITY, "priority must be from 1 to 10"),
        (
            memory.valid_until is not None and memory.valid_until < memory.valid_from,
            "valid_until is before valid_from",
        ),
        (not isinstance(memory.content, KINDS.get(memory.kind, Content)), "the content is of another kind"),
    )
    for wrong, why in problems:
        if wrong:
            raise InvalidInputError(f"A memory cannot be kept: {why}.")
    return memory


# -- what became of a place of code that a memory cites


Reach = Literal["file", "renames", "tree"]
"""Where a place is looked for: in its file alone, which runs nothing; in what that file was renamed to; in
every file of the same language."""
MOST_CHANGED = 0.95
"""The most that counts as standing of what was changed, however little."""


class Citation(Value, frozen=True):
    """A cited place as it is now.

    Attributes:
        link: the place as it was cited.
        state: fresh: it reads as it did; moved: it reads as it did elsewhere; changed; gone.
        path, first, last: where it is; of what is gone, where it was. First is None for a whole file.
        standing: the share of its lines that stand, 0 to 1; None where there is nothing to compare.
        what: in a few words, such as "3 of 12 lines differ"; empty where it is fresh.
        symbol, renamed: the name of the symbol that was cited, and what it is called now if that differs.
    """

    link: FileLink
    state: Freshness
    path: str
    first: int | None = None
    last: int | None = None
    standing: float | None = None
    what: str = ""
    symbol: str = ""
    renamed: str = ""

    @property
    def elsewhere(self) -> bool:
        """Whether it is not where it was cited."""
        return (self.path, self.first) != (self.link.path, self.link.line_start)

    @property
    def was(self) -> str:
        """Where it was cited, as it is written."""
        place = shown(self.link.path, self.link.line_start, self.link.line_end)
        return f"{self.symbol} ({place})" if self.symbol else place

    @property
    def now(self) -> str:
        """Where it is, as it is written."""
        place = shown(self.path, self.first, self.last)
        if not self.symbol:
            return place
        return f"{self.renamed} ({place})" if self.renamed else place

    @property
    def outcome(self) -> str:
        """What became of it, in one line; empty where it is fresh or cannot be compared."""
        if self.state == "moved":
            return f"{self.was} is now {'' if self.renamed or not self.symbol else 'in '}{self.now}"
        moved = self.elsewhere or self.renamed
        where = f" (now {self.now})" if self.state == "changed" and moved else ""
        return f"{self.was}{where}: {self.what}" if self.what else ""


def shown(path: str, first: int | None, last: int | None) -> str:
    """A place as it is written: `PATH`, `PATH:LINE` or `PATH:FIRST-LAST`."""
    if first is None:
        return path
    return f"{path}:{first}" if last in (None, first) else f"{path}:{first}-{last}"


def mean_intact(citations: Iterable[Citation]) -> float | None:
    """The mean share that stands; None where nothing can be compared."""
    shares = [one.standing for one in citations if one.standing is not None]
    return sum(shares) / len(shares) if shares else None


# -- what the person said holds until it is ended: a rule that is obeyed gives no sign of being used


_CATEGORIES = frozenset(("architecture", "gotcha", "pattern", "decision"))
"""Of kinds that say what holds; the others tell how far work is, or what was the case in passing."""
LASTING = frozenset(
    str(kind) for kind, content in KINDS.items() if content.category in _CATEGORIES and not content.event
)

_RULES = frozenset(("core", "preference", "feedback", "constraint_override")) | {
    str(kind) for kind, content in KINDS.items() if content.category == "pattern"
}
"""Kinds that say how work is done."""
_CORRECTIONS = frozenset(
    (
        "correction",
        "person_objected",
        "person_overstep",
        "person_repeated",
        "person_rule",
        "person_undid",
    )
)
"""The rules that find what the person corrects or wants every time."""


def is_lasting(kind: Kind | str, trust: Trust | str) -> bool:
    """Whether a memory stays however little it is used: what the person ruled, corrected or decided."""
    return str(trust) == Trust.TRUSTED and str(kind) in LASTING


def is_rule(kind: Kind | str, trust: Trust | str, found_by: str) -> bool:
    """Whether a memory is a rule, a limit or a correction of the person: it is used by being obeyed.

    Args:
        kind: of the memory.
        trust: in it.
        found_by: the rule that found it; empty where it was told on purpose.
    """
    return is_lasting(kind, trust) and (str(kind) in _RULES or found_by in _CORRECTIONS)


FORWARD = frozenset({RelationType.CAUSED, RelationType.ENABLED, RelationType.PREVENTED})
"""Relations whose source is the cause."""
BACKWARD = frozenset({RelationType.TRIGGERED_BY, RelationType.DERIVED_FROM})
"""Relations whose target is the cause.

Of the specification's eight causal types three are left out of the test. `contradicts` is symmetric. Two
memories may support each other, each being evidence for the other. And a memory that was superseded may be
restored and supersede its successor: both happened, and refusing the second would falsify the record.
"""
CAUSAL = FORWARD | BACKWARD

CONSENSUS = 3
"""Memories that support the same conclusion are a consensus from this many on."""

Ending = Literal["removed", "changed", "rejected", "pruned"]
"""Why a relation is no longer what it was; `rejected`: somebody took it away, so nothing infers it again."""

BOTH_HOLD = "a person said that both hold"
"""The evidence of a relation that was taken for a contradiction, and is none."""


class Relation(Value, frozen=True):
    """`source_id` is `type` of `target_id`.

    Attributes:
        strength: 0 to 1.
        evidence: why it is thought to hold, a sentence each.
        inferred: an engine found it; nobody stated it.
        bidirectional: it holds both ways.
    """

    source_id: str
    target_id: str
    type: RelationType
    created_at: datetime
    strength: float = 1.0
    evidence: tuple[str, ...] = ()
    inferred: bool = False
    status: RelationStatus = RelationStatus.ACTIVE
    bidirectional: bool = False

    @property
    def judged(self) -> bool:
        """Whether it says which of the two holds, or that both do, or waits for a person to say it."""
        judging = self.type in {RelationType.SUPERSEDES, RelationType.CONTRADICTS}
        return judging or BOTH_HOLD in self.evidence

    @property
    def doubted(self) -> bool:
        """Whether it is a cause that was only inferred, and waits for a person."""
        return self.status is RelationStatus.SUGGESTED and self.type in CAUSAL

    def other(self, memory_id: str) -> str:
        """The end that is not `memory_id`."""
        return self.target_id if memory_id == self.source_id else self.source_id


class FormerRelation(Value, frozen=True):
    """What a relation was from its `created_at` until `ended_at`, without its evidence."""

    relation: Relation
    ended_at: datetime
    reason: Ending


# -- causes

_SHORT = 8


def order(relation: Relation) -> tuple[str, str] | None:
    """Cause and effect of a relation, as ids; None if its type is not causal."""
    if relation.type in FORWARD:
        return relation.source_id, relation.target_id
    return (relation.target_id, relation.source_id) if relation.type in BACKWARD else None


def shortest(start: Node, goal: Node, arcs: Iterable[tuple[Node, Node, Named]]) -> list[Named]:
    """What the arcs are called that lead from one node to another by the fewest; empty where there is no way.

    Args:
        start: where the way begins.
        goal: where it ends.
        arcs: cause, effect, and what it is called.
    """
    after: dict[Node, list[tuple[Node, Named]]] = {}
    for cause, effect, name in arcs:
        after.setdefault(cause, []).append((effect, name))
    came: dict[Node, tuple[Node, Named]] = {}
    frontier = [start]
    # By breadth, so that the way that is found is a shortest one.
    while frontier and goal not in came:
        reached: list[Node] = []
        for near in frontier:
            for end, name in after.get(near, ()):
                if end not in came and end != start:
                    came[end] = near, name
                    reached.append(end)
        frontier = reached
    way: list[Named] = []
    while goal in came:
        goal, name = came[goal]
        way.append(name)
    return way[::-1]


def in_words(path: Sequence[Relation]) -> str:
    """A circle in words: `1a2b3c4d caused 5e6f7a8b, 5e6f7a8b caused 1a2b3c4d`."""
    return ", ".join(f"{one.source_id[:_SHORT]} {one.type} {one.target_id[:_SHORT]}" for one in path)


class Arc(NamedTuple):
    """A causal relation between memories by their keys.

    Attributes:
        strength: 0 to 1.
        type: of the relation, which names it together with its ends.
    """

    cause: int
    effect: int
    strength: float
    type: str


def untangled(arcs: Sequence[Arc]) -> tuple[list[int], list[Arc]]:
    """Memories in an order with each cause before its effects, and what had to be left out for one.

    Of each circle the weakest relation is left out. Of memories that may come next the smallest key does, so
    that the order is that of recording as far as it can be.
    """
    left, leaving = set(range(len(arcs))), defaultdict[int, list[int]](list)
    entering = defaultdict[int, set[int]](set)
    for place, arc in enumerate(arcs):
        leaving[arc.cause].append(place)
        entering[arc.effect].add(place)
    waiting = {end for arc in arcs for end in (arc.cause, arc.effect)}
    ready = [key for key in waiting if not entering[key]]
    heapify(ready)
    order, dropped = list[int](), list[Arc]()
    while waiting:
        while ready:
            order.append(key := heappop(ready))
            waiting.discard(key)
            for place in left.intersection(leaving[key]):
                _drop(place, arcs[place].effect, left, entering, ready)
        if waiting:
            weakest = min(
                _circle(min(waiting), arcs, entering), key=lambda place: (arcs[place][2], arcs[place])
            )
            dropped.append(arcs[weakest])
            _drop(weakest, arcs[weakest].effect, left, entering, ready)
    return order, dropped


def _drop(place: int, effect: int, left: set[int], entering: dict[int, set[int]], ready: list[int]) -> None:
    left.discard(place)
    entering[effect].discard(place)
    if not entering[effect]:
        heappush(ready, effect)


def _circle(start: int, arcs: Sequence[Arc], entering: dict[int, set[int]]) -> list[int]:
    """The places of arcs that make a circle, found by going back from a memory that each cause of has one."""
    way, seen = list[int](), dict[int, int]()
    while start not in seen:
        seen[start] = len(way)
        way.append(min(entering[start]))
        start = arcs[way[-1]].cause
    return way[seen[start] :]


# -- what happened to a memory: its former states, and who changed what


KEPT_VERSIONS = 10
"""How many states of a memory are kept: the current one and the nine before it."""
Gone = Literal["purge", "expiry", "move"]
"""Why a memory is gone from a store for good: purged by a person, expired after pruning, or moved."""


class Version(Value, frozen=True, kw_only=True):
    """A state of a memory and the recording interval in which it held.

    Attributes:
        recorded_from: inclusive.
        recorded_to: exclusive; None for the state that holds now.
        changed_by, reason: who made this state, and why.
    """

    memory: Memory
    version: int
    recorded_from: datetime
    recorded_to: datetime | None
    changed_by: Actor
    reason: str = ""


class AuditEntry(Value, frozen=True, kw_only=True):
    """One mutation of a memory. Details never hold a memory's text, so that a purge leaves nothing behind.

    Attributes:
        operation: create, update, archive, restore, link, unlink, supersede, merge, undo, purge, …
    """

    memory_id: str
    operation: str
    actor: Actor
    at: datetime
    details: dict[str, Any] = field(default_factory=dict)


class Tombstone(NamedTuple):
    """What stays of a memory that is gone for good."""

    at: datetime
    reason: Gone


# -- what a new statement does to a known one, as a model reads the two


class Chances(NamedTuple):
    """Probabilities that add up to 1.

    Attributes:
        stays: both can hold.
        part: a part of the known one ends, or it may have ended.
        ends: the known one no longer holds.
    """

    stays: float
    part: float
    ends: float


READER = "shipped-2"
"""What reads two statements: the shipped model, and what this version makes of its chances and of words.

Where either changes this does, and the pairs are read again."""


class Verdict(NamedTuple):
    """What was read in a known and a new memory.

    Attributes:
        reader: what read them.
        known_version, new_version: the versions of both that were read.
        outcome: nothing, contradicts or replaces.
        chance: that it is so, 0 to 1.
    """

    known_id: str
    new_id: str
    reader: str
    known_version: int
    new_version: int
    outcome: str
    chance: float
