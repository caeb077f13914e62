-- Embeddings, their signs and models: PostgreSQL alone.
-- These win over queries of the same name in the folder above. For `/*own*/` see storage/dialect.py.
-- Into `near` Python puts a condition for `1 = 1`, and numbers for `/*dimensions*/` and the like.

-- name: model
INSERT INTO embedding_models (workspace, key, name, dimensions)
VALUES (:workspace, 1 + coalesce((SELECT max(key) FROM embedding_models WHERE workspace = :workspace), 0), ?,
  ?)
ON CONFLICT (workspace, name) DO UPDATE SET
  dimensions = CASE embedding_models.dimensions WHEN 0 THEN excluded.dimensions
    ELSE embedding_models.dimensions END RETURNING key

-- name: put
WITH given AS (
  SELECT g.hash, g.vector, g.signs, row_number() OVER (ORDER BY g.place) AS number
  FROM unnest(CAST(?2 AS bytea[]), CAST(?3 AS text[]), CAST(?4 AS text[])) WITH ORDINALITY AS g (hash, vector,
    signs, place)
  WHERE NOT EXISTS (SELECT 1 FROM embeddings e WHERE /*own e*/ e.hash = g.hash)
), newest AS (
  SELECT coalesce(max(key), ?5) AS key FROM embeddings WHERE /*own*/ key > ?5 AND key < ?6
), kept AS (
  INSERT INTO embeddings (workspace, key, hash, model, vector)
  SELECT :workspace, newest.key + number, hash, ?1, CAST(vector AS halfvec) FROM given, newest
    RETURNING key, hash
), signed AS (
  INSERT INTO embedding_signs (workspace, key, model, signs)
  SELECT :workspace, kept.key, ?1, CAST(given.signs AS bit varying) FROM kept
    JOIN given ON given.hash = kept.hash
)
SELECT hash, key FROM kept
UNION ALL SELECT hash, key FROM embeddings WHERE /*own*/ hash = ANY(CAST(?2 AS bytea[]))

-- name: by_hash
SELECT hash, key FROM embeddings WHERE /*own*/ hash = ANY(ARRAY(
  SELECT decode(value, 'hex') FROM json_array_elements_text(CAST(? AS json)) AS j (value)
))

-- name: insert_signs
INSERT INTO embedding_signs (workspace, key, model, signs) VALUES (:workspace, ?, ?, CAST(? AS bit varying))
ON CONFLICT (workspace, key) DO UPDATE SET model = excluded.model, signs = excluded.signs

-- name: codes_of
SELECT m.id, halfvec_send(e.vector) FROM memories m JOIN embeddings e ON /*own e*/ e.key = m.embedding_key
JOIN embedding_models o ON /*own o*/ o.key = e.model
WHERE /*own m*/ m.id IN (SELECT value FROM json_each(?)) AND o.name = ?

-- name: near
SELECT m.key FROM (
  SELECT e.key, CAST(e.vector AS halfvec(/*dimensions*/)) <=> CAST(?1 AS halfvec(/*dimensions*/)) AS distance
  FROM embeddings e
  WHERE e.workspace = /*workspace*/ AND e.model = /*model*/ AND e.key > 0
    AND vector_dims(e.vector) = /*dimensions*/
    ORDER BY distance
) v CROSS JOIN LATERAL (
  SELECT m.key FROM memories m WHERE /*own m*/ m.embedding_key = v.key AND 1 = 1 OFFSET 0
) m ORDER BY v.distance LIMIT /*limit*/

-- name: indexed
SELECT o.dimensions FROM pg_class c JOIN pg_index i ON i.indexrelid = c.oid, embedding_models o
WHERE c.relnamespace = CAST('recortex' AS regnamespace) AND c.relname = ?2 AND i.indisvalid
  AND /*own o*/ o.key = ?1

-- name: large
SELECT o.key, o.dimensions,
  (SELECT count(*) FROM embeddings e WHERE /*own e*/ e.model = o.key AND e.key > 0), (
  SELECT i.indisvalid FROM pg_class c JOIN pg_index i ON i.indexrelid = c.oid
  WHERE c.relnamespace = CAST('recortex' AS regnamespace) AND c.relname = ?1 || CAST(o.key AS text)
)
FROM embedding_models o /*only own o*/

-- name: may_index
SELECT pg_has_role(session_user, c.relowner, 'USAGE') FROM pg_class c
WHERE c.relnamespace = CAST('recortex' AS regnamespace) AND c.relname = 'embeddings'

-- name: outdated
SELECT m.id FROM embeddings e JOIN memories m ON /*own m*/ m.embedding_key = e.key
WHERE /*own e*/ e.model IN (SELECT value FROM json_each(?1))
  AND m.status IN ('active', 'proposed', 'quarantined')
  AND m.kind <> 'code' ORDER BY m.priority DESC, m.access_count DESC, m.key DESC LIMIT ?2

-- name: count_outdated
SELECT count(*) FROM embeddings e JOIN memories m ON /*own m*/ m.embedding_key = e.key
WHERE /*own e*/ e.model IN (SELECT value FROM json_each(?))
  AND m.status IN ('active', 'proposed', 'quarantined')
  AND m.kind <> 'code'

-- name: closest
SELECT key FROM embedding_signs WHERE /*own*/ key > ?4 AND key < ?5 AND model = ?2
ORDER BY signs <~> CAST(?3 AS bit varying), key LIMIT ?1

-- name: signs_between
SELECT key, varbit_send(signs) FROM embedding_signs
WHERE /*own*/ model = ? AND key >= ? AND key < ? ORDER BY key
