-- Embeddings, their signs and models: SQLite alone.
-- These win over queries of the same name in the folder above.
-- Python adds a WHERE to `having`.

-- name: model
INSERT INTO embedding_models (name, dimensions) VALUES (?, ?)
ON CONFLICT (name) DO UPDATE SET
  dimensions = CASE embedding_models.dimensions WHEN 0 THEN excluded.dimensions
    ELSE embedding_models.dimensions END RETURNING key

-- name: by_hash
SELECT hash, key FROM embeddings WHERE hash IN (SELECT unhex(value) FROM json_each(?))

-- name: insert
INSERT INTO embeddings (key, hash, model, vector)
VALUES (coalesce((SELECT max(key) FROM embeddings WHERE key > ?4 AND key < ?5), ?4) + 1, ?1, ?2, ?3)
ON CONFLICT (hash) DO UPDATE SET hash = excluded.hash RETURNING key

-- name: insert_signs
INSERT OR REPLACE INTO embedding_signs (key, model, signs) VALUES (?, ?, ?)

-- name: index
SELECT name, last_key, vectors, bytes, checksum FROM vector_indexes WHERE model = ? AND checksum IS NOT NULL

-- name: index_begin
INSERT INTO vector_indexes (name, model, last_key, vectors, bytes) VALUES (?, ?, ?, 0, 0)

-- name: index_done
UPDATE vector_indexes SET vectors = ?2, bytes = ?3, checksum = ?4 WHERE name = ?1 RETURNING model

-- name: index_others
DELETE FROM vector_indexes WHERE model = ? AND name <> ?

-- name: index_unfinished
DELETE FROM vector_indexes WHERE checksum IS NULL OR model NOT IN (SELECT key FROM embedding_models)

-- name: index_drop
DELETE FROM vector_indexes

-- name: index_names
SELECT name FROM vector_indexes

-- name: index_counts
SELECT coalesce(max(key), 0), count(*), coalesce(sum(key > ?2), 0)
FROM embeddings WHERE model = ?1 AND key > 0

-- name: models
SELECT key, dimensions FROM embedding_models

-- name: slice
SELECT key, vector FROM embeddings WHERE model = ? AND key > ? AND key <= ? ORDER BY key LIMIT ?

-- name: held_signs
SELECT c.number, s.key, s.signs FROM vector_changes c LEFT JOIN
  (SELECT key, signs FROM embedding_signs WHERE model = ? AND key >= ? ORDER BY key LIMIT ?) s

-- name: changes
SELECT number, (SELECT coalesce(max(key), 0) FROM embeddings) FROM vector_changes

-- name: tail
SELECT v.key, vec_distance_cosine(vec_int8(e.vector), vec_int8(?)) FROM
  (SELECT key FROM embedding_signs WHERE model = ? AND key > ?
   ORDER BY vec_distance_hamming(vec_bit(signs), vec_quantize_binary(vec_int8(?))), key LIMIT ?) v
  CROSS JOIN embeddings e ON e.key = v.key

-- name: having
SELECT m.key FROM json_each(?) v CROSS JOIN memories m ON m.embedding_key = v.value

-- name: nearest_of
SELECT m.key FROM
  (SELECT e.key FROM json_each(?) v CROSS JOIN embeddings e ON e.key = v.value
    ORDER BY vec_distance_cosine(vec_int8(e.vector), vec_int8(?)), e.key LIMIT ?) x
  CROSS JOIN memories m ON m.embedding_key = x.key

-- name: closest
SELECT key FROM embedding_signs WHERE key > ?4 AND key < ?5 AND model = ?2
ORDER BY vec_distance_hamming(vec_bit(signs), vec_bit(?3)), key LIMIT ?1

-- name: signs_between
SELECT key, signs FROM embedding_signs WHERE model = ? AND key >= ? AND key < ? ORDER BY key
