"""engrava: its database, its snapshot (JSON lines) and its export (JSON), which hold the same records."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from recortex.domain.vocabulary import RelationType
from recortex.errors import FormatError
from recortex.importers import Link, Row, Seen, Source
from recortex.importers.reading import (
    database,
    json_lines,
    loaded,
    mapping,
    priority,
    share,
    small,
    when,
    words,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

_KINDS = {
    "": "insight",
    "TASK": "goal",
    "OBSERVATION": "semantic",
    "BELIEF": "semantic",
    "REFLECTION": "insight",
    "NOTE": "semantic",
}
_RELATIONS = {
    "DEPENDS_ON": RelationType.DEPENDS_ON,
    "DERIVED_FROM": RelationType.DERIVED_FROM,
    "CONSOLIDATED_FROM": RelationType.DERIVED_FROM,
    "CONTESTED_BY": RelationType.CONTRADICTS,
}
_THOUGHT = (
    "thought_id", "thought_type", "essence", "content", "priority", "lifecycle_status", "source",
    "confidence", "created_at", "updated_at", "expires_at", "metadata_json", "valid_from", "valid_until",
    "provenance", "pinned",
)  # fmt: skip
_EDGE = ("from_thought_id", "to_thought_id", "edge_type", "weight", "valid_until")


def _read(path: Path) -> Iterator[Row]:
    seen = Seen(path)
    if seen.tables:
        with database(path) as opened:
            edges = list(opened.rows("edge", _EDGE)) if "edge" in opened.tables else []
            yield from _rows(opened.rows("thought", _THOUGHT), edges)
    elif isinstance(seen.first, dict) and "_type" in seen.first:
        of_type: dict[str, list[Mapping[str, Any]]] = {"thought": [], "edge": []}
        for number, record in json_lines(path):
            if not isinstance(record, dict):
                raise FormatError(
                    f"{path}: line {number} is no JSON object.", hint="Make the snapshot again."
                )
            of_type.setdefault(words(record.get("_type")), []).append(mapping(record.get("data")))
        yield from _rows(of_type["thought"], of_type["edge"])
    else:
        whole = loaded(path)
        yield from _rows(whole["thoughts"], whole.get("edges", ()))


def _rows(thoughts: Iterable[Mapping[str, Any]], edges: Iterable[Mapping[str, Any]]) -> Iterator[Row]:
    links: dict[str, list[Link]] = {}
    for edge in edges:
        source, target = words(edge.get("from_thought_id")), words(edge.get("to_thought_id"))
        if source and target and not edge.get("valid_until"):
            name = words(edge.get("edge_type"))
            related = _RELATIONS.get(name, RelationType.RELATED)
            links.setdefault(source, []).append(Link(to=target, type=related, words=name))
    for number, one in enumerate(thoughts):
        id_, text = words(one.get("thought_id")), words(one.get("content")) or words(one.get("essence"))
        type_, status = words(one.get("thought_type")), words(one.get("lifecycle_status"))
        said = mapping(one.get("metadata_json"))
        yield Row(
            id=id_ or f"thought-{number}",
            text=text,
            kind=type_,
            created=when(one.get("created_at")),
            updated=when(one.get("updated_at")),
            valid_from=when(one.get("valid_from")),
            valid_until=when(one.get("valid_until")),
            links=tuple(links.get(id_, ())),
            speaker=words(said.get("speaker")) or words(one.get("source")),
            session=words(mapping(one.get("provenance")).get("session_id")) or words(said.get("session_id")),
            priority=priority(one.get("priority"), "12345"),
            confidence=share(one.get("confidence")),
            pinned=bool(one.get("pinned")),
            raw=small(pinned=bool(one.get("pinned")) or None, metadata=dict(said)),
            refused=_refused(type_, status),
        )


def _refused(type_: str, status: str) -> str:
    if status == "ARCHIVED":
        return "it is archived in engrava"
    if type_ == "OUTPUT_DRAFT":
        return "it is a draft of an answer"
    return "a task that is done" if (type_, status) == ("TASK", "DONE") else ""


def _recognise(seen: Seen) -> bool:
    if seen.has("thought", "thought_id", "essence", "lifecycle_status"):
        return True
    if isinstance(seen.first, dict) and {"_type", "schema_version"} <= seen.first.keys():
        return bool(seen.first["_type"] == "metadata")
    return isinstance(seen.json, dict) and seen.json.get("format") == "engrava-export"


SOURCES = (Source(name="engrava", title="engrava", recognise=_recognise, read=_read, kinds=_KINDS),)
