-- The symbols of code that each memory hangs on, as they were when they were linked: they follow from its text
-- and the code, so they have no versions.
CREATE TABLE memory_symbols (
  workspace bigint NOT NULL,
  memory_key bigint NOT NULL,
  role text COLLATE "C" NOT NULL,
  path text COLLATE "C" NOT NULL,
  name text COLLATE "C" NOT NULL,
  arity bigint NOT NULL,
  plain text COLLATE "C" NOT NULL,
  kind text NOT NULL,
  hash text NOT NULL,
  first_line bigint NOT NULL,
  last_line bigint NOT NULL,
  lines bytea NOT NULL,
  commit_id text NOT NULL,
  fact bytea NOT NULL,
  copies bigint NOT NULL,
  PRIMARY KEY (workspace, memory_key, role, path, name, arity),
  FOREIGN KEY (workspace, memory_key) REFERENCES memories (workspace, key) ON DELETE CASCADE
) /*by workspace*/;
CREATE INDEX memory_symbols_path ON memory_symbols (workspace, path, plain);
CREATE INDEX memory_symbols_plain ON memory_symbols (workspace, plain);

-- The state of each memory for which symbols were looked for, and a hash of what it said of code then.
CREATE TABLE symbol_checks (
  workspace bigint NOT NULL,
  memory_key bigint NOT NULL,
  updated_at bigint NOT NULL,
  said text NOT NULL,
  PRIMARY KEY (workspace, memory_key),
  FOREIGN KEY (workspace, memory_key) REFERENCES memories (workspace, key) ON DELETE CASCADE
) /*by workspace*/;
