"""mcp-memory-service: the SQLite database of its default backend, and its JSON export.

Deleted memories stay in its table with their text and a time of deletion. A text is known by a hash of its
lower-case form, which is the id here, too.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any

from recortex.domain.vocabulary import RelationType
from recortex.importers import Link, Row, Seen, Source, Where
from recortex.importers.reading import database, listed, loaded, mapping, small, when, words

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

_KINDS = {
    "": "insight",
    "decision": "decision",
    "architecture": "architecture",
    "learning": "insight",
    "pattern": "pattern_rationale",
    "error": "incident",
    "planning": "goal",
    "ceremony": "meeting",
    "milestone": "progress",
    "note": "semantic",
    "reference": "reference",
    "preference": "preference",
}
_RELATIONS = {
    "causes": RelationType.CAUSED,
    "fixes": RelationType.PREVENTED,
    "supports": RelationType.SUPPORTS,
    "contradicts": RelationType.CONTRADICTS,
    "follows": RelationType.DERIVED_FROM,
}
_MEMORY = (
    "content_hash", "content", "tags", "memory_type", "metadata", "created_at", "updated_at",
    "created_at_iso", "updated_at_iso", "deleted_at", "superseded_by", "store",
)  # fmt: skip
_NO_TAG = frozenset(("untagged",))
"""What it gives to a memory that has no tag."""


def _read(path: Path) -> Iterator[Row]:
    if not Seen(path).tables:
        found = loaded(path)
        entries = found.get("memories") if isinstance(found, dict) else None
        for number, one in enumerate(entries if isinstance(entries, list) else ()):
            if isinstance(one, dict):
                yield _row(one, f"entry-{number}", ())
            else:
                yield Row(id=f"entry-{number}", refused="it is no memory")
        return
    links: defaultdict[str, list[Link]] = defaultdict(list)
    with database(path) as opened:
        if "memory_graph" in opened.tables:
            for edge in opened.rows("memory_graph", ("source_hash", "target_hash", "relationship_type")):
                word = words(edge["relationship_type"])
                type_ = _RELATIONS.get(word, RelationType.RELATED)
                links[words(edge["source_hash"])].append(Link(words(edge["target_hash"]), type_, word))
        for number, one in enumerate(opened.rows("memories", _MEMORY, "id")):
            yield _row(one, f"row-{number}", links.get(words(one["content_hash"]), ()))


def _row(one: Mapping[str, Any], otherwise: str, links: Sequence[Link]) -> Row:
    metadata = mapping(one.get("metadata"))
    gone = "it was deleted there" if one.get("deleted_at") else ""
    replaced = "a later memory replaced it there" if words(one.get("superseded_by")) else ""
    store = words(one.get("store"))
    return Row(
        id=words(one.get("content_hash")) or otherwise,
        text=words(one.get("content")),
        kind=words(one.get("memory_type")),
        created=when(one.get("created_at")) or when(one.get("created_at_iso")),
        updated=when(one.get("updated_at")) or when(one.get("updated_at_iso")),
        tags=tuple(tag for tag in listed(one.get("tags")) if tag not in _NO_TAG),
        links=tuple(links),
        raw=small(metadata=dict(metadata), store=store if store != "default" else ""),
        refused=gone or replaced,
    )


def _is_ours(seen: Seen) -> bool:
    if seen.has("memories", "content_hash", "content", "memory_type"):
        return True
    found = seen.json
    return isinstance(found, dict) and "memories" in found and "exporter_version" in mapping(
        found.get("export_metadata")
    )  # fmt: skip


def _places(where: Where) -> Iterator[Path]:
    yield from where.named("MCP_MEMORY_SQLITE_PATH")
    for folder in (
        *where.named("MCP_MEMORY_BASE_DIR"),
        where.home / ".local" / "share" / "mcp-memory",
        where.home / "Library" / "Application Support" / "mcp-memory",
        where.home / "AppData" / "Local" / "mcp-memory",
    ):
        yield folder / "sqlite_vec.db"


SOURCES = (
    Source(
        name="mcp-memory-service",
        title="mcp-memory-service",
        recognise=_is_ours,
        read=_read,
        kinds=_KINDS,
        discover=_places,
    ),
)
