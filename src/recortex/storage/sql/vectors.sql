-- name: model
INSERT INTO embedding_models (name, dimensions) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET name = name RETURNING key

-- name: model_key
SELECT key FROM embedding_models WHERE name = ?

-- name: by_one_hash
SELECT key FROM embeddings WHERE hash = ?

-- name: insert
INSERT INTO embeddings (hash, model, vector) VALUES (?, ?, ?) ON CONFLICT (hash) DO UPDATE SET hash = hash RETURNING key

-- name: attach
UPDATE memories SET embedding_key = ?2 WHERE id = ?1 AND content_hash = ?3

-- name: pending
SELECT m.id FROM memories m WHERE m.embedding_key IS NULL AND m.status IN ('active', 'proposed', 'quarantined')
  AND m.kind <> 'code'
UNION ALL
SELECT m.id FROM memories m JOIN embeddings e ON e.key = m.embedding_key
WHERE e.model IN (SELECT key FROM embedding_models WHERE name <> ?1) AND m.status = 'active'
LIMIT ?2

-- name: count_pending
SELECT count(*) FROM memories m WHERE m.embedding_key IS NULL AND m.status IN ('active', 'proposed', 'quarantined')
  AND m.kind <> 'code'

-- name: insert_signs
INSERT OR REPLACE INTO embedding_signs (key, model, signs) VALUES (?, ?, ?)

-- name: unused
SELECT e.key FROM embeddings e
WHERE NOT EXISTS (SELECT 1 FROM memories m WHERE m.embedding_key = e.key)
  AND NOT EXISTS (SELECT 1 FROM versions v WHERE v.embedding_key = e.key)

-- name: delete
DELETE FROM embeddings WHERE key = ?

-- name: counts
SELECT (SELECT count(*) FROM embeddings), (SELECT count(*) FROM embedding_signs)

-- name: codes_of
SELECT m.id, e.vector FROM memories m CROSS JOIN embeddings e ON e.key = m.embedding_key
CROSS JOIN embedding_models o ON o.key = e.model
WHERE m.id IN (SELECT value FROM json_each(?)) AND o.name = ?
