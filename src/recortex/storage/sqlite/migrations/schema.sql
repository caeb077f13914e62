-- The schema after migration 24, written by scripts/build_docs.py; change it by a migration.
CREATE TABLE schema_migrations (
  version INTEGER PRIMARY KEY, name TEXT NOT NULL, applied_at INTEGER NOT NULL, program TEXT NOT NULL
);
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
, seal BLOB, checked_at INTEGER, standing REAL, standing_since INTEGER, verdict TEXT);
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
, signature TEXT NOT NULL DEFAULT '');
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
CREATE TABLE versions (
  memory_key INTEGER NOT NULL REFERENCES memories (key) ON DELETE CASCADE,
  version INTEGER NOT NULL,
  recorded_from INTEGER NOT NULL,
  recorded_to INTEGER NOT NULL,
  state TEXT NOT NULL,
  changed_by TEXT NOT NULL,
  reason TEXT NOT NULL,
  embedding_key INTEGER, seal BLOB,
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
  created_at INTEGER NOT NULL, seal BLOB,
  PRIMARY KEY (source_key, target_key, type)
) WITHOUT ROWID;
CREATE INDEX relations_target ON relations (target_key);
CREATE TABLE evidence (
  memory_key INTEGER NOT NULL REFERENCES memories (key) ON DELETE CASCADE,
  place BLOB NOT NULL,
  PRIMARY KEY (memory_key, place)
) WITHOUT ROWID;
CREATE TABLE audit (
  seq INTEGER PRIMARY KEY,
  memory_key INTEGER NOT NULL,
  operation TEXT NOT NULL,
  actor TEXT NOT NULL,
  at INTEGER NOT NULL,
  details TEXT                     -- null: nothing to add
);
CREATE INDEX audit_memory ON audit (memory_key);
CREATE TABLE tombstones (
  memory_key INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  purged_at INTEGER NOT NULL
, reason TEXT NOT NULL DEFAULT 'purge');
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
CREATE VIRTUAL TABLE memories_fts USING fts5 (
  text, terms, context,
  content = 'memories', content_rowid = 'key', tokenize = 'porter unicode61 remove_diacritics 2'
);
CREATE TRIGGER memories_fts_insert AFTER INSERT ON memories BEGIN
  INSERT INTO memories_fts (rowid, text, terms, context) VALUES (new.key, new.text, new.terms, new.context);
END;
CREATE TRIGGER memories_fts_delete AFTER DELETE ON memories BEGIN
  INSERT INTO memories_fts (memories_fts, rowid, text, terms, context)
  VALUES ('delete', old.key, old.text, old.terms, old.context);
END;
CREATE TRIGGER memories_fts_update AFTER UPDATE OF text, terms, context ON memories BEGIN
  INSERT INTO memories_fts (memories_fts, rowid, text, terms, context)
  VALUES ('delete', old.key, old.text, old.terms, old.context);
  INSERT INTO memories_fts (rowid, text, terms, context) VALUES (new.key, new.text, new.terms, new.context);
