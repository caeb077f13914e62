-- name: audit
INSERT INTO audit (memory_key, operation, actor, at, details)
SELECT key, ?2, ?3, ?4, ?5 FROM memories WHERE id = ?1
