-- The audit log, checkpoints, tombstones and degradations: PostgreSQL alone.
-- These win over queries of the same name in the folder above. For `/*own*/` see storage/dialect.py.

-- name: audit
INSERT INTO audit (workspace, seq, memory_key, operation, actor, at, details)
SELECT :workspace, 1 + coalesce((SELECT max(seq) FROM audit WHERE workspace = :workspace), 0), key, ?2, ?3,
  ?4, ?5
FROM memories WHERE workspace = :workspace AND id = ?1
