-- Chunks of documents: PostgreSQL alone.

-- name: insert
INSERT INTO chunks (workspace, key, words, length, {chunks: columns}) VALUES (
  :workspace, 1 + coalesce((SELECT max(key) FROM chunks WHERE workspace = :workspace), 0),
  CAST(:words AS tsvector), :length, {chunks: values}
) RETURNING key

-- name: update
UPDATE chunks SET {chunks: changes}, words = CAST(:words AS tsvector), length = :length
WHERE workspace = :workspace AND key = :key

-- name: having
SELECT x.key FROM json_array_elements_text(CAST(? AS json)) WITH ORDINALITY AS v (value, place)
JOIN chunks x ON /*own x*/ x.embedding_key = CAST(v.value AS bigint)
WHERE 1 = 1 ORDER BY v.place, x.key

-- name: vectors
SELECT x.key, halfvec_send(e.vector) FROM chunks x JOIN embeddings e ON /*own e*/ e.key = x.embedding_key
WHERE /*own x*/ x.key IN (SELECT value FROM json_each(?)) AND e.model = ?
