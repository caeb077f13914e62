"""Systems that bench/retrieval.py can ask.

`add(items)` once, then `search(query, limit)` for ids, best first.
"""

from __future__ import annotations

import shutil
import tempfile
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, get_args

from recortex import Cortex
from recortex.domain.search import Recipe
from recortex.domain.vocabulary import Scope

if TYPE_CHECKING:
    from collections.abc import Sequence

    from retrieval_items import Item


class Adapter(Protocol):
    """What a system must do to be measured. It is made anew for each store."""

    def add(self, items: Sequence[Item]) -> None: ...

    def search(self, query: str, limit: int) -> Sequence[str]:
        """Ids, best first; none where the system has no answer."""

    def close(self) -> None: ...


class RecortexAdapter:
    """Recortex through its public Python interface, with default settings."""

    def __init__(self, *, recipe: str = "hybrid", floor: bool = True, embed: bool = True) -> None:
        assert recipe in get_args(Recipe), recipe
        self._options: dict[str, Any] = {"recipe": recipe, "floor": floor}
        self._embed = embed
        self._folder = Path(tempfile.mkdtemp(prefix="recortex-bench-"))
        self._cortex = Cortex.open(url=f"sqlite:///{self._folder / 'cortex.db'}")
        self._items: defaultdict[str, list[str]] = defaultdict(list)

    def add(self, items: Sequence[Item]) -> None:
        kept = self._cortex.remember_many([_wish(item) for item in items], embed=self._embed, link=False)
        for memory_id, item in zip(kept.ids, items, strict=True):
            self._items[memory_id].append(item.id)

    def search(self, query: str, limit: int) -> list[str]:
        hits = self._cortex.recall(query, limit=limit, **self._options).hits
        return [item for hit in hits for item in self._items[hit.memory.id]]

    def items_by_key(self) -> dict[int, list[str]]:
        """The items of each memory, by the key that the store has for it."""
        services = self._cortex._app.services(Scope.PROJECT)  # noqa: SLF001
        keys = range(1, services.store.search.searchable() + 1)
        return {
            key: self._items[memory.id]
            for start in range(0, len(keys), 500)
            for key, memory in services.store.search.memories(keys[start : start + 500]).items()
        }

    def best(self, query: str) -> float:
        """How sure Recortex is that there is an answer, 0 to 1."""
        return self._cortex.recall(query, limit=1, **self._options).best

    def close(self) -> None:
        self._cortex.close()
        shutil.rmtree(self._folder)


def _wish(item: Item) -> dict[str, Any]:
    wish: dict[str, Any] = {"text": item.text, "kind": item.kind, "importance": item.importance}
    if item.session:
        wish["source"] = {"session": item.session, "turn": item.turn, "speaker": item.speaker}
    if item.at:
        wish["valid_from"] = item.at
    return wish | {"files": list(item.files), "tags": list(item.tags)}
