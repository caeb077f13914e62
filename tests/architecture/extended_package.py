"""A copy of the package in which a table and a field of a memory were added as a developer adds them."""

import os
import shutil
from pathlib import Path

import recortex
from recortex.storage.sqlite import migrations

PACKAGE = Path(recortex.__file__).parent
TABLE = """memory_notes key=memory_key,place owners=memory_key
  memory_key integer, place integer, note text said

audit key=seq refilled
"""
FOLLOWED = "tokens integer, version integer,"
FIELD = "tokens integer, version integer, reviewer text said added,"
SQLITE = """
CREATE TABLE memory_notes (
  memory_key INTEGER NOT NULL REFERENCES memories (key) ON DELETE CASCADE,
  place INTEGER NOT NULL,
  note TEXT NOT NULL,
  PRIMARY KEY (memory_key, place)
) WITHOUT ROWID;
ALTER TABLE memories ADD COLUMN reviewer TEXT NOT NULL DEFAULT '';
"""
POSTGRES = """
CREATE TABLE memory_notes (
  workspace bigint NOT NULL,
  memory_key bigint NOT NULL,
  place bigint NOT NULL,
  note text NOT NULL,
  PRIMARY KEY (workspace, memory_key, place),
  FOREIGN KEY (workspace, memory_key) REFERENCES memories (workspace, key) ON DELETE CASCADE
) /*by workspace*/;
ALTER TABLE memories ADD COLUMN reviewer text NOT NULL DEFAULT '';
"""
QUERIES = """-- name: put
INSERT INTO memory_notes (/*own column*/ {memory_notes: columns})
SELECT /*own value*/ m.key, ?2, ?3 FROM memories m WHERE /*own m*/ m.id = ?1

-- name: of
SELECT n.note FROM memory_notes n JOIN memories m ON /*own m*/ m.key = n.memory_key
WHERE /*own n*/ m.id = ? ORDER BY n.place
"""
RECORDS = '''"""Notes about memories."""


class NoteRecords:
    def __init__(self, database):
        self._database = database
        self._sql = database.queries("notes")

    def put(self, memory_id, place, note):
        with self._database.transaction():
            self._database.rows(self._sql["put"], (memory_id, place, note))

    def of(self, memory_id):
        return [row[0] for row in self._database.rows(self._sql["of"], (memory_id,))]
'''
ADDED = {
    "storage/sqlite/migrations/{next:04}_notes.sql": SQLITE,
    "storage/postgres/migrations/{next:04}_notes.sql": POSTGRES,
    "storage/sql/notes.sql": QUERIES,
    "storage/records/notes.py": RECORDS,
}
CHANGED = {
    "storage/tables.txt": [("audit key=seq refilled\n", TABLE), (FOLLOWED, FIELD)],
    "domain/memory.py": [("    version: int = 1\n", '    version: int = 1\n    reviewer: str = ""\n')],
}
"""Everything that has to be touched. Only a digest of the new schema is left out, which saves time when a
store is opened."""


def extended(folder):
    """Write the copy; returns the folder to import it from."""
    shutil.copytree(
        PACKAGE, folder / "recortex", copy_function=os.link, ignore=shutil.ignore_patterns("__pycache__")
    )
    for name, text in ADDED.items():
        (folder / "recortex" / name.format(next=migrations.newest() + 1)).write_text(text)
    for name, changes in CHANGED.items():
        path = folder / "recortex" / name
        text = path.read_text()
        for old, new in changes:
            assert text.count(old) == 1, (name, old)
            text = text.replace(old, new)
        path.unlink()  # a link to the real one
        path.write_text(text)
    return folder
