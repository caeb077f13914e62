-- Memories, what they link to, how they relate, what became of them. Columns mean what they mean in SQLite's 0001.
-- Every key and index begins with the workspace, so that the tables can be partitioned or distributed by it.

CREATE TABLE workspaces (
  workspace bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name text NOT NULL UNIQUE,
  created_at bigint NOT NULL
);

CREATE TABLE memories (
  workspace bigint NOT NULL,
  key bigint NOT NULL,             -- counted for each workspace; never given twice
  id text COLLATE "C" NOT NULL,
  kind text NOT NULL,
  status text NOT NULL,
  scope text NOT NULL,
  text text NOT NULL,
  summary text,
  content text,
  confidence double precision NOT NULL CHECK (confidence BETWEEN 0 AND 1),
  priority integer NOT NULL CHECK (priority BETWEEN 1 AND 10),
  pinned integer NOT NULL,
  tags text NOT NULL,
  domain text NOT NULL,
  session text COLLATE "C" NOT NULL,
  turn bigint,
  speaker text NOT NULL,
  source text,
  origin text NOT NULL,
  trust text NOT NULL,
  evidence bigint NOT NULL,
  recorded_at bigint NOT NULL,
  updated_at bigint NOT NULL,
  valid_from bigint NOT NULL,
  valid_until bigint,
  validated_at bigint,
  last_accessed_at bigint,
  access_count bigint NOT NULL,
  supersedes text,
  superseded_by text,
  metadata text,
  content_hash bytea NOT NULL,
  tokens bigint NOT NULL,
  version bigint NOT NULL,
  changed_by text NOT NULL,
  reason text NOT NULL,
  terms text NOT NULL,
  context text NOT NULL,
  traits bigint NOT NULL,
  embedding_key bigint,
  PRIMARY KEY (workspace, key),
  UNIQUE (workspace, id)
) /*by workspace*/;

CREATE INDEX memories_hash ON memories (workspace, content_hash);
CREATE INDEX memories_recorded ON memories (workspace, recorded_at);
CREATE INDEX memories_session ON memories (workspace, session, turn) WHERE session <> '';
CREATE INDEX memories_embedding ON memories (workspace, embedding_key) WHERE embedding_key IS NOT NULL;
CREATE INDEX memories_unembedded ON memories (workspace, key) WHERE embedding_key IS NULL;
CREATE INDEX memories_inactive ON memories (workspace, status) WHERE status <> 'active';

CREATE TABLE memory_files (
  workspace bigint NOT NULL,
  memory_key bigint NOT NULL,
  place bigint NOT NULL,           -- SQLite's rowid: the order in which they were written
  path text COLLATE "C" NOT NULL,
  line_start bigint,
  line_end bigint,
  content_hash text NOT NULL,
  commit_id text NOT NULL,
  PRIMARY KEY (workspace, place),
  FOREIGN KEY (workspace, memory_key) REFERENCES memories (workspace, key) ON DELETE CASCADE
) /*by workspace*/;
CREATE INDEX memory_files_memory ON memory_files (workspace, memory_key);
CREATE INDEX memory_files_path ON memory_files (workspace, path);

CREATE TABLE memory_functions (
  workspace bigint NOT NULL,
  memory_key bigint NOT NULL,
  place bigint NOT NULL,
  name text NOT NULL,
  file text NOT NULL,
  signature text NOT NULL,
  PRIMARY KEY (workspace, place),
  FOREIGN KEY (workspace, memory_key) REFERENCES memories (workspace, key) ON DELETE CASCADE
) /*by workspace*/;
CREATE INDEX memory_functions_memory ON memory_functions (workspace, memory_key);
CREATE INDEX memory_functions_name ON memory_functions (workspace, name);

CREATE TABLE memory_patterns (
  workspace bigint NOT NULL,
  memory_key bigint NOT NULL,
  pattern_id text COLLATE "C" NOT NULL,
  name text NOT NULL,
  PRIMARY KEY (workspace, memory_key, pattern_id),
  FOREIGN KEY (workspace, memory_key) REFERENCES memories (workspace, key) ON DELETE CASCADE
) /*by workspace*/;
CREATE INDEX memory_patterns_pattern ON memory_patterns (workspace, pattern_id);

