-- Documents that were ingested.
-- For both engines. On PostgreSQL, comments such as `/*own*/` become conditions: see storage/dialect.py.

-- name: update
UPDATE documents SET {documents: changes} WHERE /*own*/ key = :key

-- name: delete
DELETE FROM documents WHERE /*own*/ path = ?

-- name: key
SELECT key FROM documents WHERE /*own*/ path = ?

-- name: by_other_rules
SELECT path FROM documents WHERE /*own*/ rules <> ?

-- name: counts
SELECT (SELECT count(*) FROM documents /*only own*/), (SELECT count(*) FROM chunks /*only own*/)
