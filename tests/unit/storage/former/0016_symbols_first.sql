-- The symbols of code that each memory hangs on, as they were when they were linked.
-- and the code, so they have no versions.
CREATE TABLE memory_symbols (
  memory_key INTEGER NOT NULL REFERENCES memories (key) ON DELETE CASCADE,
  role TEXT NOT NULL,
  path TEXT NOT NULL,
  name TEXT NOT NULL,
  arity INTEGER NOT NULL,
  plain TEXT NOT NULL,
  kind TEXT NOT NULL,
  hash TEXT NOT NULL,
  first_line INTEGER NOT NULL,
  last_line INTEGER NOT NULL,
  lines BLOB NOT NULL,
  commit_id TEXT NOT NULL,
  fact BLOB NOT NULL,
  PRIMARY KEY (memory_key, role, path, name, arity)
) WITHOUT ROWID;
CREATE INDEX memory_symbols_path ON memory_symbols (path, plain);
CREATE INDEX memory_symbols_plain ON memory_symbols (plain);

-- The state of each memory for which symbols were looked for.
CREATE TABLE symbol_checks (
  memory_key INTEGER PRIMARY KEY REFERENCES memories (key) ON DELETE CASCADE,
  updated_at INTEGER NOT NULL
);
