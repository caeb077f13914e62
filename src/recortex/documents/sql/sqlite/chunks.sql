-- Chunks of documents: SQLite alone.

-- name: insert
INSERT INTO chunks ({chunks: columns}) VALUES ({chunks: values}) RETURNING key

-- name: having
SELECT x.key FROM json_each(?) v CROSS JOIN chunks x ON x.embedding_key = v.value
WHERE 1 = 1 ORDER BY v.key, x.key
