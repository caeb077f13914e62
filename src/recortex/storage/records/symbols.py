"""The symbols of code that memories hang on, as they were when they were linked."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from recortex.domain.memory import SymbolLink
from recortex.domain.time import to_micros
from recortex.storage.database import Records
from recortex.storage.records.values import json

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from recortex.domain.memory import Memory, Role


class SymbolRecords(Records):
    """Links of memories to symbols; they are no part of a memory, and have no versions."""

    topic = "symbols"

    def of(self, ids: Sequence[str]) -> dict[str, list[SymbolLink]]:
        """The links of memories, by the ids of those that have some."""
        found: dict[str, list[SymbolLink]] = defaultdict(list)
        for id_, *values in self._rows("of", json(list(ids))):
            found[id_].append(SymbolLink(*values))
        return dict(found)

    def put(self, memory: Memory, links: Sequence[SymbolLink], role: Role = "about") -> None:
        """Put these links of one role in place of those that a memory has."""
        self._rows("drop", memory.id, role)
        self._each("put", [(memory.id, *_values(one)) for one in links])

    def looked(self, memory: Memory, said: str) -> None:
        """Note that a memory was looked at as it is; `said`: a hash of what it says of code."""
        self._rows("looked", memory.id, to_micros(memory.updated_at), said)

    def said(self, ids: Sequence[str]) -> dict[str, str]:
        """What memories said of code when they were looked at, as hashes, by their ids."""
        return dict(self._rows("said", json(list(ids))))

    def unlinked(self, limit: int) -> list[str]:
        """Ids of active and proposed memories that were not looked at as they are, the newest first."""
        return self._column("unlinked", limit)

    def linked(self, limit: int) -> list[str]:
        """Ids of active and proposed memories that hang on a symbol."""
        return self._column("linked", limit)

    def hanging(self, path: str, names: Collection[str]) -> list[tuple[str, Role, str]]:
        """The active memories on symbols of a file with plain names: id, role, qualified name."""
        return [(id_, role, name) for id_, role, name in self._rows("hanging", path, json(sorted(names)))]


def _values(link: SymbolLink) -> tuple[str | int | bytes, ...]:
    place = (link.path, link.name, link.plain, link.kind, link.arity, link.hash, link.first, link.last)
    return (*place, link.lines, link.commit, link.key, link.role, link.copies)