END;
CREATE INDEX memories_speaker ON memories (speaker COLLATE NOCASE) WHERE speaker <> '';
CREATE TABLE embedding_models (
  key INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  dimensions INTEGER NOT NULL
);
CREATE TABLE embeddings (
  key INTEGER PRIMARY KEY,
  hash BLOB NOT NULL UNIQUE,
  model INTEGER NOT NULL REFERENCES embedding_models (key),
  vector BLOB NOT NULL             -- int8 codes
);
CREATE INDEX embeddings_model ON embeddings (model);
CREATE TABLE embedding_signs (
  key INTEGER PRIMARY KEY REFERENCES embeddings (key) ON DELETE CASCADE,
  model INTEGER NOT NULL,
  signs BLOB NOT NULL
);
CREATE TABLE sessions (
  id TEXT PRIMARY KEY,
  client TEXT NOT NULL,
  cwd TEXT NOT NULL,
  branch TEXT NOT NULL,
  transcript TEXT NOT NULL,        -- empty: the client named none
  process INTEGER NOT NULL,        -- of the client; 0: unknown
  parent TEXT NOT NULL,            -- the session that a sub-agent works for
  started_at INTEGER NOT NULL,
  seen_at INTEGER NOT NULL,
  ended_at INTEGER,
  end_reason TEXT NOT NULL,
  context INTEGER NOT NULL,        -- counts compactions: what was given before one is gone from the agent's context
  captured_at INTEGER,             -- when it was last learned from
  captured_size INTEGER NOT NULL,  -- bytes of the transcript then
  told TEXT NOT NULL               -- hash of the last message that was taken from the client's word before the file had it
) WITHOUT ROWID;
CREATE INDEX sessions_seen ON sessions (seen_at);
CREATE INDEX sessions_open ON sessions (seen_at) WHERE ended_at IS NULL;
CREATE TABLE receipts (
  session TEXT NOT NULL,
  context INTEGER NOT NULL,
  memory TEXT NOT NULL,
  scope TEXT NOT NULL,
  channel TEXT NOT NULL,           -- surface, prompt, file
  subject TEXT NOT NULL,           -- the file that was touched; empty for the other channels
  at INTEGER NOT NULL,
  score REAL NOT NULL,
  tokens INTEGER NOT NULL,
  used_at INTEGER,
  used_as TEXT NOT NULL,           -- quoted, file, command; empty: not used
  PRIMARY KEY (session, context, memory)
) WITHOUT ROWID;
CREATE INDEX receipts_at ON receipts (at);
CREATE TABLE signals (
  seq INTEGER PRIMARY KEY,
  session TEXT NOT NULL,
  at INTEGER NOT NULL,
  name TEXT NOT NULL,              -- read, written, failed, mended
  subject TEXT NOT NULL,           -- a file, or the beginning of a command without its secrets
  digest TEXT NOT NULL             -- of the whole command
);
CREATE INDEX signals_session ON signals (session, seq);
CREATE TABLE model_calls (
  seq INTEGER PRIMARY KEY,
  at INTEGER NOT NULL,
  provider TEXT NOT NULL,
  model TEXT NOT NULL,
  purpose TEXT NOT NULL,           -- extract, edges
  session TEXT NOT NULL,
  input_tokens INTEGER NOT NULL,
  output_tokens INTEGER NOT NULL,
  micro_usd INTEGER NOT NULL,      -- millionths of a US dollar
  milliseconds INTEGER NOT NULL,
  outcome TEXT NOT NULL            -- pending, ok, refused, failed, unusable
);
CREATE INDEX model_calls_at ON model_calls (at);
CREATE TABLE audit_summaries (
  month TEXT NOT NULL,             -- 2026-03, in UTC
  operation TEXT NOT NULL,
  actor TEXT NOT NULL,
  entries INTEGER NOT NULL,
  first_at INTEGER NOT NULL,
  last_at INTEGER NOT NULL,
  PRIMARY KEY (month, operation, actor)
) WITHOUT ROWID;
CREATE INDEX audit_at ON audit (at);
CREATE TABLE chores (
  name TEXT PRIMARY KEY,
  done_at INTEGER NOT NULL,
  outcome TEXT NOT NULL            -- JSON of counts
) WITHOUT ROWID;
CREATE TABLE growth (
  at INTEGER PRIMARY KEY,
  memories INTEGER NOT NULL,
  bytes INTEGER NOT NULL
);
CREATE TABLE reembeddings (
  model TEXT PRIMARY KEY,
  started_at INTEGER NOT NULL,
  finished_at INTEGER,             -- null: not all memories have a vector of it yet
  done INTEGER NOT NULL,           -- memories given a vector of it so far
  milliseconds INTEGER NOT NULL    -- that took, pauses included: what the time left is reckoned from
) WITHOUT ROWID;
CREATE TABLE vector_indexes (
  name TEXT PRIMARY KEY,           -- of the file
  model INTEGER NOT NULL,
  last_key INTEGER NOT NULL,       -- of the newest vector in it; later ones are looked at one by one
  vectors INTEGER NOT NULL,
  bytes INTEGER NOT NULL,
  checksum BLOB                    -- of the file; null: it is being made
) WITHOUT ROWID;
CREATE TRIGGER embeddings_newest_gone AFTER DELETE ON embeddings
WHEN old.key > (SELECT coalesce(max(key), 0) FROM embeddings) BEGIN
  DELETE FROM vector_indexes WHERE last_key > (SELECT coalesce(max(key), 0) FROM embeddings);
