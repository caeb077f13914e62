-- A sync looks at what was written since the last one, not through the whole store.
CREATE TABLE sync_changed (
  workspace bigint NOT NULL,
  memory_key bigint NOT NULL,
  times bigint NOT NULL,
  PRIMARY KEY (workspace, memory_key)
) /*by workspace*/;
DELETE FROM sync_heads WHERE record = 'looked:';
