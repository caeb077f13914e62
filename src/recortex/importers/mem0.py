"""mem0: the history beside its vectors, and lists of memories exported as JSON; and its OpenMemory.

The vectors' own folder (Qdrant's) is not read: its points are pickles. The history says the same, but for
the ids of the user, the agent and the run, and for metadata.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any

from recortex.importers import Row, Seen, Source, Where
from recortex.importers.reading import database, listed, loaded, mapping, small, when, words

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from recortex.importers.reading import Database


_KINDS = {"": "semantic"}
_HISTORY = ("id", "memory_id", "old_memory", "new_memory", "event", "created_at", "updated_at",
            "is_deleted", "actor_id", "role")  # fmt: skip


def _of_history(path: Path) -> Iterator[Row]:
    """One row for each memory: the last of its events says what it is now."""
    last: dict[str, dict[str, Any]] = {}
    began: dict[str, Any] = {}
    with database(path) as opened:
        for number, event in enumerate(opened.rows("history", _HISTORY)):
            id_ = words(event["memory_id"]) or f"event-{event['id'] or number}"
            # created_at is that of the memory in each of its events, so that it does not order them.
            began.setdefault(id_, event["created_at"])
            last[id_] = event
    for id_, event in last.items():
        gone = bool(event["is_deleted"]) or words(event["event"]).upper() == "DELETE"
        created = when(began[id_])
        yield Row(
            id=id_,
            text=words(event["new_memory"]),
            created=created,
            updated=when(event["updated_at"]),
            speaker=words(event["actor_id"]) or words(event["role"]),
            raw=small(event=event["event"]),
            refused="it was deleted in mem0" if gone else "",
        )


def _entries(content: Any) -> list[Any]:
    """The memories of an export, in whichever of its forms; none where it is no export."""
    if isinstance(content, dict):
        content = next((content[one] for one in ("results", "memories") if one in content), None)
    return content if isinstance(content, list) else []


def _of_export(path: Path) -> Iterator[Row]:
    for number, one in enumerate(_entries(loaded(path))):
        if not isinstance(one, dict) or not words(one.get("memory")):
            yield Row(id=f"entry-{number}", refused="it is no memory: it has no text")
            continue
        yield Row(
            id=words(one.get("id")) or f"entry-{number}",
            text=one["memory"],
            created=when(one.get("created_at")),
            updated=when(one.get("updated_at")),
            valid_until=when(one.get("expiration_date")),
            tags=listed(one.get("categories")),
            speaker=words(one.get("actor_id")) or words(one.get("role")),
            session=words(one.get("run_id")),
            raw=small(
                user_id=one.get("user_id"),
                agent_id=one.get("agent_id"),
                metadata=dict(mapping(one.get("metadata"))),
            ),
        )


def _is_export(seen: Seen) -> bool:
    entries = _entries(seen.json)
    return bool(entries) and isinstance(entries[0], dict) and {"id", "memory"} <= entries[0].keys()


def _places(where: Where) -> Iterator[Path]:
    for folder in (*where.named("MEM0_DIR"), where.home / ".mem0"):
        yield folder / "history.db"


def _read(path: Path) -> Iterator[Row]:
    return _of_history(path) if Seen(path).tables else _of_export(path)


# -- OpenMemory, which keeps what Mem0 does in a database of its own


_MEMORY = ("id", "user_id", "app_id", "content", "metadata", "metadata_", "state", "created_at", "updated_at",
           "deleted_at")  # fmt: skip
_REFUSED = {"deleted": "it was deleted there", "archived": "it was archived there"}


def _read_openmemory(path: Path) -> Iterator[Row]:
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


def _places_of_openmemory(where: Where) -> Iterator[Path]:
    for folder in (where.home / "openmemory", where.home / "mem0" / "openmemory", where.home / ".openmemory"):
        yield folder / "openmemory.db"
        yield folder / "api" / "openmemory.db"


SOURCES = (
    Source(
        name="mem0",
        title="mem0",
        recognise=lambda seen: seen.has("history", "memory_id", "new_memory", "event") or _is_export(seen),
        read=_read,
        kinds=_KINDS,
        discover=_places,
    ),
    Source(
        name="openmemory",
        title="OpenMemory",
        recognise=lambda seen: seen.has("memories", "app_id", "content", "state"),
        read=_read_openmemory,
        kinds={"": "semantic"},
        discover=_places_of_openmemory,
    ),
)
