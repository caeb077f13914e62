-- Sessions, receipts and signals: PostgreSQL alone.
-- These win over queries of the same name in the folder above. For `/*own*/` see storage/dialect.py.

-- name: note
INSERT INTO signals (workspace, seq, {signals: columns})
VALUES (:workspace, 1 + coalesce((SELECT max(seq) FROM signals WHERE workspace = :workspace), 0),
  {signals: values})

-- name: unknown_transcripts
SELECT t.value ->> 0 FROM json_array_elements(CAST(? AS json)) WITH ORDINALITY AS t (value, place)
WHERE (t.value ->> 1)::double precision * 1000000 >= (SELECT created_at FROM workspaces
  WHERE workspace = :workspace)
  AND NOT EXISTS (SELECT 1 FROM checkpoints WHERE /*own*/ path = t.value ->> 0)
  AND NOT EXISTS (SELECT 1 FROM sessions WHERE /*own*/ transcript = t.value ->> 0)
ORDER BY t.place

-- name: cited
SELECT DISTINCT (t.value ->> 0) COLLATE "C" AS touched FROM json_array_elements(CAST(? AS json)) t (value)
WHERE EXISTS (SELECT 1 FROM memory_files WHERE /*own*/ path = t.value ->> 0)
  OR EXISTS (SELECT 1 FROM memory_symbols WHERE /*own*/ path = t.value ->> 0)
  OR EXISTS (SELECT 1 FROM exchanges x WHERE /*own x*/ x.words @@
    CAST('''' || :workspace || ':' || (t.value ->> 1) || '''' AS tsquery))
ORDER BY touched
