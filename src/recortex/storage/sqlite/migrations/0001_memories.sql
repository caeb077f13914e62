-- Memories, what they link to, how they relate, what became of them.
-- Instants are whole microseconds since 1970 UTC. Lists and objects are JSON.

CREATE TABLE memories (
  key INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  kind TEXT NOT NULL,
  status TEXT NOT NULL,
  scope TEXT NOT NULL,
  text TEXT NOT NULL,
  summary TEXT,                    -- null: the same as the text
  content TEXT,                    -- null: the text alone fills the kind's main field
  confidence REAL NOT NULL CHECK (confidence BETWEEN 0 AND 1),
  priority INTEGER NOT NULL CHECK (priority BETWEEN 1 AND 10),
  pinned INTEGER NOT NULL,
  tags TEXT NOT NULL,
  domain TEXT NOT NULL,
  session TEXT NOT NULL,
  turn INTEGER,
  speaker TEXT NOT NULL,
  source TEXT,                     -- the rest of the source; null: nothing more is known
  origin TEXT NOT NULL,
  trust TEXT NOT NULL,
  evidence INTEGER NOT NULL,
  recorded_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  valid_from INTEGER NOT NULL,
  valid_until INTEGER,
  validated_at INTEGER,
  last_accessed_at INTEGER,
  access_count INTEGER NOT NULL,
  supersedes TEXT,
  superseded_by TEXT,
  metadata TEXT,
  content_hash BLOB NOT NULL,
  tokens INTEGER NOT NULL,
  version INTEGER NOT NULL,
  changed_by TEXT NOT NULL,
  reason TEXT NOT NULL,
  terms TEXT NOT NULL,             -- more words to find it by: parts of identifiers and paths, CJK pairs
  context TEXT NOT NULL,           -- words of its neighbours in a dialogue
  traits INTEGER NOT NULL,         -- what kind of text it is, as bits (engines.indexing.traits)
  embedding_key INTEGER            -- null: none yet, or of a kind that has none
);

CREATE INDEX memories_hash ON memories (content_hash);
CREATE INDEX memories_recorded ON memories (recorded_at);
CREATE INDEX memories_session ON memories (session, turn) WHERE session <> '';
CREATE INDEX memories_embedding ON memories (embedding_key) WHERE embedding_key IS NOT NULL;
CREATE INDEX memories_unembedded ON memories (key) WHERE embedding_key IS NULL;
CREATE INDEX memories_inactive ON memories (status) WHERE status <> 'active';

CREATE TABLE memory_files (
  memory_key INTEGER NOT NULL REFERENCES memories (key) ON DELETE CASCADE,
  path TEXT NOT NULL,
  line_start INTEGER,
  line_end INTEGER,
  content_hash TEXT NOT NULL,
  commit_id TEXT NOT NULL
);
CREATE INDEX memory_files_memory ON memory_files (memory_key);
CREATE INDEX memory_files_path ON memory_files (path);

CREATE TABLE memory_functions (
  memory_key INTEGER NOT NULL REFERENCES memories (key) ON DELETE CASCADE,
  name TEXT NOT NULL,
  file TEXT NOT NULL,
  signature TEXT NOT NULL
);
CREATE INDEX memory_functions_memory ON memory_functions (memory_key);
CREATE INDEX memory_functions_name ON memory_functions (name);

CREATE TABLE memory_patterns (
  memory_key INTEGER NOT NULL REFERENCES memories (key) ON DELETE CASCADE,
  pattern_id TEXT NOT NULL,
  name TEXT NOT NULL,
  PRIMARY KEY (memory_key, pattern_id)
) WITHOUT ROWID;
CREATE INDEX memory_patterns_pattern ON memory_patterns (pattern_id);

CREATE TABLE memory_constraints (
  memory_key INTEGER NOT NULL REFERENCES memories (key) ON DELETE CASCADE,
  constraint_id TEXT NOT NULL,
  name TEXT NOT NULL,
  PRIMARY KEY (memory_key, constraint_id)
) WITHOUT ROWID;
CREATE INDEX memory_constraints_constraint ON memory_constraints (constraint_id);

-- A former state of a memory, and the recording interval [recorded_from, recorded_to) in which it held.
CREATE TABLE versions (
  memory_key INTEGER NOT NULL REFERENCES memories (key) ON DELETE CASCADE,
  version INTEGER NOT NULL,
  recorded_from INTEGER NOT NULL,
  recorded_to INTEGER NOT NULL,
  state TEXT NOT NULL,
  changed_by TEXT NOT NULL,
  reason TEXT NOT NULL,
  embedding_key INTEGER,
  PRIMARY KEY (memory_key, version)
) WITHOUT ROWID;
CREATE INDEX versions_interval ON versions (recorded_to, recorded_from);

CREATE TABLE relations (
  source_key INTEGER NOT NULL REFERENCES memories (key) ON DELETE CASCADE,
  target_key INTEGER NOT NULL REFERENCES memories (key) ON DELETE CASCADE,
  type TEXT NOT NULL,
  strength REAL NOT NULL CHECK (strength BETWEEN 0 AND 1),
  evidence TEXT NOT NULL,
  inferred INTEGER NOT NULL,
  bidirectional INTEGER NOT NULL,
  status TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (source_key, target_key, type)
) WITHOUT ROWID;
CREATE INDEX relations_target ON relations (target_key);

-- Each place where a memory was learned, once: repeated evidence is counted, the same evidence read twice is not.
CREATE TABLE evidence (
  memory_key INTEGER NOT NULL REFERENCES memories (key) ON DELETE CASCADE,
  place BLOB NOT NULL,
  PRIMARY KEY (memory_key, place)
) WITHOUT ROWID;

-- Append-only. Details never hold a memory's text.
CREATE TABLE audit (
  seq INTEGER PRIMARY KEY,
  memory_key INTEGER NOT NULL,
  operation TEXT NOT NULL,
  actor TEXT NOT NULL,
  at INTEGER NOT NULL,
  details TEXT                     -- null: nothing to add
);
CREATE INDEX audit_memory ON audit (memory_key);

-- What stays of a purged memory: that it was there.
CREATE TABLE tombstones (
  memory_key INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  purged_at INTEGER NOT NULL
);

-- How far each transcript has been read.
CREATE TABLE checkpoints (
  path TEXT PRIMARY KEY,
  session_id TEXT NOT NULL,
  client TEXT NOT NULL,
  position INTEGER NOT NULL,
  turns INTEGER NOT NULL,
  extracted_at INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX checkpoints_session ON checkpoints (session_id);

CREATE TABLE degradations (
  component TEXT NOT NULL,
  failure TEXT NOT NULL,
  fallback TEXT NOT NULL,
  recovered INTEGER NOT NULL,
  first_at INTEGER NOT NULL,
  last_at INTEGER NOT NULL,
  times INTEGER NOT NULL,
  PRIMARY KEY (component, failure, fallback)
) WITHOUT ROWID;
