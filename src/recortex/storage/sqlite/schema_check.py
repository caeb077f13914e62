"""Whether a database's schema is one that Recortex made.

A trigger, a view or a column default of somebody else's would run inside our own statements. So a file is
opened only where its schema is, object by object, that of one of our migrations.
"""

from __future__ import annotations

from contextlib import closing
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import apsw

from recortex.errors import CorruptStoreError, NewerSchemaError
from recortex.hashes import sha256
from recortex.storage.sqlite import migrations
from recortex.storage.tables import keyword_indexes

if TYPE_CHECKING:
    from collections.abc import Callable

    from recortex.storage.sqlite.pool import Pool

DIGESTS = {
    "e3b0c44298fc1c14": 0,
    "720f35dc6aca688d": 1,
    "beda3910eba1fe17": 2,
    "fa4de72cc864e49e": 3,
    "dd417509bca80576": 4,
    "77c589fe52de85f0": 5,
    "8ab08a439fa39bb9": 6,
    "5f35addca081e8e5": 7,
    "8058e392e06abf58": 8,
    "1e320ac05fe05ef9": 9,
    "031d12a6ce446e6d": 10,
    "9c8d548768390797": 11,
    "8db626440ce3be3a": 12,
    "34ed8ef5ec0c98d0": 13,
    "270197e74ffdeb8d": 14,
    "fc8a024e73a98dde": 15,
    "77e0cedaea23481b": 16,
    "d666aee2a3dd635f": 17,
    "5faf95aea1829c3a": 18,
    "c69ef0d86f27f7bd": 19,
    "1a7101c6df1a0a9f": 20,
    "81eeb64d45773b82": 21,
    "2d18adb41d40f854": 22,
}
"""The schema after each migration, by the first 16 digits of its digest. A test makes them again from the
migrations."""
FORMER = frozenset({"c2fd24d89c88d481", "3c2cf91e54632aee", "b76759f187cbbe0f"})
"""Schemas made before two of the migrations were changed: `former_schemas` brings them to today's."""
_OBJECTS = (
    "SELECT type, name, tbl_name, sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite@_stat%' ESCAPE '@'"
)
_MADE_BY_FTS5 = frozenset(
    f"{index}_{part}"
    for index in keyword_indexes()
    for part in ("data", "idx", "docsize", "config", "content")
)
_RECORDS = "schema_migrations"
_NAMED = 3

Object = tuple[str, str, str, str]


def refuse_foreign(pool: Pool) -> bool:
    """Refuse a database whose schema is damaged, or was written by somebody else.

    Returns whether it has one of the former schemas, which are mended before they are migrated.

    Raises:
        CorruptStoreError: it does; nothing of it was run.
        NewerSchemaError: a newer program made its schema.
    """
    objects = objects_of(pool.rows)
    if found := _foreign(objects, pool.rows):
        raise CorruptStoreError(
            f"The store {pool.path} has a schema that Recortex did not make: {', '.join(found[:_NAMED])}.",
            hint="It is not used. `recortex recover` makes a store of its memories alone, "
            "and keeps the file.",
        )
    return digest(objects) in FORMER


def foreign_objects(rows: Callable[[str], list[tuple[Any, ...]]]) -> list[str]:
    """The schema's objects that are in none of our migrations, or differ from them; none where all is ours.

    Args:
        rows: gives the rows of a query.

    Raises:
        NewerSchemaError: a newer program made the schema.
    """
    return _foreign(objects_of(rows), rows)


def _foreign(objects: frozenset[Object], rows: Callable[[str], list[tuple[Any, ...]]]) -> list[str]:
    if (found := digest(objects)) in DIGESTS or found in FORMER:
        return []
    known = [expected(version) for version in range(migrations.newest() + 1)]
    if objects in known:
        return []
    ours = frozenset(each for schema in known for each in schema)
    foreign = sorted(f"{type_} {name}" for type_, name, *_ in objects - ours)
    if _newer(rows, objects & ours):
        raise NewerSchemaError("The store was made by a newer program than this.")
    return foreign or ["a schema with parts missing"]


def objects_of(rows: Callable[[str], list[tuple[Any, ...]]]) -> frozenset[Object]:
    """The objects of the schema that a database has; `rows` as in `foreign_objects`."""
    return _objects(rows(_OBJECTS))


def is_former(rows: Callable[[str], list[tuple[Any, ...]]]) -> bool:
    """Whether a database has a schema that has to be mended before it is migrated; `rows` likewise."""
    return digest(objects_of(rows)) in FORMER


def has_schema(rows: Callable[[str], list[tuple[Any, ...]]], version: int) -> bool:
    """Whether a database has exactly the schema after a migration; `rows` likewise."""
    objects = objects_of(rows)
    return DIGESTS.get(digest(objects)) == version or objects == expected(version)


@lru_cache(4)  # a hook asks three times
def digest(objects: frozenset[Object]) -> str:
    """What stands for a schema in `DIGESTS`."""
    written = repr(sorted(objects)) if objects else ""
    return sha256(written.encode("utf-8", "replace")).hexdigest()[:16]


def expected(version: int) -> frozenset[Object]:
    """The objects of the schema after a migration; 0 is an empty database."""
    return _objects(made(version))


def made(version: int) -> list[tuple[str, str, str, str | None]]:
    """The schema after a migration: of each object its type, name, table and statement."""
    with closing(replayed(version)) as connection:
        return list(connection.execute(_OBJECTS))


def replayed(version: int) -> apsw.Connection:
    """An empty database in memory to which all migrations up to one were applied."""
    connection = apsw.Connection(":memory:")
    if version:
        connection.execute(migrations.RECORDS)
    for step in migrations.known()[:version]:
        connection.execute(step.sql)
    return connection


def _objects(rows: list[tuple[str, str, str, str | None]]) -> frozenset[Object]:
    """The rows of the schema.

    Of FTS5's own tables the name alone, since its releases write them differently.
    """
    return frozenset(
        (type_, name, table, "" if name in _MADE_BY_FTS5 else " ".join((sql or "").split()))
        for type_, name, table, sql in rows
    )


def _newer(rows: Callable[[str], list[tuple[Any, ...]]], ours: frozenset[Object]) -> bool:
    """Whether the record of migrations, in our own form, names one that this program does not know."""
    if not any(name == _RECORDS and type_ == "table" for type_, name, *_ in ours):
        return False
    return int(rows(f"SELECT coalesce(max(version), 0) FROM {_RECORDS}")[0][0]) > migrations.newest()
