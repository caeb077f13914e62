"""Kage: packets in a project's `.agent_memory`, each Markdown that ends with its whole record as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from recortex.importers import UNREADABLE, Row, Source, documents
from recortex.importers.reading import listed, mapping, parsed, share, small, when, words

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from recortex.importers import Document, Seen, Where

_KINDS = {
    "": "semantic",
    "decision": "decision",
    "gotcha": "tribal",
    "bug_fix": "incident",
    "workflow": "workflow",
    "convention": "preference",
    "runbook": "procedural",
    "constraint": "constraint_override",
    "reference": "reference",
    "code_explanation": "semantic",
}
_STATE = "```json kage-state\n"
_WRITTEN = "change-memory"
"""The tag of packets that a program made of a diff: git knows what they say."""


def _read(path: Path) -> Iterator[Row]:
    for one in documents(path):
        state = _state(one)
        if not state:
            why = UNREADABLE if one.text is None else "no record of Kage's stands in it"
            yield Row(id=one.name, refused=why)
            continue
        about = mapping(state.get("context"))
        why = words(about.get("why"))
        text = words(state.get("summary")) or words(state.get("title"))
        body = words(state.get("body"))
        parts = [text, body if body != text else "", f"Why: {why}" if why and why not in body else ""]
        paths = tuple(name for name in listed(state.get("paths")) if not name.startswith(".agent_memory/"))
        fresh = mapping(state.get("freshness"))
        yield Row(
            id=words(state.get("id")) or one.name,
            text="\n\n".join(filter(None, parts)),
            kind=words(state.get("type")),
            summary=words(state.get("title")),
            created=when(state.get("created_at")) or when(fresh.get("last_verified_at")),
            updated=when(state.get("updated_at")),
            files=paths,
            tags=listed(state.get("tags")),
            confidence=share(state.get("confidence")),
            raw=small(status=state.get("status"), scope=state.get("scope")),
            refused=_refused(state),
        )


def _state(document: Document) -> Mapping[str, Any]:
    """The record in the last block of a packet; empty where there is none."""
    _, mark, after = (document.text or "").rpartition(_STATE)
    return mapping(parsed(after.partition("\n```")[0].encode())) if mark else {}


def _refused(state: Mapping[str, Any]) -> str:
    if words(state.get("status")) in {"deprecated", "superseded", "rejected", "archived"}:
        return f"it is {state['status']} in Kage"
    return "a program made it of a diff" if _WRITTEN in listed(state.get("tags")) else ""


def _recognise(seen: Seen) -> bool:
    if seen.path.parts[-2:] == (".agent_memory", "packets"):
        return seen.folder
    first = next((one for one in documents(seen.path) if one.text), None) if seen.folder else None
    return first is not None and _STATE in (first.text or "")


def _places(where: Where) -> Iterator[Path]:
    yield where.project / ".agent_memory" / "packets"


SOURCES = (
    Source(name="kage", title="Kage", recognise=_recognise, read=_read, kinds=_KINDS, discover=_places),
)
