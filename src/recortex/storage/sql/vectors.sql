-- Embeddings, their signs and models.
-- For both engines. On PostgreSQL, comments such as `/*own*/` become conditions: see storage/dialect.py.

-- name: model_key
SELECT key, dimensions FROM embedding_models WHERE /*own*/ name = ?

-- name: insert_pieces
INSERT INTO embedding_pieces (/*own column*/ key, pieces) VALUES (/*own value*/ ?, ?)
ON CONFLICT (/*own column*/ key) DO UPDATE SET pieces = excluded.pieces

-- name: attach
UPDATE memories SET embedding_key = ?2 WHERE /*own*/ id = ?1 AND content_hash = ?3

-- name: attach_first
UPDATE memories SET embedding_key = ?2 WHERE /*own*/ id = ?1 AND content_hash = ?3 AND embedding_key IS NULL

-- name: missing
SELECT m.id FROM memories m WHERE /*own m*/ m.embedding_key IS NULL
  AND m.status IN ('active', 'proposed', 'quarantined')
  AND m.kind <> 'code' LIMIT ?

-- name: waiting
SELECT m.id FROM memories m WHERE /*own m*/ m.embedding_key IS NULL
  AND m.status IN ('active', 'proposed', 'quarantined')
  AND m.kind <> 'code' ORDER BY m.priority DESC, m.access_count DESC, m.key DESC LIMIT ?

-- name: outdated
SELECT m.id FROM embeddings e CROSS JOIN memories m ON /*own m*/ m.embedding_key = e.key
WHERE /*own e*/ e.model IN (SELECT value FROM json_each(?1))
  AND m.status IN ('active', 'proposed', 'quarantined')
  AND m.kind <> 'code' ORDER BY m.priority DESC, m.access_count DESC, m.key DESC LIMIT ?2

-- name: count_outdated
SELECT count(*) FROM embeddings e CROSS JOIN memories m ON /*own m*/ m.embedding_key = e.key
WHERE /*own e*/ e.model IN (SELECT value FROM json_each(?))
  AND m.status IN ('active', 'proposed', 'quarantined')
  AND m.kind <> 'code'

-- name: others
SELECT o.key, o.name FROM embedding_models o WHERE /*own o*/ o.name <> ?
  AND EXISTS (SELECT 1 FROM embeddings e WHERE /*own e*/ e.model = o.key AND e.key > 0) ORDER BY o.key

-- name: made
SELECT count(*) FROM embeddings e JOIN embedding_models o ON /*own o*/ o.key = e.model
  WHERE /*own e*/ e.key > 0 AND o.name = ?

-- name: dimensions
SELECT nullif(dimensions, 0) FROM embedding_models WHERE /*own*/ name = ?

-- name: forget
SELECT e.key FROM embeddings e JOIN embedding_models o ON /*own o*/ o.key = e.model
  WHERE /*own e*/ o.name = ? LIMIT ?

-- name: detach
UPDATE memories SET embedding_key = NULL WHERE /*own*/ embedding_key = ?

-- name: detach_exchanges
UPDATE exchanges SET answered_key = NULL, outcome_key = NULL
WHERE /*own*/ (answered_key = ?1 OR outcome_key = ?1)

-- name: detach_chunks
UPDATE chunks SET embedding_key = NULL WHERE /*own*/ embedding_key = ?

-- name: forgotten
UPDATE embedding_models SET dimensions = 0 WHERE /*own*/ name = ?

-- name: reembedding
SELECT started_at, finished_at, done, milliseconds FROM reembeddings WHERE /*own*/ model = ?

-- name: reembedded
INSERT INTO reembeddings (/*own column*/ model, started_at, finished_at, done, milliseconds)
VALUES (/*own value*/ ?1, ?2, NULL, ?3, ?4)
ON CONFLICT (/*own column*/ model) DO UPDATE SET
  started_at = CASE WHEN reembeddings.finished_at IS NULL THEN reembeddings.started_at
    ELSE excluded.started_at END,
  done = CASE WHEN reembeddings.finished_at IS NULL THEN reembeddings.done ELSE 0 END + excluded.done,
  milliseconds = CASE WHEN reembeddings.finished_at IS NULL THEN reembeddings.milliseconds
    ELSE 0 END + excluded.milliseconds,
  finished_at = NULL

-- name: finished
UPDATE reembeddings SET finished_at = ?2 WHERE /*own*/ model = ?1 AND finished_at IS NULL

-- name: abandoned
DELETE FROM reembeddings WHERE /*own*/ model <> ? AND finished_at IS NULL

-- name: left_behind
SELECT e.key FROM embeddings e WHERE /*own e*/ e.model IN (SELECT value FROM json_each(?)) AND e.key > 0
  AND NOT EXISTS (SELECT 1 FROM memories m WHERE /*own m*/ m.embedding_key = e.key)

-- name: delete_unused
DELETE FROM embeddings AS e WHERE /*own e*/ e.key = ? AND e.key > 0
  AND NOT EXISTS (SELECT 1 FROM memories m WHERE /*own m*/ m.embedding_key = e.key)

-- name: count_pending
SELECT count(*) FROM memories m WHERE /*own m*/ m.embedding_key IS NULL
  AND m.status IN ('active', 'proposed', 'quarantined')
  AND m.kind <> 'code'

-- name: unused
SELECT e.key FROM embeddings e
WHERE /*own e*/ NOT EXISTS (SELECT 1 FROM memories m WHERE /*own m*/ m.embedding_key = e.key)
  AND e.key NOT IN (SELECT v.embedding_key FROM versions v WHERE /*own v*/ v.embedding_key IS NOT NULL)
  AND NOT EXISTS (SELECT 1 FROM exchanges x WHERE /*own x*/ x.answered_key = e.key)
  AND NOT EXISTS (SELECT 1 FROM exchanges x WHERE /*own x*/ x.outcome_key = e.key)
  AND NOT EXISTS (SELECT 1 FROM chunks c WHERE /*own c*/ c.embedding_key = e.key)

-- name: delete
DELETE FROM embeddings WHERE /*own*/ key = ?

-- name: counts
SELECT (SELECT count(*) FROM embeddings /*only own*/), (SELECT count(*) FROM embedding_signs /*only own*/)

-- name: codes_of
SELECT m.id, e.vector FROM memories m CROSS JOIN embeddings e ON /*own e*/ e.key = m.embedding_key
CROSS JOIN embedding_models o ON /*own o*/ o.key = e.model
WHERE /*own m*/ m.id IN (SELECT value FROM json_each(?)) AND o.name = ?
