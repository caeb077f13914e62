"""Looking through and linking: list, related, traverse, link, unlink, kinds."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, cast

from recortex.codec import schema_of
from recortex.domain.kinds import KINDS, kind_of
from recortex.domain.memory import (
    AuditEntry,
    ConstraintLink,
    FunctionLink,
    Memory,
    PatternLink,
    Relation,
    lowest_priority_of,
)
from recortex.domain.search import MemoryQuery, Order
from recortex.domain.text import as_utc
from recortex.domain.vocabulary import (
    RELATION_ALIASES,
    AnyDomain,
    AnyImportance,
    AnyOrigin,
    AnyRelation,
    AnyScope,
    AnyStatus,
    Importance,
    RelationType,
)
from recortex.engines.graph import RelationFilter, known_at, to_causes, to_effects, walk
from recortex.engines.privacy import all_output_redacted, output_redacted, redact
from recortex.errors import InvalidInputError, MemoryNotFoundError
from recortex.lean import Value, field
from recortex.operations.base import MAX_DEPTH, Operations, bounded, check_offset, file_link, memory_query
from recortex.operations.registry import operation, taking

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from recortex.app.application import StoreServices
    from recortex.domain.kinds import Kind
    from recortex.engines.graph import Direction, Follow


TOLD = (
    "kinds",
    "statuses",
    "tags",
    "files",
    "scope",
    "session",
    "recorded_after",
    "order",
    "limit",
    "offset",
)
"""The parameters of `list` that agents are told of; the others work too."""


class Listing(Value, frozen=True, kw_only=True):
    """Memories that pass the filters: this page, and how many there are in all."""

    memories: tuple[Memory, ...]
    total: int


class Neighbour(Value, frozen=True, kw_only=True):
    """A memory reached from another one."""

    memory: Memory
    relation: Relation
    depth: int


class Related(Value, frozen=True, kw_only=True):
    """The memories related to one, nearest and strongest first."""

    memory: Memory
    neighbours: tuple[Neighbour, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """Which memories are listed, and how.

    Attributes:
        kinds: only these kinds.
        statuses: only these statuses; by default active ones, and with `valid_at` also those superseded
            later.
        tags: only memories with one of these tags.
        files: only memories about one of these files, or folders ending in a slash.
        functions: only memories about one of these functions.
        patterns: only memories linked to one of these patterns.
        constraints: only memories linked to one of these constraints.
        domains: only these areas of the software.
        origins: only these origins.
        importance: only memories at least this important.
        min_confidence: only memories at least this certain now, from 0 to 1.
        max_confidence: only memories at most this certain now, from 0 to 1.
        pinned: only pinned memories, or only the others.
        scope: only the project's memories, or only the global ones.
        session: only what was learned in this session.
        recorded_after: only what was recorded since this time.
        recorded_before: only what was recorded before this time.
        as_of: what was known at that time, as it was known then.
        valid_at: what was true at that time.
        order: what to sort by.
        descending: highest or latest first.
        limit: maximum number of memories.
        offset: how many to skip at the beginning.
    """

    kinds: Sequence[str] = ()
    statuses: Sequence[AnyStatus] | None = None
    tags: Sequence[str] = ()
    files: Sequence[str] = ()
    functions: Sequence[str] = ()
    patterns: Sequence[str] = ()
    constraints: Sequence[str] = ()
    domains: Sequence[AnyDomain] = ()
    origins: Sequence[AnyOrigin] = ()
    importance: AnyImportance | None = None
    min_confidence: float | None = None
    max_confidence: float | None = None
    pinned: bool | None = None
    scope: AnyScope | None = None
    session: str = ""
    recorded_after: datetime | None = None
    recorded_before: datetime | None = None
    as_of: datetime | None = None
    valid_at: datetime | None = None
    order: Order = "recorded"
    descending: bool = True
    limit: int = 50
    offset: int = 0


class BrowseOperations(Operations):
    """list, related."""

    @operation(read_only=True, told=TOLD)
    @taking(Wanted)
    def list(self, wanted: Wanted) -> Listing:
        """List memories, filtered and sorted."""
        filters = asdict(wanted)
        limit, offset, least = (filters.pop(name) for name in ("limit", "offset", "importance"))
        for name in ("functions", "patterns", "constraints", "origins"):
            filters[name] = tuple(filters[name])
        query = memory_query(**filters, min_priority=lowest_priority_of(Importance(least)) if least else None)
        check_offset(offset)
        return self._page(query, bounded(limit), offset)

    @operation(read_only=True, told=("id", "depth", "limit"))
    def related(
        self,
        id: str,  # noqa: A002
        *,
        depth: int = 1,
        relations: Sequence[AnyRelation] = (),
        direction: Literal["both", "outgoing", "incoming"] = "both",
        min_strength: float = 0.0,
        limit: int = 20,
    ) -> Related:
        """Show what is related to a memory.

        Args:
            id: the memory's id, or its first characters.
            depth: how many relations to follow, from 1 to 10.
            relations: only these types of relation.
            direction: follow relations that begin here, that end here, or both.
            min_strength: only relations of at least this strength, 0 to 1.
            limit: maximum number of memories.
        """
        check_depth(depth, least=1)
        services, memory = self._app.locate(id)
        way = RelationFilter(
            types=frozenset(map(RelationType, relations)), direction=direction, min_strength=min_strength
        )
        steps = walk(
            memory.id, way, services.store.relations.find_touching, depth=depth, limit=bounded(limit)
        )
        near = services.store.memories.get([step.id for step in steps])
        first, *others = self._faded(services, [memory, *near])
        found = {one.id: output_redacted(one) for one in others}
        return Related(
            memory=output_redacted(first),
            neighbours=tuple(
                Neighbour(memory=found[step.id], relation=step.path[-1], depth=step.depth)
                for step in steps
                if step.id in found
            ),
        )

    def _page(self, query: MemoryQuery, limit: int, offset: int) -> Listing:
        """One page over the stores, the project's memories before the global ones."""
        if query.order == "confidence" or (query.min_confidence, query.max_confidence) != (None, None):
            # All that pass, chosen and sorted by what is left of their confidence: no index knows that.
            least, most = query.min_confidence or 0.0, query.max_confidence
            wide = replace(query, max_confidence=None)  # decay only lowers confidence, so more may pass now
            every = [
                memory
                for memory in self._present(wide, query.scope)
                if least <= memory.confidence and (most is None or memory.confidence <= most)
            ]
            if query.order == "confidence":
                every.sort(key=lambda memory: memory.confidence, reverse=query.descending)
            return Listing(memories=all_output_redacted(every[offset : offset + limit]), total=len(every))
        found: list[Memory] = []
        total = 0
        for services in self._app.all_services(query.scope):
            skip = max(0, offset - total)
            total += services.store.memories.count(query)
            room = limit - len(found)
            if room:
                some = services.store.memories.find(replace(query, limit=room, offset=skip))
                found.extend(some if query.as_of else self._faded(services, some))
        return Listing(memories=all_output_redacted(found), total=total)


