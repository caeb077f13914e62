-- name: match
SELECT rowid, -bm25(memories_fts, 1.0, 2.0, 0.5) AS score FROM memories_fts WHERE memories_fts MATCH ? ORDER BY score DESC LIMIT ?

-- name: frequency
SELECT count(*) FROM memories_fts WHERE memories_fts MATCH ?

-- name: size
SELECT coalesce(max(key), 0) FROM memories

-- name: known_speakers
SELECT DISTINCT speaker FROM memories
WHERE speaker <> '' AND speaker COLLATE NOCASE IN (SELECT value FROM json_each(?))

-- name: signs
SELECT vec_quantize_binary(?)

-- name: nearest
SELECT m.key FROM
  (SELECT key FROM embedding_signs WHERE model = ? ORDER BY vec_distance_hamming(vec_bit(signs), vec_bit(?)) LIMIT ?) v
  CROSS JOIN memories m ON m.embedding_key = v.key

-- name: vectors
SELECT m.key, e.vector FROM memories m CROSS JOIN embeddings e ON e.key = m.embedding_key
WHERE m.key IN (SELECT value FROM json_each(?)) AND e.model = ?

-- name: around
SELECT c.key, n.key FROM json_each(?) j CROSS JOIN memories c ON c.key = j.value
CROSS JOIN memories n ON n.session = c.session AND n.turn BETWEEN c.turn - ? AND c.turn + ? AND n.key <> c.key
WHERE c.session <> '' AND n.session <> ''

-- name: files
SELECT memory_key, path FROM memory_files WHERE memory_key IN (SELECT value FROM json_each(?))

-- name: patterns
SELECT memory_key, pattern_id FROM memory_patterns WHERE memory_key IN (SELECT value FROM json_each(?))

-- name: lookalikes
SELECT m.id, m.text FROM
  (SELECT rowid FROM memories_fts WHERE memories_fts MATCH ? ORDER BY -bm25(memories_fts, 1.0, 0.0, 0.0) DESC LIMIT ?) f
  JOIN memories m ON m.key = f.rowid
WHERE m.status IN ('active', 'proposed', 'quarantined')

-- name: rebuild
INSERT INTO memories_fts (memories_fts) VALUES ('rebuild')

-- name: check
INSERT INTO memories_fts (memories_fts, rank) VALUES ('integrity-check', 1)

-- name: optimize
INSERT INTO memories_fts (memories_fts) VALUES ('optimize')
