-- The audit log, checkpoints, tombstones and degradations: SQLite alone.
-- These win over queries of the same name in the folder above.

-- name: audit
INSERT INTO audit (memory_key, operation, actor, at, details)
SELECT key, ?2, ?3, ?4, ?5 FROM memories WHERE id = ?1
