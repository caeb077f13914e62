-- What looking after a store needs to know: what was done when, how it grew, what became of the audit log's old entries.

-- Entries of the audit log that are older than a year, as counts (A, «Audit Log»: monthly rotation).
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

-- When each chore was last done, and what came of it.
CREATE TABLE chores (
  name TEXT PRIMARY KEY,
  done_at INTEGER NOT NULL,
  outcome TEXT NOT NULL            -- JSON of counts
) WITHOUT ROWID;

-- The store's size from time to time: what growth is reckoned from.
CREATE TABLE growth (
  at INTEGER PRIMARY KEY,
  memories INTEGER NOT NULL,
  bytes INTEGER NOT NULL
);

-- A change of the embedding model: one row for each model that memories are brought to.
CREATE TABLE reembeddings (
  model TEXT PRIMARY KEY,
  started_at INTEGER NOT NULL,
  finished_at INTEGER,             -- null: not all memories have a vector of it yet
  done INTEGER NOT NULL,           -- memories given a vector of it so far
  milliseconds INTEGER NOT NULL    -- that took, pauses included: what the time left is reckoned from
) WITHOUT ROWID;

ALTER TABLE tombstones ADD COLUMN reason TEXT NOT NULL DEFAULT 'purge';  -- purge, expiry
