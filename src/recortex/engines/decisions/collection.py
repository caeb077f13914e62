"""All records of a project together: which other record each means, and which one each gave way to."""

from __future__ import annotations

import posixpath
from collections import defaultdict
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from recortex.domain.vocabulary import RelationType

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from recortex.engines.decisions.mentions import Mention
    from recortex.engines.decisions.record import Record


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
            by_number[posixpath.dirname(one.path), one.number].append(one)
    whole = Collection()
    edges: dict[tuple[str, str, RelationType], Edge] = {}
    for record in records:
        for mention in record.mentions:
            other = _meant(record, mention, by_key, by_number, whole)
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
        if found is None and mention.stated and mention.type in _TOLD:
            whole.problems.append((record.path, f"it names {mention.target}, which is no record here"))
        return found
    same = by_number.get((posixpath.dirname(record.path), mention.target), [])
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
        own = {
            (one.source, one.target)
            for one in found
            if (one.type is RelationType.REFINES and one.said_by == one.target)
        }
        kept = [
            one
            for one in found
            if one.type is not RelationType.SUPERSEDES or (one.source, one.target) not in own
        ]
        told = [one for one in kept if one.type in _TOLD]
        yield from told or [min(kept, key=lambda one: _RANK.index(one.type))]


def _settle(by_key: dict[str, Record], whole: Collection) -> None:
    """Find which record took the place of which; a circle is reported and leaves the first word standing."""
    for edge in sorted(
        whole.edges, key=lambda one: (by_key[one.source].date or _NEVER, one.source), reverse=True
    ):
        if edge.type is not RelationType.SUPERSEDES:
            continue
        new, old = by_key[edge.source], by_key[edge.target]
        holds = new.standing in {"accepted", "superseded", "deprecated"} or old.standing == "superseded"
        if not holds or old.key in whole.successors:
            continue
        later, seen = new.key, {old.key}
        while later in whole.successors and later not in seen:
            seen.add(later)
            later = whole.successors[later]
        if later in seen:
            whole.problems.append((new.path, f"it and {old.path} take each other's place"))
            continue
        whole.successors[old.key] = new.key