# -- walking along relations: traverse


class Reached(Value, frozen=True, kw_only=True):
    """A memory that was reached.

    Attributes:
        depth: how many relations away it is.
        path: those relations, the first from the memory that the walk began at.
        confidence: of that chain, 0 to 1: 60 % its weakest relation, 40 % their mean, less for a long one.
    """

    memory: Memory
    depth: int
    path: tuple[Relation, ...]
    confidence: float = 1.0


class Traversal(Value, frozen=True, kw_only=True):
    """What is reached from a memory, nearest first.

    Attributes:
        more: the limit was met; there may be more.
    """

    memory: Memory
    reached: tuple[Reached, ...] = ()
    more: bool = False


class GraphOperations(Operations):
    """traverse."""

    @operation(read_only=True, told=("id", "depth", "relations", "direction", "min_strength", "limit"))
    def traverse(
        self,
        id: str,  # noqa: A002  the contract's name
        *,
        depth: int = 2,
        relations: Sequence[AnyRelation] = (),
        direction: Literal["both", "outgoing", "incoming", "origins", "effects"] = "both",
        min_strength: float = 0.0,
        limit: int = 100,
        as_of: datetime | None = None,
    ) -> Traversal:
        """Follow a memory's relations, and show what is reached by which path.

        Args:
            id: the memory's id, or its first characters.
            depth: how many relations to follow, from 0 to 10.
            relations: only these types of relation.
            direction: follow relations that begin at each memory, that end there, or both; or only causes, or
                effects.
            min_strength: only relations of at least this strength, 0 to 1.
            limit: maximum number of memories.
            as_of: what was known at that time, as it was known then.
        """
        check_depth(depth)
        types, least = frozenset(map(RelationType, relations)), fraction(min_strength)
        way: Follow
        if direction in {"origins", "effects"}:
            along = to_causes(least) if direction == "origins" else to_effects(least)
            way = along.only(types) if types else along
        else:
            way = RelationFilter(types, cast("Direction", direction), least)
        most, at = bounded(limit), as_utc(as_of) if as_of else None
        services, memory = self._app.locate(id)
        relations_of = known_then(services, at) if at else services.store.relations.find_touching
        steps = walk(memory.id, way, relations_of, depth=depth, limit=most + 1)
        ids = [memory.id, *(step.id for step in steps[:most])]
        if at:
            found = {one.id: one for id_ in ids if (one := services.store.memories.as_of(id_, at))}
            if memory.id not in found:
                raise MemoryNotFoundError(f"The memory {memory.id} was not known at {at:%Y-%m-%d %H:%M}.")
        else:
            found = {one.id: one for one in self._faded(services, services.store.memories.get(ids))}
        shown = {id_: output_redacted(one) for id_, one in found.items()}
        return Traversal(
            memory=shown.get(memory.id) or output_redacted(memory),
            reached=tuple(
                Reached(
                    memory=shown[step.id],
                    depth=step.depth,
                    path=step.path,
                    confidence=step.confidence,
                )
                for step in steps[:most]
                if step.id in shown  # another process may have purged it meanwhile
            ),
            more=len(steps) > most,
        )


