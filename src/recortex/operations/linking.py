"""Relating memories to each other and to code: link, unlink."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from recortex.domain.history import AuditEntry
from recortex.domain.memory import ConstraintLink, FunctionLink, Memory, PatternLink
from recortex.domain.relation import Relation
from recortex.domain.vocabulary import RELATION_ALIASES, RelationType
from recortex.engines.privacy import redact
from recortex.errors import InvalidInputError, MemoryNotFoundError
from recortex.operations.base import Operations, file_link
from recortex.operations.registry import operation


@dataclass(frozen=True, slots=True, kw_only=True)
class Linked:
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
        added = self._added(memory, file=file, function=function, pattern=pattern, constraint=constraint)
        if added != memory:
            memory = services.ingestion.change(
                memory, added, now=self._app.clock(), actor=self._app.actor, operation="link"
            )
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
            memory = services.ingestion.change(
                memory, rest, now=self._app.clock(), actor=self._app.actor, operation="unlink"
            )
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
        if not 0.0 <= strength <= 1.0:
            raise InvalidInputError(f"The strength must be from 0 to 1, not {strength}.")
        now = self._app.clock()
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

    def _added(self, memory: Memory, *, file: str, function: str, pattern: str, constraint: str) -> Memory:
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
        return replace(memory, **changes)


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
