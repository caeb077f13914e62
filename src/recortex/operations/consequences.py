"""What would be missing without a memory, and what follows when it changes."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Literal

from recortex.domain.expressions import lazy
from recortex.domain.memory import Memory
from recortex.domain.time import as_utc
from recortex.engines.graph import walks
from recortex.engines.graph.walks import DEPTH, NODES, STRENGTH, Way
from recortex.engines.ingestion.output_redaction import output_redacted
from recortex.operations.base import Operations, bounded
from recortex.operations.graphing import Reached, check_depth, fraction, known_then
from recortex.operations.registry import operation

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from recortex.app.store_services import StoreServices
    from recortex.engines.graph.walks import RelationsOf, Step

_TEST = lazy(r"(?:^|[/_.-])(?:tests?|specs?|__tests__)(?:[/_.-]|$)", re.IGNORECASE)
Loss = Literal["falls", "weakened", "possible"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Missing:
    """An effect of the memory that is imagined away.

    Attributes:
        loss: falls: it has no other cause; weakened: it keeps one; possible: it was prevented.
        others: ids of the causes that it keeps.
    """

    reached: Reached
    loss: Loss
    others: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Counterfactual:
    """What would be missing without a memory, nearest first; `more`: the limit was met."""

    memory: Memory
    missing: tuple[Missing, ...] = ()
    more: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Touched:
    """A file, function, pattern or test, and the ids of the memories that it is linked to."""

    name: str
    memories: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Intervention:
    """What is to be looked at when a memory changes.

    Attributes:
        dependents: memories that rest on it, nearest first.
        files, tests, functions, patterns: what it and they are linked to; tests by the names of files.
        more: the limit was met.
    """

    memory: Memory
    dependents: tuple[Reached, ...] = ()
    files: tuple[Touched, ...] = ()
    tests: tuple[Touched, ...] = ()
    functions: tuple[Touched, ...] = ()
    patterns: tuple[Touched, ...] = ()
    more: bool = False


class ConsequenceOperations(Operations):
    """counterfactual, intervention."""

    @operation(read_only=True, person=True)
    def counterfactual(
        self,
        id: str,  # noqa: A002  the contract's name
        *,
        depth: int = DEPTH,
        min_strength: float = STRENGTH,
        limit: int = NODES,
        as_of: datetime | None = None,
    ) -> Counterfactual:
        """Show what would be missing without a memory: its effects, and which of them have other causes.

        Args:
            id: the memory's id, or its first characters.
            depth: how many relations to follow, from 0 to 10.
            min_strength: only relations of at least this strength, 0 to 1.
            limit: maximum number of memories.
            as_of: what was known at that time.
        """
        check_depth(depth)
        services, memory = self._app.locate(id)
        way, most = walks.to_effects(fraction(min_strength)), bounded(limit)
        read = self._reading(services, way, most, as_of)
        # Its effects may have more causes than a walk reads.
        every = services.store.relations.of if as_of is None else read
        fallen = walks.counterfactual(memory.id, read, every, way=way, depth=depth, limit=most + 1)
        shown = self._shown(services, memory, [one.step for one in fallen[:most]])
        return Counterfactual(
            memory=shown[0],
            missing=tuple(
                Missing(
                    reached=shown[1][one.step.id],
                    loss="possible" if one.freed else "weakened" if one.others else "falls",
                    others=one.others,
                )
                for one in fallen[:most]
                if one.step.id in shown[1]
            ),
            more=len(fallen) > most,
        )

    @operation(read_only=True, person=True)
    def intervention(
        self,
        id: str,  # noqa: A002
        *,
        depth: int = DEPTH,
        min_strength: float = STRENGTH,
        limit: int = NODES,
        as_of: datetime | None = None,
    ) -> Intervention:
        """Show what to update when a memory changes: memories that depend on it, files, functions, tests.

        Args:
            id: the memory's id, or its first characters.
            depth: how many relations to follow, from 0 to 10.
            min_strength: only relations of at least this strength, 0 to 1.
            limit: maximum number of memories.
            as_of: what was known at that time.
        """
        check_depth(depth)
        services, memory = self._app.locate(id)
        way, most = walks.to_dependents(fraction(min_strength)), bounded(limit)
        read = self._reading(services, way, most, as_of)
        steps = walks.walk(memory.id, way, read, depth=depth, limit=most + 1)
        first, shown = self._shown(services, memory, steps[:most])
        memories = [first, *(one.memory for one in shown.values())]
        files = _touched(memories, lambda one: [link.path for link in one.files])
        return Intervention(
            memory=first,
            dependents=tuple(shown.values()),
            files=tuple(one for one in files if not is_test(one.name)),
            tests=tuple(one for one in files if is_test(one.name)),
            functions=_touched(memories, lambda one: [link.name for link in one.functions]),
            patterns=_touched(memories, lambda one: [link.name or link.id for link in one.patterns]),
            more=len(steps) > most,
        )

    def _reading(self, services: StoreServices, way: Way, most: int, as_of: datetime | None) -> RelationsOf:
        if as_of is not None:
            return known_then(services, as_utc(as_of))
        return walks.levels(services.store.relations, way, most + 1)

    def _shown(
        self, services: StoreServices, memory: Memory, steps: Sequence[Step]
    ) -> tuple[Memory, dict[str, Reached]]:
        """The memory, and those reached by id in the order of steps, without secrets."""
        near = services.store.memories.get([step.id for step in steps])
        first, *others = (output_redacted(one) for one in self._faded(services, [memory, *near]))
        found = {one.id: one for one in others}
        return first, {
            step.id: Reached(
                memory=found[step.id], depth=step.depth, path=step.path, confidence=step.confidence
            )
            for step in steps
            if step.id in found
        }


def is_test(path: str) -> bool:
    """Whether a file is a test by its name, or by that of a folder."""
    return bool(_TEST.search(path))


def _touched(memories: Iterable[Memory], names: Callable[[Memory], Iterable[str]]) -> tuple[Touched, ...]:
    """What memories are linked to, what most are linked to first."""
    found: dict[str, list[str]] = {}
    for one in memories:
        for name in dict.fromkeys(names(one)):
            found.setdefault(name, []).append(one.id)
    ordered = sorted(found.items(), key=lambda item: (-len(item[1]), item[0]))
    return tuple(Touched(name=name, memories=tuple(ids)) for name, ids in ordered)
