-- Finding memories by words and by vectors: SQLite alone.
-- These win over queries of the same name in the folder above.
-- Python puts text into some: a condition after `model = ?2` in `nearest` and `nearest_of_many`, and a number
-- for `/*coarse*/`. The weights in `lookalikes` are those of domain/search.py; it compares by the text alone,
-- unless its third value is 1.

-- name: known_speakers
SELECT DISTINCT speaker FROM memories
WHERE /*own*/ speaker <> '' AND speaker COLLATE NOCASE IN (SELECT value FROM json_each(?))

-- name: nearest
SELECT m.key FROM
  (SELECT key FROM embedding_signs WHERE key > 0 AND model = ?2
    ORDER BY vec_distance_hamming(vec_bit(signs), vec_bit(?3)), key LIMIT ?1) v
  CROSS JOIN memories m ON m.embedding_key = v.key

-- name: nearest_of_many
SELECT m.key FROM
  (SELECT e.key FROM
    (SELECT key FROM embedding_signs WHERE key > 0 AND model = ?2
      ORDER BY vec_distance_hamming(vec_bit(signs), vec_bit(?3)), key LIMIT /*coarse*/) v
    CROSS JOIN embeddings e ON e.key = v.key
    ORDER BY vec_distance_cosine(vec_int8(e.vector), vec_int8(?4)), e.key LIMIT ?1) x
  CROSS JOIN memories m ON m.embedding_key = x.key

-- name: around
SELECT c.key, n.key FROM json_each(?) j CROSS JOIN memories c ON c.key = j.value
CROSS JOIN memories n ON n.session = c.session AND n.turn BETWEEN c.turn - ? AND c.turn + ? AND n.key <> c.key
WHERE c.session <> '' AND n.session <> ''

-- name: lookalikes
SELECT m.id, m.text FROM
  (SELECT rowid FROM memories_fts WHERE memories_fts MATCH ?1
    ORDER BY -bm25(memories_fts, 1.0, 2.0 * ?3, 0.5 * ?3) DESC, rowid LIMIT ?2) f
  JOIN memories m ON m.key = f.rowid
WHERE m.status IN ('active', 'proposed', 'quarantined')

-- name: latest_with
SELECT m.id, m.text FROM
  (SELECT rowid FROM memories_fts WHERE memories_fts MATCH ? ORDER BY rowid DESC LIMIT ?) f
  JOIN memories m ON m.key = f.rowid
WHERE m.status IN ('active', 'proposed', 'quarantined')

-- name: alike
SELECT j.key, f.rowid, -bm25(memories_fts, 1.0, 0.0, 0.0) FROM json_each(?) j
CROSS JOIN memories_fts f WHERE f.memories_fts MATCH j.value

-- name: living
SELECT m.key, m.id, m.text FROM memories m WHERE m.key IN (SELECT value FROM json_each(?))
  AND m.status IN ('active', 'proposed', 'quarantined')

-- name: after
SELECT key, text, terms, context FROM memories WHERE key > ? ORDER BY key LIMIT ?

-- name: totals
SELECT block FROM memories_fts_data WHERE id = 1

-- name: lengths
SELECT id, sz FROM memories_fts_docsize WHERE id > ? ORDER BY id LIMIT ?

-- name: places
-- Where each word of a list stands, as storage/sqlite/lookalikes.py numbers it. A connection sees this
-- through a table of its own.
CREATE VIRTUAL TABLE IF NOT EXISTS temp.memories_words USING fts5vocab ('main', 'memories_fts', 'instance');
SELECT (
  SELECT group_concat((v.doc << 3 | length(v.col)) << 18 | v.offset) FROM temp.memories_words v
  WHERE v.term = j.value
) FROM json_each(?) j ORDER BY j.key