def check_depth(depth: int, least: int = 0) -> None:
    """Check how many relations are to be followed.

    Raises:
        InvalidInputError: it is below the least or above 10.
    """
    if not least <= depth <= MAX_DEPTH:
        raise InvalidInputError(f"The depth must be from {least} to {MAX_DEPTH}, not {depth}.")


def known_then(services: StoreServices, at: datetime) -> Callable[[Sequence[str]], Sequence[Relation]]:
    """A `relations_of` of what was recorded at a time: relations, and the memories at both their ends."""
    store = services.store

    def relations_of(ids: Sequence[str]) -> Sequence[Relation]:
        found = known_at(at, store.relations.find_touching(ids), store.relations.former(ids))
        ends = sorted({id_ for one in found for id_ in (one.source_id, one.target_id)})
        there = {one.id for one in store.memories.get(ends) if one.recorded_at <= at}
        return [one for one in found if {one.source_id, one.target_id} <= there]

    return relations_of


def fraction(strength: float) -> float:
    """A strength that can be.

    Raises:
        InvalidInputError: it is not from 0 to 1.
    """
    if not 0.0 <= strength <= 1.0:
        raise InvalidInputError(f"The strength must be from 0 to 1, not {strength}.")
    return strength


# -- relating memories to each other and to code: link, unlink


class Linked(Value, frozen=True, kw_only=True):
    """A memory after its links changed, and the relation that was made or removed."""

    memory: Memory
    relation: Relation | None = None
    removed: int = 0


