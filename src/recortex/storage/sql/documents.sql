-- Documents that were ingested.
-- For both engines. On PostgreSQL, comments such as `/*own*/` become conditions: see storage/dialect.py.

-- name: update
UPDATE documents SET {documents: changes} WHERE /*own*/ key = :key

-- name: delete
DELETE FROM documents WHERE /*own*/ path = ?

-- name: key
SELECT key FROM documents WHERE /*own*/ path = ?

-- name: known
SELECT path, hash, domain, set_domain, source FROM documents /*only own*/ ORDER BY path

-- name: counts
SELECT (SELECT count(*) FROM documents /*only own*/), (SELECT count(*) FROM chunks /*only own*/)

-- name: source
UPDATE documents SET source = ?2, seal = ?3 WHERE /*own*/ path = ?1
