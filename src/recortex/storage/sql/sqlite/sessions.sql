-- Sessions, receipts and signals: SQLite alone.
-- These win over queries of the same name in the folder above.

-- name: note
INSERT INTO signals ({signals: columns}) VALUES ({signals: values})

-- name: unknown_transcripts
SELECT value ->> 0 FROM json_each(?)
WHERE (value ->> 1) * 1000000 >= (SELECT min(applied_at) FROM schema_migrations)
  AND NOT EXISTS (SELECT 1 FROM checkpoints WHERE /*own*/ path = value ->> 0)
  AND NOT EXISTS (SELECT 1 FROM sessions WHERE /*own*/ transcript = value ->> 0)

-- name: cited
SELECT value ->> 0 FROM json_each(?)
WHERE EXISTS (SELECT 1 FROM memory_files WHERE /*own*/ path = value ->> 0)
  OR EXISTS (SELECT 1 FROM memory_symbols WHERE /*own*/ path = value ->> 0)
  OR EXISTS (SELECT 1 FROM exchanges_fts WHERE exchanges_fts MATCH 'terms:' || (value ->> 1))
GROUP BY value ->> 0
