"""All records of a project together: which other record each means, and which one each gave way to."""

from __future__ import annotations

import posixpath
from collections import defaultdict
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, NamedTuple

from recortex.domain.kinds import Kind
from recortex.domain.memory import DECISION_RECORD, Source
from recortex.domain.vocabulary import CONFIDENCE_WORDS, Origin, RelationType, Status
from recortex.engines.extraction.sentences import domain_of
from recortex.engines.privacy import Draft

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from recortex.decisions.mentions import Mention
    from recortex.decisions.record import Record
    from recortex.domain.code import FileHistory
    from recortex.domain.memory import FileLink


@dataclass(frozen=True, slots=True)
class Edge:
    """A relation between two records, by their keys, with the sentence that says so and whose it is."""

    source: str
    target: str
    type: RelationType
    sentence: str
    said_by: str

    @property
    def name(self) -> str:
        """By which it is known again."""
        return f"{self.source} {self.type} {self.target}"


@dataclass(slots=True)
class Collection:
    """What the records say together.

    Attributes:
        edges: between them.
        successors: by the key of a record that no longer holds, the key of the one that took its place.
        problems: references that lead nowhere, and records that take each other's place, with the path.
    """

    edges: list[Edge] = field(default_factory=list)
    successors: dict[str, str] = field(default_factory=dict)
    problems: list[tuple[str, str]] = field(default_factory=list)


def collected(records: Sequence[Record]) -> Collection:
    """Read records together."""
    by_key = {one.key: one for one in records}
    by_number: dict[tuple[str, int], list[Record]] = defaultdict(list)
    for one in records:
        if one.number is not None:
            # Numbers are counted in each folder: monorepos have several series that each begin with 1.
            by_number[posixpath.dirname(one.path), one.number].append(one)
    whole = Collection()
    edges: dict[tuple[str, str, RelationType], Edge] = {}
    for record in records:
        for mention in record.mentions:
            other = _meant(record, mention, by_key, by_number, whole)
            # The second record that says the same adds nothing: the sentence that was read first is the
            # evidence.
            if other is not None and other is not record:
                source, target = (other, record) if mention.backwards else (record, other)
                edge = Edge(source.key, target.key, mention.type, mention.sentence, record.key)
                edges.setdefault((edge.source, edge.target, edge.type), edge)
    whole.edges = list(_strongest(edges.values()))
    _settle(by_key, whole)
    return whole


def _meant(
    record: Record,
    mention: Mention,
    by_key: dict[str, Record],
    by_number: dict[tuple[str, int], list[Record]],
    whole: Collection,
) -> Record | None:
    if isinstance(mention.target, str):
        found = by_key.get(mention.target)
        # Only what a record states about itself is worth a warning: prose names files that were never
        # records.
        if found is None and mention.stated and mention.type in _TOLD:
            whole.problems.append((record.path, f"it names {mention.target}, which is no record here"))
        return found
    same = by_number.get((posixpath.dirname(record.path), mention.target), [])
    # A number that two files share means the other one, when one of the two names it.
    same = [one for one in same if one is not record] or same
    if len(same) > 1:  # a link to one of them says which one is meant
        linked = {one.target for one in record.mentions}
        same = [one for one in same if one.key in linked] or same
    if len(same) == 1:
        return same[0]
    if mention.stated and mention.type in _TOLD:
        why = "stands for several records" if same else "is no record here"
        whole.problems.append((record.path, f"ADR {mention.target}, which it names, {why}"))
    return None


_RANK = (
    RelationType.SUPERSEDES,
    RelationType.REFINES,
    RelationType.DEPENDS_ON,
    RelationType.RELATED,
    RelationType.REFERENCES,
)
_NEVER = datetime.min.replace(tzinfo=UTC)
_TOLD = frozenset({RelationType.SUPERSEDES, RelationType.REFINES, RelationType.DEPENDS_ON})


def _strongest(edges: Iterable[Edge]) -> Iterator[Edge]:
    """Of the relations between two records what says most: a link beside an amendment tells nothing more."""
    pairs: dict[frozenset[str], list[Edge]] = defaultdict(list)
    for edge in edges:
        pairs[frozenset((edge.source, edge.target))].append(edge)
    for found in pairs.values():
        # A record that says of itself that another one amends it: that one did not take its place.
        own = {
            (one.source, one.target)
            for one in found
            if one.type is RelationType.REFINES and one.said_by == one.target
        }
        kept = [
            one
            for one in found
            if one.type is not RelationType.SUPERSEDES or (one.source, one.target) not in own
        ]
        told = [one for one in kept if one.type in _TOLD]
        # Only one of the weaker kinds is kept for a pair, but all of the strong ones: A may refine B and
        # depend on it.
        yield from told or [min(kept, key=lambda one: _RANK.index(one.type))]