class LinkOperations(Operations):
    """link, unlink."""

    @operation(idempotent=True)
    def link(
        self,
        id: str,  # noqa: A002  the contract's name
        target: str = "",
        *,
        relation: str = "related",
        strength: float = 1.0,
        evidence: Sequence[str] = (),
        bidirectional: bool = False,
        file: str = "",
        function: str = "",
        pattern: str = "",
        constraint: str = "",
    ) -> Linked:
        """Link a memory to another one, or to a file, function, pattern or constraint.

        Causal relations (caused, enabled, prevented, triggered_by, derived_from) must not form a circle.

        Args:
            id: the memory's id, or its first characters.
            target: id of the other memory.
            relation: how the memory relates to the other, such as supports, contradicts, depends_on, caused.
            strength: how strongly, from 0 to 1.
            evidence: reasons for the relation, one sentence each.
            bidirectional: it holds in both directions.
            file: a file it is about: PATH, PATH:LINE or PATH:FIRST-LAST.
            function: a function it is about.
            pattern: id of a pattern it explains.
            constraint: id of a constraint it sets or lifts.
        """
        services, memory = self._app.locate(id)
        made = None
        if target:
            made = self._relate(memory, target, _relation_type(relation), strength, evidence, bidirectional)
        changes: dict[str, Any] = {}
        if file:
            link = file_link(file, self._app.root)
            changes["files"] = (*(known for known in memory.files if known.path != link.path), link)
        if function:
            changes["functions"] = tuple(dict.fromkeys((*memory.functions, FunctionLink(function))))
        if pattern:
            changes["patterns"] = tuple(dict.fromkeys((*memory.patterns, PatternLink(pattern))))
        if constraint:
            changes["constraints"] = tuple(dict.fromkeys((*memory.constraints, ConstraintLink(constraint))))
        added = replace(memory, **changes)
        if added != memory:
            memory = self._changed(services, memory, added, "link")
        elif made is None and not any((file, function, pattern, constraint)):
            raise InvalidInputError(
                "There is nothing to link to.",
                hint="Give another memory's id, or a file, function, pattern or constraint.",
            )
        return Linked(memory=memory, relation=made)

    @operation(destructive=True, idempotent=True)
    def unlink(
        self,
        id: str,  # noqa: A002
        target: str = "",
        *,
        relation: str = "",
        file: str = "",
        function: str = "",
        pattern: str = "",
        constraint: str = "",
    ) -> Linked:
        """Remove a relation or link from a memory.

        Args:
            id: the memory's id, or its first characters.
            target: id of the other memory.
            relation: only this type of relation; by default all of them.
            file: path of a file it is no longer about.
            function: a function it is no longer about.
            pattern: id of a pattern.
            constraint: id of a constraint.
        """
        services, memory = self._app.locate(id)
        removed = (
            self._unrelate(memory, target, _relation_type(relation) if relation else None) if target else 0
        )
        rest = replace(
            memory,
            files=tuple(link for link in memory.files if link.path != file),
            functions=tuple(link for link in memory.functions if link.name != function),
            patterns=tuple(link for link in memory.patterns if link.id != pattern),
            constraints=tuple(link for link in memory.constraints if link.id != constraint),
        )
        if rest != memory:
            removed += 1
            memory = self._changed(services, memory, rest, "unlink")
        return Linked(memory=memory, removed=removed)

    def _relate(
        self,
        memory: Memory,
        target: str,
        type_: RelationType,
        strength: float,
        evidence: Sequence[str],
        both: bool,
    ) -> Relation:
        services, other = self._app.locate(target)
        if other.id == memory.id:
            raise InvalidInputError("A memory cannot be related to itself.")
        now, strength = self._app.clock(), fraction(strength)
        clean = tuple(redact(sentence).text for sentence in evidence)
        made = Relation(memory.id, other.id, type_, now, strength, clean, bidirectional=both)
        with services.store.transaction():
            if not services.store.relations.put(made, at=now):
                raise MemoryNotFoundError(
                    "Both memories must be in the same store.",
                    hint="A project's memory cannot be related to a global one.",
                )
            details = {"relation": type_.value, "target": other.id, "strength": strength}
            self._note(services, memory.id, "link", details)
        return made

    def _unrelate(self, memory: Memory, target: str, type_: RelationType | None) -> int:
        services, other = self._app.locate(target)
        relations, at = services.store.relations, self._app.clock()
        with services.store.transaction():
            gone = relations.remove(memory.id, other.id, type_, at=at, reason="rejected")
            gone += relations.remove(other.id, memory.id, type_, at=at, reason="rejected")
            if gone:
                details = {"relations": [one.value for one in gone], "target": other.id}
                self._note(services, memory.id, "unlink", details)
        return len(gone)

    def _note(self, services: Any, memory_id: str, operation_: str, details: dict[str, Any]) -> None:
        at, actor = self._app.clock(), self._app.actor
        entry = AuditEntry(memory_id=memory_id, operation=operation_, actor=actor, at=at, details=details)
        services.store.ledger.record([entry])