END;
CREATE TABLE exchanges (
  key INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  session TEXT NOT NULL,
  client TEXT NOT NULL,
  opener TEXT NOT NULL,
  part INTEGER NOT NULL,
  root_turn INTEGER NOT NULL,
  first_turn INTEGER NOT NULL,
  last_turn INTEGER NOT NULL,
  started_at INTEGER,
  ended_at INTEGER,
  asked TEXT NOT NULL,
  message TEXT NOT NULL,
  opening TEXT NOT NULL,
  conclusion TEXT NOT NULL,
  files TEXT NOT NULL,
  failed TEXT NOT NULL,
  passed TEXT NOT NULL,
  commit_id TEXT NOT NULL,
  ending TEXT NOT NULL,
  branch TEXT NOT NULL,
  folder TEXT NOT NULL,
  terms TEXT NOT NULL,             -- more words to find it by
  recorded_at INTEGER NOT NULL,
  answered_key INTEGER,            -- of the message with what it answers
  outcome_key INTEGER,             -- of what came of it
  seal BLOB
);
CREATE INDEX exchanges_session ON exchanges (session, first_turn, part);
CREATE INDEX exchanges_ended ON exchanges (ended_at);
CREATE INDEX exchanges_answered ON exchanges (answered_key) WHERE answered_key IS NOT NULL;
CREATE INDEX exchanges_outcome ON exchanges (outcome_key) WHERE outcome_key IS NOT NULL;
CREATE VIRTUAL TABLE exchanges_fts USING fts5 (
  message, asked, opening, conclusion, terms,
  content = 'exchanges', content_rowid = 'key', tokenize = 'porter unicode61 remove_diacritics 2'
);
CREATE TRIGGER exchanges_fts_insert AFTER INSERT ON exchanges BEGIN
  INSERT INTO exchanges_fts (rowid, message, asked, opening, conclusion, terms)
  VALUES (new.key, new.message, new.asked, new.opening, new.conclusion, new.terms);
END;
CREATE TRIGGER exchanges_fts_delete AFTER DELETE ON exchanges BEGIN
  INSERT INTO exchanges_fts (exchanges_fts, rowid, message, asked, opening, conclusion, terms)
  VALUES ('delete', old.key, old.message, old.asked, old.opening, old.conclusion, old.terms);
END;
CREATE TRIGGER exchanges_fts_update AFTER UPDATE OF message, asked, opening, conclusion, terms ON exchanges BEGIN
  INSERT INTO exchanges_fts (exchanges_fts, rowid, message, asked, opening, conclusion, terms)
  VALUES ('delete', old.key, old.message, old.asked, old.opening, old.conclusion, old.terms);
  INSERT INTO exchanges_fts (rowid, message, asked, opening, conclusion, terms)
  VALUES (new.key, new.message, new.asked, new.opening, new.conclusion, new.terms);
END;
CREATE INDEX exchanges_unembedded ON exchanges (key) WHERE answered_key IS NULL AND outcome_key IS NULL;
CREATE TABLE documents (
  key INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  path TEXT NOT NULL UNIQUE,
  form TEXT NOT NULL,
  title TEXT NOT NULL,
  domain TEXT NOT NULL,
  set_domain INTEGER NOT NULL,
  metadata TEXT,
  size INTEGER NOT NULL,
  hash TEXT NOT NULL,
  rules TEXT NOT NULL,             -- by which secrets were taken out
  source TEXT NOT NULL,
  chunks INTEGER NOT NULL,
  tokens INTEGER NOT NULL,
  modified_at INTEGER NOT NULL,
  ingested_at INTEGER NOT NULL,
  seal BLOB
);
CREATE INDEX documents_hash ON documents (hash);
CREATE TABLE chunks (
  key INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  path TEXT NOT NULL,              -- the document's
  place INTEGER NOT NULL,
  headings TEXT NOT NULL,
  text TEXT NOT NULL,
  first_line INTEGER NOT NULL,
  last_line INTEGER NOT NULL,
  tokens INTEGER NOT NULL,
  hash TEXT NOT NULL,
  domain TEXT NOT NULL,
  written_at INTEGER NOT NULL,
  terms TEXT NOT NULL,             -- more words to find it by
  last_accessed_at INTEGER,
  access_count INTEGER NOT NULL,
  embedding_key INTEGER,
  seal BLOB
);
CREATE INDEX chunks_path ON chunks (path, place);
CREATE INDEX chunks_hash ON chunks (hash);
CREATE INDEX chunks_embedding ON chunks (embedding_key) WHERE embedding_key IS NOT NULL;
CREATE INDEX chunks_unembedded ON chunks (key) WHERE embedding_key IS NULL;
CREATE VIRTUAL TABLE chunks_fts USING fts5 (
  text, headings, terms,
  content = 'chunks', content_rowid = 'key', tokenize = 'porter unicode61 remove_diacritics 2'
);
CREATE TRIGGER chunks_fts_insert AFTER INSERT ON chunks BEGIN
  INSERT INTO chunks_fts (rowid, text, headings, terms) VALUES (new.key, new.text, new.headings, new.terms);
