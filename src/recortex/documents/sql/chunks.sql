-- Chunks of documents.
-- For both engines. On PostgreSQL, comments such as `/*own*/` become conditions: see storage/dialect.py.

-- name: update
UPDATE chunks SET {chunks: changes} WHERE /*own*/ key = :key

-- name: delete
DELETE FROM chunks WHERE /*own*/ key = ?

-- name: beginning
SELECT id FROM chunks WHERE /*own*/ id >= ? AND id < ? ORDER BY id LIMIT 3

-- name: alike
SELECT x.hash, x.written_at, x.last_accessed_at, x.access_count, x.embedding_key FROM chunks x
WHERE /*own x*/ x.hash IN (SELECT value FROM json_each(?)) ORDER BY x.embedding_key IS NULL DESC, x.key

-- name: vectors
SELECT x.key, e.vector FROM chunks x JOIN embeddings e ON /*own e*/ e.key = x.embedding_key
WHERE /*own x*/ x.key IN (SELECT value FROM json_each(?)) AND e.model = ?

-- name: files
SELECT key, path FROM chunks WHERE /*own*/ key IN (SELECT value FROM json_each(?))

-- name: touch
UPDATE chunks SET access_count = access_count + 1, last_accessed_at = ?2 WHERE /*own*/ id = ?1

-- name: waiting
WHERE /*own x*/ x.embedding_key IS NULL AND x.text <> '' ORDER BY x.key LIMIT ?

-- name: count_waiting
SELECT count(*) FROM chunks x WHERE /*own x*/ x.embedding_key IS NULL AND x.text <> ''

-- name: attach
UPDATE chunks SET embedding_key = ?2 WHERE /*own*/ key = ?1

-- name: outdated
SELECT x.key FROM chunks x
JOIN embeddings e ON /*own e*/ e.key = x.embedding_key
JOIN embedding_models o ON /*own o*/ o.key = e.model
WHERE /*own x*/ o.name <> ? ORDER BY x.key LIMIT ?

-- name: count_outdated
SELECT count(*) FROM chunks x
JOIN embeddings e ON /*own e*/ e.key = x.embedding_key
JOIN embedding_models o ON /*own o*/ o.key = e.model
WHERE /*own x*/ o.name <> ?
