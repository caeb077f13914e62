"""OpenMemory, mem0's local server: its SQL database, whose columns differ between versions and forks."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from recortex.importers.base import Row, Source, Where
from recortex.importers.reading import database, mapping, small, when, words

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from recortex.importers.reading import Database

_MEMORY = ("id", "user_id", "app_id", "content", "metadata", "metadata_", "state", "created_at", "updated_at",
           "deleted_at")  # fmt: skip
_REFUSED = {"deleted": "it was deleted there", "archived": "it was archived there"}


def _read(path: Path) -> Iterator[Row]:
    with database(path) as opened:
        apps = _names(opened, "apps")
        tags: defaultdict[str, list[str]] = defaultdict(list)
        if "memory_categories" in opened.tables:
            categories = _names(opened, "categories")
            for one in opened.rows("memory_categories", ("memory_id", "category_id")):
                tags[str(one["memory_id"])].append(categories.get(str(one["category_id"]), ""))
        for number, one in enumerate(opened.rows("memories", _MEMORY, "created_at")):
            state = words(one["state"]).lower()
            app = apps.get(str(one["app_id"]), "")
            yield Row(
                id=str(one["id"]) if one["id"] is not None else f"row-{number}",
                text=words(one["content"]),
                created=when(one["created_at"]),
                updated=when(one["updated_at"]),
                tags=tuple(dict.fromkeys(filter(None, tags.get(str(one["id"]), ())))),
                speaker=app,
                raw=small(metadata=dict(mapping(one["metadata"] or one["metadata_"])), state=state),
                refused=_REFUSED.get("deleted" if one["deleted_at"] else state, ""),
            )


def _names(opened: Database, table: str) -> dict[str, str]:
    """The names of a table's rows, by their ids."""
    rows = opened.rows(table, ("id", "name")) if table in opened.tables else ()
    return {str(one["id"]): words(one["name"]) for one in rows}


def _places(where: Where) -> Iterator[Path]:
    for folder in (where.home / "openmemory", where.home / "mem0" / "openmemory", where.home / ".openmemory"):
        yield folder / "openmemory.db"
        yield folder / "api" / "openmemory.db"


SOURCES = (
    Source(
        name="openmemory",
        title="OpenMemory",
        recognise=lambda seen: seen.has("memories", "app_id", "content", "state"),
        read=_read,
        kinds={"": "semantic"},
        discover=_places,
    ),
)
