"""MemPalace: what an agent filed in its palace (Chroma's or its own SQLite), and its graph of facts.

Of a palace only the SQLite files are read. What it mined from files and sessions is left out: these are still
there, and Recortex reads them itself. Of Chroma's tables the queue is left alone: it keeps what was deleted.
"""

from __future__ import annotations

from collections import defaultdict
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from recortex.importers import Row, Seen, Source
from recortex.importers.reading import database, mapping, share, small, when, words

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from datetime import datetime
    from pathlib import Path

    from recortex.importers import Where
    from recortex.importers.reading import Database

_KINDS = {
    "": "semantic",
    "diary": "episodic",
    "decisions": "decision",
    "preferences": "preference",
    "gotchas": "tribal",
    "problems": "incident",
    "milestones": "progress",
    "triple": "semantic",
}
"""By the names of rooms that people use; any other room is a matter of its own."""
_VALUES = ("string_value", "int_value", "float_value", "bool_value")
_TEXT = "chroma:document"
_TRIPLE = (
    "id", "subject", "predicate", "object", "valid_from", "valid_to", "confidence", "source_file",
    "extracted_at",
)  # fmt: skip
_DAY = len("2026-01-01")


def _read(path: Path) -> Iterator[Row]:
    with database(path) as opened:
        if "triples" in opened.tables:
            yield from _facts(opened)
        else:
            yield from _drawers(_of_chroma(opened) if "embeddings" in opened.tables else _of_own(opened))


def _of_chroma(opened: Database) -> dict[str, dict[str, Any]]:
    ids = {one["id"]: words(one["embedding_id"]) for one in opened.rows("embeddings", ("id", "embedding_id"))}
    found: dict[str, dict[str, Any]] = {id_: {} for id_ in ids.values()}
    for one in opened.rows("embedding_metadata", ("id", "key", *_VALUES)):
        if one["id"] in ids:
            # Chroma keeps a value in the column of its type; the others are null.
            value = next((one[name] for name in _VALUES if one[name] is not None), None)
            found[ids[one["id"]]][words(one["key"])] = value
    return found


def _of_own(opened: Database) -> dict[str, dict[str, Any]]:
    rows = opened.rows("documents", ("id", "document", "metadata_json"))
    return {words(one["id"]): {**mapping(one["metadata_json"]), _TEXT: one["document"]} for one in rows}


def _drawers(found: Mapping[str, Mapping[str, Any]]) -> Iterator[Row]:
    """A row for each drawer; one that was too long for the model stands in several, one after the other."""
    whole: dict[str, list[tuple[int, str, Mapping[str, Any]]]] = defaultdict(list)
    for id_, one in found.items():
        place = one.get("chunk_index")
        at = place if isinstance(place, int) else 0
        drawer = words(one.get("parent_drawer_id")) or words(one.get("parent_entry_id")) or id_
        whole[drawer].append((at, id_, one))
    for drawer, parts in whole.items():
        # By place, then by id: what is third, a mapping, has no order.
        parts.sort(key=lambda part: part[:2])
        about = parts[0][2]
        file = words(about.get("source_file"))
        yield Row(
            id=drawer,
            text="".join(str(one.get(_TEXT) or "") for *_, one in parts),
            kind="diary" if about.get("type") == "diary_entry" else words(about.get("room")),
            created=when(about.get("filed_at")),
            files=(file,) if file else (),
            tags=tuple(filter(None, (words(about.get("room")), words(about.get("topic"))))),
            speaker=words(about.get("agent")) or words(about.get("added_by")),
            project=_project(words(about.get("wing"))),
            raw=small(wing=about.get("wing"), parts=len(parts) if len(parts) > 1 else None),
            refused=_refused(about),
        )


def _project(wing: str) -> str:
    """Wings are named after folders; that of an agent or a person begins with `wing_`."""
    return "" if wing.startswith("wing_") else wing


def _refused(about: Mapping[str, Any]) -> str:
    if about.get("ingest_mode"):
        return "a part of a session that was mined: import the client's sessions"
    return (
        "a part of a file that was mined: `recortex ingest` reads documents"
        if "normalize_version" in about
        else ""
    )


def _facts(opened: Database) -> Iterator[Row]:
    """Facts, each as a sentence. A day on which one ends belongs to it whole."""
    names = {one["id"]: words(one["name"]) for one in opened.rows("entities", ("id", "name"))}
    for one in opened.rows("triples", _TRIPLE):
        ends = [names.get(one[end]) or words(one[end]) for end in ("subject", "object")]
        said = words(one["predicate"]).replace("_", " ")
        file = words(one["source_file"])
        yield Row(
            id=words(one["id"]),
            text=f"{ends[0]} {said} {ends[1]}" if all(ends) and said else "",
            kind="triple",
            created=when(one["extracted_at"]),
            valid_from=when(one["valid_from"]),
            valid_until=_end(one["valid_to"]),
            files=(file,) if file else (),
            confidence=share(one["confidence"]),
        )


def _end(value: Any) -> datetime | None:
    found = when(value)
    return found + timedelta(days=1) if found and len(words(value)) == _DAY else found


def _recognise(seen: Seen) -> bool:
    if seen.has("triples", "subject", "predicate", "object", "valid_to"):
        return seen.has("entities", "id", "name")
    if seen.has("documents", "collection_id", "document", "metadata_json", "embedding", "dim"):
        return seen.has("collections", "name", "dimension")
    if not (seen.has("embedding_metadata", "key", "string_value") and seen.has("collections", "name")):
        return False
    # These tables are Chroma's, which many programs use: the names of collections tell whose they are.
    with database(seen.path) as opened:
        return any(
            words(one["name"]).startswith("mempalace") for one in opened.rows("collections", ("name",))
        )


def _places(where: Where) -> Iterator[Path]:
    folders = [where.home / ".mempalace", where.home / ".config" / "mempalace"]
    for folder in (*where.named("MEMPALACE_PALACE_PATH"), *(one / "palace" for one in folders)):
        yield from (folder / name for name in ("chroma.sqlite3", "sqlite_exact.sqlite3"))
    for folder in folders:
        yield folder / "knowledge_graph.sqlite3"


SOURCES = (
    Source(
        name="mempalace",
        title="MemPalace",
        recognise=_recognise,
        read=_read,
        kinds=_KINDS,
        discover=_places,
    ),
)
