"""Reports what is lost, as known from the rows, the indexes, the audit log and the unreadable pages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from recortex.codec import loads
from recortex.domain.vocabulary import RelationType
from recortex.errors import InvalidInputError
from recortex.storage.queries import queries
from recortex.storage.tables import keyword_indexes

if TYPE_CHECKING:
    from collections.abc import Iterator

    import apsw

    from recortex.storage.sqlite.salvage.reading import DamagedContent

    Ends = tuple[str, str, str]

_SQL = queries("salvage", "sqlite")

CUT_OFF = "are missing from the file's end, and what only they held is lost"
BLIND = "could not be read whole, and what only they held is lost"
_MADE_ANEW = (*keyword_indexes(), "embedding", "vector_indexes", "vector_changes")
"""Tables and indexes that hold nothing which cannot be made again from the rows."""


def lost(into: apsw.Connection, found: DamagedContent) -> Iterator[str]:
    """What the new store lacks or has changed, in sentences that begin with the memory's id if known."""
    there = {row[0]: row[1] for row in into.execute("SELECT key, id FROM memories")}
    for key in found.changed & there.keys():
        read = found.rows["memories"][(key,)][found.tables["memories"].place("id")]
        anew = "" if read == there[key] else f", under a new id: {read!r} is what its own was changed to"
        yield f"{there[key]}: it was changed by the damage, and is kept as it can be read now{anew}"
    for key in found.guessed & there.keys():
        yield f"{there[key]}: its patterns and constraints can no longer be told apart"
    for name, key in found.broken:
        owner = f"{_named(found, there, key)}: one of its" if key else "One of the"
        yield f"{owner} {name} could not be read"
    if found.reader.cut:
        yield f"{found.reader.cut} of {found.reader.count + found.reader.cut} pages {CUT_OFF}"
    blind = _blind(found)
    if blind:
        names = ", ".join(sorted({name or "a table that is not known" for name in blind}))
        yield f"{len(blind)} pages (of {names}) {BLIND}"
    yield from _memories(into, found, there)
    yield from _parts(into, found, there)
    if {"", "relations"} & {*blind}:
        yield from _told_relations(into, found, there)


def _blind(found: DamagedContent) -> list[str]:
    """The table or index of each page that could not be read whole; empty where it is not known."""
    owners = found.reader.owners()
    holders = [owners.get(page, "") for page in found.reader.holes()]
    return [name for name in holders if not name.startswith(_MADE_ANEW)]


def _named(found: DamagedContent, there: dict[int, str], key: int) -> str:
    return there.get(key) or found.ids.get(key) or f"the memory number {key}"


def _memories(into: apsw.Connection, found: DamagedContent, there: dict[int, str]) -> Iterator[str]:
    buried = {row[0] for row in into.execute("SELECT memory_key FROM tombstones")}
    last = max([found.highest(), *there, *(key for key in found.ids if key <= found.highest())], default=0)
    for key in range(1, last + 1):
        if key not in there and key not in buried:
            yield f"{_named(found, there, key)}: could not be read, and is in no backup"


def _parts(into: apsw.Connection, found: DamagedContent, there: dict[int, str]) -> Iterator[str]:
    """Rows that an index knows of, and that are not there."""
    for index, (table, columns, owner) in found.witnesses.items():
        present = set(into.execute(f"SELECT {', '.join(columns)} FROM {table}"))
        for entry in found.entries[index] - present:
            mine, other = (owner, 0) if table == "relations" else (owner, owner)
            if entry[mine] not in there:  # a relation of a memory that is lost: named by its other end
                mine, other = other, mine
            if entry[mine] in there:
                more = f" to {_named(found, there, entry[other])}" if table == "relations" else ""
                yield f"{there[entry[mine]]}: a row of its {table}{more} could not be read"


def _told_relations(into: apsw.Connection, found: DamagedContent, there: dict[int, str]) -> Iterator[str]:
    """Relations that the audit log knows of, and that are not there."""
    present = set(into.execute(_SQL["related"]))
    for source, target, type_ in sorted(_related(found, there) - present):
        yield f"{source}: its {type_} {target} could not be read, or was taken away with one of the two"


def _related(found: DamagedContent, there: dict[int, str]) -> set[Ends]:
    """The relations that were made and not taken away, as far as the audit log can be read."""
    related: set[Ends] = set()
    for _, key, operation, _, _, details in sorted(found.rows["audit"].values(), key=lambda row: row[0]):
        id_, told = there.get(key, ""), _details(details)
        other = str(told.get("target") or told.get("by") or "")
        if operation == "link" and told.get("target"):
            related.add((id_, other, str(told.get("relation"))))
        elif operation == "unlink" and told.get("target"):
            pair = {id_, other}
            related = {one for one in related if {one[0], one[1]} != pair or one[2] not in _taken(told)}
        elif operation == "supersede" and told.get("by"):
            related.add((other, id_, RelationType.SUPERSEDES))
    return {one for one in related if {one[0], one[1]} <= {*there.values()}}


def _taken(told: dict[str, Any]) -> set[str]:
    types = told.get("relations")
    return {str(one) for one in types} if isinstance(types, list) else set()


def _details(text: str | None) -> dict[str, Any]:
    try:
        found = loads(text or "{}")
    except InvalidInputError:
        return {}
    return found if isinstance(found, dict) else {}
