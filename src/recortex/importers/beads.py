"""beads: what `bd export --include-memories` writes, and the `issues.jsonl` of a project."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from recortex.domain.vocabulary import RelationType
from recortex.errors import FormatError
from recortex.importers import Link, Row, Source
from recortex.importers.reading import json_lines, listed, mapping, priority, small, when, words

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from recortex.importers import Seen, Where

_KINDS = {"": "decision", "bug": "incident", "memory": "semantic", "open": "goal"}
_RELATIONS = {
    "blocks": RelationType.BLOCKS,
    "conditional-blocks": RelationType.BLOCKS,
    "waits-for": RelationType.BLOCKS,
    "caused-by": RelationType.TRIGGERED_BY,
    "discovered-from": RelationType.LEARNED_FROM,
    "duplicates": RelationType.RELATED,
    "supersedes": RelationType.SUPERSEDES,
    "validates": RelationType.SUPPORTS,
}
_PARTS = ("description", "design", "notes")
_EMPTY_REASONS = frozenset(("", "closed", "done", "completed", "fixed", "implemented"))
"""What a close reason says that says nothing."""


def _read(path: Path) -> Iterator[Row]:
    issues: list[Mapping[str, Any]] = []
    for number, record in json_lines(path):
        if not isinstance(record, dict):
            raise FormatError(f"{path}: line {number} is no JSON object.", hint="Run `bd export` again.")
        if record.get("_type") == "memory":
            key = words(record.get("key")) or f"line-{number}"
            yield Row(id=f"memory:{key}", text=words(record.get("value")), kind="memory", tags=(key,))
        elif words(record.get("id")):
            issues.append(record)
        else:
            yield Row(id=f"line-{number}", refused="it is neither an issue nor a memory")
    blocked: dict[str, list[Link]] = {}
    for one in issues:
        for dependency in map(mapping, one.get("dependencies") or ()):
            _link(words(one["id"]), dependency, blocked)
    # After all of them were read: what an issue blocks stands with the other issue.
    for one in issues:
        yield _issue(one, tuple(blocked.get(words(one["id"]), ())))


def _link(issue: str, dependency: Mapping[str, Any], links: dict[str, list[Link]]) -> None:
    """An issue lists what it waits for: with `blocks`, the other one blocks it."""
    other, said = words(dependency.get("depends_on_id")), words(dependency.get("type"))
    related = _RELATIONS.get(said, RelationType.RELATED)
    source, target = (other, issue) if related is RelationType.BLOCKS else (issue, other)
    if other:
        links.setdefault(source, []).append(Link(to=target, type=related, words=said))


def _issue(one: Mapping[str, Any], links: tuple[Link, ...]) -> Row:
    closed, reason, type_ = (
        one.get("status") == "closed",
        words(one.get("close_reason")),
        words(one.get("issue_type")),
    )
    empty = reason.rstrip(".").lower() in _EMPTY_REASONS
    said = [words(one.get(name)) for name in _PARTS]
    parts = [
        words(one.get("title")),
        *(f"Why it was closed: {reason}" for _ in range(closed and not empty)),
        *said,
    ]
    refused = ""
    if closed and empty and not any(said):
        refused = "a closed issue that does not say what came of it"
    elif one.get("status") == "tombstone" or one.get("deleted_at"):
        refused = "it was deleted in beads"
    return Row(
        id=words(one["id"]),
        text="\n\n".join(filter(None, parts)),
        # An open issue is something to be done, whatever its type is.
        kind=type_ if closed else "open",
        summary=words(one.get("title")),
        created=when(one.get("created_at")),
        updated=when(one.get("updated_at")),
        links=links,
        tags=listed(one.get("labels")),
        speaker=words(one.get("created_by")) or words(one.get("owner")),
        session=words(one.get("closed_by_session")),
        priority=priority(one.get("priority"), "01234"),
        raw=small(
            status=one.get("status"),
            type=type_,
            assignee=one.get("assignee"),
            closed=one.get("closed_at"),
            external=one.get("external_ref"),
        ),
        refused=refused,
    )


def _recognise(seen: Seen) -> bool:
    first = seen.first
    if not isinstance(first, dict):
        return False
    if first.get("_type") == "memory":
        return {"key", "value"} <= first.keys()
    return {"id", "title", "priority", "created_at"} <= first.keys() and first.get(
        "_type", "issue"
    ) == "issue"


def _places(where: Where) -> Iterator[Path]:
    yield where.project / ".beads" / "issues.jsonl"


SOURCES = (
    Source(name="beads", title="beads", recognise=_recognise, read=_read, kinds=_KINDS, discover=_places),
)
