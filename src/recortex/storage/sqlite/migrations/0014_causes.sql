-- An order of the memories in which each cause stands before its effects: the place of a memory that is not
-- its key. It is derived, and made when the first causal relation is written; the row of key 0 says that it was.
CREATE TABLE causal_order (
  memory_key INTEGER PRIMARY KEY,
  place INTEGER NOT NULL
);

-- Relations that were taken away or changed, without their evidence: what was known at a time, and what a
-- person rejected.
CREATE TABLE former_relations (
  source_key INTEGER NOT NULL REFERENCES memories (key) ON DELETE CASCADE,
  target_key INTEGER NOT NULL REFERENCES memories (key) ON DELETE CASCADE,
  type TEXT NOT NULL,
  ended_at INTEGER NOT NULL,
  strength REAL NOT NULL,
  inferred INTEGER NOT NULL,
  bidirectional INTEGER NOT NULL,
  status TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  reason TEXT NOT NULL,
  PRIMARY KEY (source_key, target_key, type, ended_at)
) WITHOUT ROWID;
CREATE INDEX former_relations_target ON former_relations (target_key);