def _settle(by_key: dict[str, Record], whole: Collection) -> None:
    """Find which record took the place of which; a circle is reported and leaves the first word standing."""
    # The newest first: of two that claim to replace the same record, the later one has the word.
    for edge in sorted(
        whole.edges, key=lambda one: (by_key[one.source].date or _NEVER, one.source), reverse=True
    ):
        if edge.type is not RelationType.SUPERSEDES:
            continue
        new, old = by_key[edge.source], by_key[edge.target]
        # A proposal replaces nothing, unless the old record itself says that it was superseded.
        holds = new.standing in {"accepted", "superseded", "deprecated"} or old.standing == "superseded"
        if not holds or old.key in whole.successors:
            continue
        later, seen = new.key, {old.key}
        # Follow the chain of successors: a circle would leave no record of it in force.
        while later in whole.successors and later not in seen:
            seen.add(later)
            later = whole.successors[later]
        if later in seen:
            whole.problems.append((new.path, f"it and {old.path} take each other's place"))
            continue
        whole.successors[old.key] = new.key


# -- makes the memory of a decision record, and says where it stands among the others


RULE = DECISION_RECORD
"""The rule by which a memory was made of a record."""
NOTED = "record"
"""Where its metadata names the record: `path`, `number`, `hash` and `state`, as they were read last."""
KIND = Kind("decision")
_STATUS = {
    # Why something was rejected is worth knowing for good: it stands, and its words say that it was
    # rejected.
    "accepted": Status.ACTIVE,
    "rejected": Status.ACTIVE,
    "proposed": Status.PROPOSED,
    # Nothing says that it was ever accepted, so a person has to confirm it.
    "": Status.PROPOSED,
    "deprecated": Status.ARCHIVED,
    "superseded": Status.SUPERSEDED,
}


class State(NamedTuple):
    """Where a record stands.

    Attributes:
        status: of its memory.
        successor: the key of the record that took its place.
        since, until: when it held; `since` is None where nothing tells.
    """

    status: Status
    successor: str
    since: datetime | None
    until: datetime | None

    @property
    def name(self) -> str:
        """By which a change of it is seen."""
        return f"{self.status}:{self.successor}" if self.successor else str(self.status)


def state_of(
    record: Record,
    successor: Record | None,
    history: FileHistory | None,
    since: datetime | None,
    now: datetime,
) -> State:
    """Where a record stands: by its own status, unless another record took its place.

    Args:
        record: the record.
        successor: the one that took its place.
        history: of its file.
        since: when the successor came into force.
        now: the time of one that ended, where nothing tells when.
    """
    begun = record.date
    if successor is not None:
        return State(Status.SUPERSEDED, successor.key, begun, since)
    status = _STATUS[record.standing]
    if record.standing not in {"deprecated", "superseded"}:
        return State(status, "", begun, None)
    # Many records have one date only, of when they were written: that it ended on the same day would be
    # wrong.
    ended = record.ended if record.ended != record.date else None
    ended = ended or (history.last if history else now)
    # A date that lies before the beginning, mistyped or of another time zone, would make the period
    # negative.
    return State(status, "", begun, max(ended, begun) if begun else ended)


def draft_of(
    record: Record, state: State, *, hash_: str, history: FileHistory | None, files: Sequence[FileLink]
) -> Draft:
    """The memory of a record; one that has a successor begins as active, and is then ended by that one.

    Args:
        record: the record.
        state: where it stands.
        hash_: of its file.
        history: of its file.
        files: the record itself, and what it names that is there.
    """
    content = content_of(record)
    certain = record.standing in {"accepted", "superseded", "deprecated", "rejected"}
    said = f"{record.title} {record.decision} {record.context}"
    number = () if record.number is None else (f"adr-{record.number}",)
    rejected = ("rejected",) if record.standing == "rejected" else ()
    return Draft(
        kind=KIND,
        content=content,
        confidence=CONFIDENCE_WORDS["high" if certain else "medium"],
        tags=("adr", *number, *rejected),
        domain=domain_of(said),
        files=tuple(files),
        source=Source(
            path=record.path, rule=RULE, quote=f"Status: {record.status}" if record.status else "",
            commit=history.commit if history else "",
        ),
        origin=Origin.REPOSITORY,
        status=Status.ACTIVE if state.successor else state.status,
        valid_from=state.since,
        valid_until=None if state.successor else state.until,
        metadata={NOTED: noted(record, state.name, hash_)},
    )  # fmt: skip


def noted(record: Record, state: str, hash_: str) -> dict[str, Any]:
    """What the metadata of a memory says of its record."""
    number = {} if record.number is None else {"number": record.number}
    return {"path": record.path, **number, "hash": hash_, "state": state}


def content_of(record: Record) -> dict[str, Any]:
    """The fields of the decision; what was rejected says so first, so that it is never read as a rule."""
    name = record.title if record.number is None else f"ADR {record.number}: {record.title}"
    decision = record.decision or f"{record.title}."
    if record.standing == "rejected":
        decision = f"Rejected, not adopted: {record.title}. What was proposed: {decision}"
    fields: dict[str, Any] = {
        "title": name,
        "decision": decision,
        "rationale": record.context,
        "alternatives": [
            {"option": one.option, "rejected_because": one.against} for one in record.options if one.option
        ],
        "consequences": [one for one in record.consequences if one],
        "decided_by": record.deciders,
    }
    return {name: value for name, value in fields.items() if value}
