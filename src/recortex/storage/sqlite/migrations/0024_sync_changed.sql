-- A sync looks at what was written since the last one, not through the whole store.
CREATE TABLE sync_changed (
  memory_key INTEGER PRIMARY KEY,
  times INTEGER NOT NULL
);
DELETE FROM sync_heads WHERE record = 'looked:';
