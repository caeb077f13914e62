"""Fills gaps from a backup, and reports what came from it, since later changes of that are lost."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from recortex.storage.queries import queries
from recortex.storage.sqlite.salvage.tables import LINKS, OF_A_MEMORY, REFILLED

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import apsw

    from recortex.storage.sqlite.salvage.reading import DamagedContent
    from recortex.storage.sqlite.salvage.tables import Values

_SQL = queries("salvage", "sqlite")


class Backup(NamedTuple):
    """A whole store of today's schema, and its name in reports."""

    path: Path
    name: str


class Filling:
    """Takes from a backup what a new store lacks.

    Args:
        into: the new store, with what could be read.
        found: what that was; memories that come from the backup are no longer `changed`.
        backup: what it is taken from.

    Attributes:
        filled: how many memories are as the backup has them.
    """

    def __init__(self, into: apsw.Connection, found: DamagedContent, backup: Backup) -> None:
        self._into = into
        self._found = found
        self._backup = backup
        self.filled = 0

    def run(self) -> Iterator[str]:
        """Fill the gaps; yields a sentence for each memory or relation that came from the backup."""
        self._into.execute("ATTACH ? AS backup", (str(self._backup.path),))
        self._into.execute("BEGIN IMMEDIATE")
        self._into.execute("CREATE TEMP TABLE taken (key INTEGER PRIMARY KEY)")
        self._into.execute(_SQL["take"])
        self._into.executemany(_SQL["take_same"], [(key,) for key in self._found.changed])
        yield from self._named()
        self._copy_taken()
        yield from self._relations()
        self._into.execute("COMMIT")
        self._into.execute("DROP TABLE temp.taken; DETACH backup")

    def _named(self) -> Iterator[str]:
        taken = "SELECT m.key, m.id FROM taken JOIN backup.memories m USING (key)"
        for key, id_ in list(self._into.execute(taken)):
            self._found.ids[key] = id_
            same = "what the damage changed is" if key in self._found.changed else "it is"
            yield f"{id_}: {same} as it was in the backup {self._backup.name}; a change after that is lost"
            self._found.changed.discard(key)
            self.filled += 1

    def _copy_taken(self) -> None:
        for name in ("embedding_models", "embeddings", "embedding_signs", "embedding_pieces"):
            self._copy(name, "true")
        self._into.execute("DELETE FROM memories WHERE key IN (SELECT key FROM taken)")
        self._copy("memories", "key IN (SELECT key FROM taken)")
        self._replace(OF_A_MEMORY, "taken")
        self._into.execute(_SQL["same_version"])
        self._replace(LINKS, "same")
        self._into.execute("DROP TABLE temp.same")
        self._copy("versions", _OLDER)
        for name in OF_A_MEMORY:
            if name not in {*LINKS, "versions"}:
                self._copy(name, "true")
        self._copy(
            "relations", "source_key IN (SELECT key FROM taken) OR target_key IN (SELECT key FROM taken)"
        )
        for entry in self._found.entries["relations_target"]:
            self._copy("relations", "target_key = ? AND source_key = ? AND type = ?", entry)
        for name in REFILLED:
            self._copy(name, "true")

    def _replace(self, names: tuple[str, ...], which: str) -> None:
        """The rows of these memories as the backup has them, instead of what was read."""
        for name in names:
            self._into.execute(f"DELETE FROM {name} WHERE memory_key IN (SELECT key FROM {which})")
            self._copy(name, f"memory_key IN (SELECT key FROM {which})")

    def _relations(self) -> Iterator[str]:
        """Relations of the backup, unless all that the damaged file had are known.

        One that was taken away since may be back.
        """
        rows = self._found.rows["relations"]
        known = {(target, source, type_) for source, target, type_ in rows}
        if known and known == self._found.entries["relations_target"]:
            return
        before = self._ends()
        self._copy("relations", _BOTH_THERE)
        for source, target, type_ in self._ends() - before:
            ends = "SELECT key, id FROM main.memories WHERE key IN (?, ?)"
            ids = dict(self._into.execute(ends, (source, target)))
            yield (
                f"{ids[source]}: {type_} {ids[target]} as the backup has it,"
                " in case it was not taken away since"
            )

    def _ends(self) -> set[Values]:
        return set(self._into.execute("SELECT source_key, target_key, type FROM main.relations"))

    def _copy(self, table: str, condition: str, values: Values = ()) -> None:
        names = ", ".join(column.name for column in self._found.tables[table].columns)
        self._into.execute(
            f"INSERT OR IGNORE INTO main.{table} ({names})"
            f" SELECT {names} FROM backup.{table} WHERE {condition}",
            values,
        )


_BOTH_THERE = """
source_key IN (SELECT key FROM main.memories) AND target_key IN (SELECT key FROM main.memories)
"""
_OLDER = "version < (SELECT version FROM main.memories m WHERE m.key = memory_key)"