END;
CREATE TRIGGER chunks_fts_delete AFTER DELETE ON chunks BEGIN
  INSERT INTO chunks_fts (chunks_fts, rowid, text, headings, terms)
  VALUES ('delete', old.key, old.text, old.headings, old.terms);
END;
CREATE TRIGGER chunks_fts_update AFTER UPDATE OF text, headings, terms ON chunks BEGIN
  INSERT INTO chunks_fts (chunks_fts, rowid, text, headings, terms)
  VALUES ('delete', old.key, old.text, old.headings, old.terms);
  INSERT INTO chunks_fts (rowid, text, headings, terms) VALUES (new.key, new.text, new.headings, new.terms);
END;
CREATE TABLE vector_changes (
  number INTEGER NOT NULL
);
CREATE TRIGGER embeddings_gone AFTER DELETE ON embeddings WHEN old.key > 0 BEGIN
  UPDATE vector_changes SET number = number + 1;
END;
CREATE TRIGGER embeddings_changed AFTER UPDATE OF key, model, vector ON embeddings
WHEN old.key > 0 OR new.key > 0 BEGIN
  UPDATE vector_changes SET number = number + 1;
END;
CREATE INDEX memories_rules ON memories (priority)
WHERE kind IN ('constraint_override', 'core', 'feedback', 'preference');
CREATE INDEX memories_ended ON memories (valid_until) WHERE status = 'active' AND valid_until IS NOT NULL;
CREATE INDEX memories_later ON memories (valid_from) WHERE status = 'active' AND valid_from > recorded_at;
CREATE TABLE embedding_pieces (
  key INTEGER PRIMARY KEY REFERENCES embeddings (key) ON DELETE CASCADE,
  pieces BLOB NOT NULL
);
CREATE TABLE causal_order (
  memory_key INTEGER PRIMARY KEY,
  place INTEGER NOT NULL
);
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
CREATE INDEX exchanges_commit ON exchanges (commit_id) WHERE commit_id <> '';
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
  copies INTEGER NOT NULL,
  PRIMARY KEY (memory_key, role, path, name, arity)
) WITHOUT ROWID;
CREATE INDEX memory_symbols_path ON memory_symbols (path, plain);
CREATE INDEX memory_symbols_plain ON memory_symbols (plain);
CREATE TABLE symbol_checks (
  memory_key INTEGER PRIMARY KEY REFERENCES memories (key) ON DELETE CASCADE,
  updated_at INTEGER NOT NULL,
  said TEXT NOT NULL
);
CREATE TABLE pair_verdicts (
  known_key INTEGER NOT NULL REFERENCES memories (key) ON DELETE CASCADE,
  new_key INTEGER NOT NULL REFERENCES memories (key) ON DELETE CASCADE,
  reader TEXT NOT NULL,
  known_version INTEGER NOT NULL,
  new_version INTEGER NOT NULL,
  outcome TEXT NOT NULL,
  chance REAL NOT NULL,
  PRIMARY KEY (known_key, new_key)
) WITHOUT ROWID;
CREATE INDEX pair_verdicts_new ON pair_verdicts (new_key);
CREATE TABLE relation_degrees (
  degree INTEGER PRIMARY KEY,
  memories INTEGER NOT NULL
);
CREATE INDEX memories_written ON memories (recorded_at)
WHERE origin = 'repository' OR (origin = 'user' AND replace(source, '"instruction_file"', '') <> source);
CREATE INDEX memories_told ON memories (kind, priority, recorded_at DESC)
WHERE status = 'active' AND (trust = 'trusted' OR pinned <> 0 OR validated_at IS NOT NULL
  OR source IS NULL OR source = replace(source, '"rule"', '')
  OR replace(source, '"command_habit"', '') <> source);