CREATE TABLE memory_constraints (
  workspace bigint NOT NULL,
  memory_key bigint NOT NULL,
  constraint_id text COLLATE "C" NOT NULL,
  name text NOT NULL,
  PRIMARY KEY (workspace, memory_key, constraint_id),
  FOREIGN KEY (workspace, memory_key) REFERENCES memories (workspace, key) ON DELETE CASCADE
) /*by workspace*/;
CREATE INDEX memory_constraints_constraint ON memory_constraints (workspace, constraint_id);

CREATE TABLE versions (
  workspace bigint NOT NULL,
  memory_key bigint NOT NULL,
  version bigint NOT NULL,
  recorded_from bigint NOT NULL,
  recorded_to bigint NOT NULL,
  state text NOT NULL,
  changed_by text NOT NULL,
  reason text NOT NULL,
  embedding_key bigint,
  PRIMARY KEY (workspace, memory_key, version),
  FOREIGN KEY (workspace, memory_key) REFERENCES memories (workspace, key) ON DELETE CASCADE
) /*by workspace*/;
CREATE INDEX versions_interval ON versions (workspace, recorded_to, recorded_from);

CREATE TABLE relations (
  workspace bigint NOT NULL,
  source_key bigint NOT NULL,
  target_key bigint NOT NULL,
  type text COLLATE "C" NOT NULL,
  strength double precision NOT NULL CHECK (strength BETWEEN 0 AND 1),
  evidence text NOT NULL,
  inferred integer NOT NULL,
  bidirectional integer NOT NULL,
  status text NOT NULL,
  created_at bigint NOT NULL,
  PRIMARY KEY (workspace, source_key, target_key, type),
  FOREIGN KEY (workspace, source_key) REFERENCES memories (workspace, key) ON DELETE CASCADE,
  FOREIGN KEY (workspace, target_key) REFERENCES memories (workspace, key) ON DELETE CASCADE
) /*by workspace*/;
CREATE INDEX relations_target ON relations (workspace, target_key);

CREATE TABLE evidence (
  workspace bigint NOT NULL,
  memory_key bigint NOT NULL,
  place bytea NOT NULL,
  PRIMARY KEY (workspace, memory_key, place),
  FOREIGN KEY (workspace, memory_key) REFERENCES memories (workspace, key) ON DELETE CASCADE
) /*by workspace*/;

CREATE TABLE audit (
  workspace bigint NOT NULL,
  seq bigint NOT NULL,
  memory_key bigint NOT NULL,
  operation text NOT NULL,
  actor text NOT NULL,
  at bigint NOT NULL,
  details text,
  PRIMARY KEY (workspace, seq)
) /*by workspace*/;
CREATE INDEX audit_memory ON audit (workspace, memory_key);

CREATE TABLE tombstones (
  workspace bigint NOT NULL,
  memory_key bigint NOT NULL,
  id text COLLATE "C" NOT NULL,
  purged_at bigint NOT NULL,
  PRIMARY KEY (workspace, memory_key),
  UNIQUE (workspace, id)
) /*by workspace*/;

CREATE TABLE checkpoints (
  workspace bigint NOT NULL,
  path text COLLATE "C" NOT NULL,
  session_id text COLLATE "C" NOT NULL,
  client text NOT NULL,
  position bigint NOT NULL,
  turns bigint NOT NULL,
  extracted_at bigint NOT NULL,
  PRIMARY KEY (workspace, path)
) /*by workspace*/;
CREATE INDEX checkpoints_session ON checkpoints (workspace, session_id);

CREATE TABLE degradations (
  workspace bigint NOT NULL,
  component text COLLATE "C" NOT NULL,
  failure text COLLATE "C" NOT NULL,
  fallback text COLLATE "C" NOT NULL,
  recovered integer NOT NULL,
  first_at bigint NOT NULL,
  last_at bigint NOT NULL,
  times bigint NOT NULL,
  PRIMARY KEY (workspace, component, failure, fallback)
) /*by workspace*/;