def _relation_type(name: str) -> RelationType:
    plain = name.strip().lower().replace("-", "_")
    if plain in RELATION_ALIASES:
        return RELATION_ALIASES[plain]
    try:
        return RelationType(plain)
    except ValueError:
        raise InvalidInputError(
            f"There is no relation {name[:40]!r}.", hint=f"Relations: {', '.join(RelationType)}."
        ) from None


# -- what a memory can be: kinds


EXAMPLES = Path(__file__).with_name("kind_examples.json")
"""The content of one memory of each kind."""


class KindField(Value, frozen=True, kw_only=True):
    """A field of a kind's content; the main one is what a plain text fills."""

    name: str
    takes: str
    main: bool = False


class KindShown(Value, frozen=True, kw_only=True):
    """A kind of memory.

    Attributes:
        half_life_days: None where it never fades.
        fields, example: only of a kind that was asked for by name; the example is taken by `remember` as it
            stands.
    """

    kind: str
    about: str
    half_life_days: float | None = None
    category: str = ""
    fields: tuple[KindField, ...] = ()
    example: dict[str, Any] = field(default_factory=dict)


class KindsShown(Value, frozen=True, kw_only=True):
    """Every kind, or the one that was asked for."""

    kinds: tuple[KindShown, ...] = ()


class KindOperations(Operations):
    """kinds."""

    @operation(read_only=True)
    def kinds(self, kind: str = "") -> KindsShown:
        """List the kinds of memory; for one kind, show its fields and an example for `remember`.

        Args:
            kind: a kind, or a synonym of one.
        """
        if kind:
            return KindsShown(kinds=(_whole(kind_of(kind)),))
        return KindsShown(kinds=tuple(_line(name) for name in sorted(KINDS)))


def _line(kind: Kind, **more: Any) -> KindShown:
    content = KINDS[kind]
    about = " ".join((content.__doc__ or "").split("\n\n")[0].split())
    return KindShown(
        kind=kind, about=about, half_life_days=content.half_life_days, category=content.category, **more
    )


def _whole(kind: Kind) -> KindShown:
    """A kind with its fields, and an example as one would be kept."""
    schemas: Mapping[str, Any] = schema_of(kind)["properties"]
    main = KINDS[kind].main
    fields = tuple(
        KindField(name=name, takes=takes(schema), main=name == main) for name, schema in schemas.items()
    )
    example = json.loads(EXAMPLES.read_text(encoding="utf-8"))[kind]
    return _line(kind, fields=fields, example={"kind": str(kind), "content": example})


def takes(schema: Mapping[str, Any]) -> str:
    """What a value has to be, in words; of an object its fields, of a list what it lists."""
    if "anyOf" in schema:
        return " or ".join(dict.fromkeys(takes(one) for one in schema["anyOf"]))
    if "enum" in schema:
        return " | ".join(str(word) for word in schema["enum"] if word != "")
    if schema.get("type") == "array":
        return f"list of {takes(schema.get('items') or {})}"
    if "properties" in schema:
        inner = ", ".join(
            f"{name}{'' if name in schema.get('required', ()) else '?'}: {takes(one)}"
            for name, one in schema["properties"].items()
        )
        return f"{{{inner}}}"
    if schema.get("type") == "object":
        return f"{{name: {takes(schema.get('additionalProperties') or {})}}}"
    return _WORDS.get(str(schema.get("type")), "anything")


_WORDS = {
    "string": "text",
    "integer": "whole number",
    "number": "number",
    "boolean": "yes or no",
    "null": "nothing",
}