CREATE INDEX relations_waiting ON relations (type) WHERE status = 'suggested';
CREATE TABLE metrics (
  day INTEGER NOT NULL,
  name TEXT NOT NULL,
  label TEXT NOT NULL,
  bucket INTEGER NOT NULL,
  times INTEGER NOT NULL,
  total REAL NOT NULL,
  PRIMARY KEY (day, name, label, bucket)
) WITHOUT ROWID;
CREATE TABLE questions (
  at INTEGER NOT NULL,
  digest TEXT NOT NULL,
  operation TEXT NOT NULL,
  intent TEXT NOT NULL,
  recipe TEXT NOT NULL,
  length INTEGER NOT NULL,
  milliseconds INTEGER NOT NULL,
  results INTEGER NOT NULL,
  tokens INTEGER NOT NULL,
  PRIMARY KEY (at, digest)
) WITHOUT ROWID;
CREATE TABLE degradation_times (
  component TEXT NOT NULL,
  at INTEGER NOT NULL,
  PRIMARY KEY (component, at)
) WITHOUT ROWID;
CREATE TABLE sync_log (
  replica TEXT NOT NULL,
  counter INTEGER NOT NULL,
  id TEXT NOT NULL,
  record TEXT NOT NULL,
  parents TEXT NOT NULL,
  clock INTEGER NOT NULL,
  operation TEXT NOT NULL,
  author TEXT NOT NULL,
  body TEXT,
  signature TEXT NOT NULL,
  PRIMARY KEY (replica, counter)
);
CREATE INDEX sync_log_record ON sync_log (record);
CREATE TABLE sync_heads (
  record TEXT NOT NULL,
  head TEXT NOT NULL,
  shown INTEGER NOT NULL,
  leaves INTEGER NOT NULL,
  PRIMARY KEY (record)
) WITHOUT ROWID;
CREATE TABLE sync_replicas (
  replica TEXT NOT NULL,
  author TEXT NOT NULL,
  card TEXT NOT NULL,
  trusted INTEGER NOT NULL,
  applied TEXT,
  PRIMARY KEY (replica)
) WITHOUT ROWID;
CREATE TABLE sync_state (
  peer TEXT NOT NULL,
  team TEXT NOT NULL,
  replica TEXT NOT NULL,
  author TEXT NOT NULL,
  vector TEXT NOT NULL,
  set_hash TEXT NOT NULL,
  way TEXT NOT NULL,
  synced_at INTEGER,
  error TEXT NOT NULL,
  failures INTEGER NOT NULL,
  next_at INTEGER NOT NULL,
  PRIMARY KEY (peer)
) WITHOUT ROWID;
CREATE TABLE conflict_log (
  record TEXT NOT NULL,
  one TEXT NOT NULL,
  other TEXT NOT NULL,
  head TEXT NOT NULL,
  strategy TEXT NOT NULL,
  found_at INTEGER NOT NULL,
  settled_at INTEGER,
  settled_by TEXT NOT NULL,
  PRIMARY KEY (record, one, other)
) WITHOUT ROWID;
CREATE INDEX sync_heads_open ON sync_heads (record) WHERE leaves > 1 OR leaves < -1;
CREATE INDEX sync_heads_waiting ON sync_heads (record) WHERE leaves < 0 OR (shown = 0 AND leaves > 0);
CREATE INDEX sync_log_purges ON sync_log (record) WHERE operation = 'purge';
CREATE INDEX tombstones_purged ON tombstones (purged_at) WHERE reason = 'purge';
CREATE TABLE sync_changed (
  memory_key INTEGER PRIMARY KEY,
  times INTEGER NOT NULL
);
INSERT INTO memories_fts (memories_fts, rank) VALUES ('secure-delete', 1);
INSERT INTO exchanges_fts (exchanges_fts, rank) VALUES ('secure-delete', 1);
INSERT INTO chunks_fts (chunks_fts, rank) VALUES ('secure-delete', 1);
INSERT INTO vector_changes VALUES (0);
