-- What a team shares: the versions of all replicas, what is shown of them, keys, and conflicts.
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
CREATE INDEX sync_heads_open ON sync_heads (record) WHERE leaves > 1 OR shown = 0;

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
