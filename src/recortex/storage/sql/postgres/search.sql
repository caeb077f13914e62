-- Finding memories by words and by vectors: PostgreSQL alone.
-- These win over queries of the same name in the folder above. For `/*own*/` see storage/dialect.py.
-- Python puts text into some: a condition after `model = ?2` in `nearest` and `nearest_of_many`, a number for
-- `/*coarse*/`.

-- name: known_speakers
SELECT DISTINCT speaker FROM memories
WHERE /*own*/ speaker <> '' AND lower(speaker COLLATE "C") = ANY(
  ARRAY(SELECT lower(value COLLATE "C") FROM json_array_elements_text(CAST(? AS json)) AS j (value))
)

-- name: nearest
SELECT m.key FROM (
  SELECT key, signs <~> CAST(?3 AS bit varying) AS distance FROM embedding_signs
  WHERE /*own*/ key > 0 AND model = ?2 ORDER BY distance, key LIMIT ?1
) v JOIN memories m ON /*own m*/ m.embedding_key = v.key
ORDER BY v.distance, v.key, m.key

-- name: nearest_of_many
SELECT m.key FROM (
  SELECT e.key, e.vector <=> CAST(?4 AS halfvec) AS distance FROM (
    SELECT key FROM embedding_signs WHERE /*own*/ key > 0 AND model = ?2
    ORDER BY signs <~> CAST(?3 AS bit varying), key LIMIT /*coarse*/
  ) v JOIN embeddings e ON /*own e*/ e.key = v.key ORDER BY distance, e.key LIMIT ?1
) x JOIN memories m ON /*own m*/ m.embedding_key = x.key
ORDER BY x.distance, x.key, m.key

-- name: vectors
SELECT m.key, halfvec_send(e.vector) FROM memories m JOIN embeddings e ON /*own e*/ e.key = m.embedding_key
WHERE /*own m*/ m.key IN (SELECT value FROM json_each(?)) AND e.model = ?

-- name: pieces
SELECT m.key, p.pieces FROM memories m JOIN embeddings e ON /*own e*/ e.key = m.embedding_key
JOIN embedding_pieces p ON /*own p*/ p.key = e.key
WHERE /*own m*/ m.key IN (SELECT value FROM json_each(?)) AND e.model = ?

-- name: around
SELECT c.key, n.key FROM memories c JOIN memories n
  ON /*own n*/ n.session = c.session AND n.turn BETWEEN c.turn - ?2 AND c.turn + ?3 AND n.key <> c.key
WHERE /*own c*/ c.key = ANY(ARRAY(SELECT json_array_elements_text(CAST(?1 AS json)))::bigint[])
  AND c.session <> '' AND n.session <> ''

-- name: lookalikes
SELECT m.id, m.text, m.status, f.score
FROM matching(CAST(?5 AS tsquery), CAST(?2 AS text[]), CAST(?3 AS double precision[]),
  CAST(?4 AS double precision), NOT CAST(?7 AS boolean), CAST(?6 AS integer), CAST(?1 AS integer)) f
JOIN memories m ON /*own m*/ m.key = f.key
ORDER BY f.score DESC, f.key
