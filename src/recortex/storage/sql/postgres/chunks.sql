-- Chunks of documents: PostgreSQL alone.

-- name: insert
INSERT INTO chunks (workspace, key, words, length, {chunks: columns}) VALUES (
  :workspace, 1 + coalesce((SELECT max(key) FROM chunks WHERE workspace = :workspace), 0),
  CAST(:words AS tsvector), :length, {chunks: values}
) RETURNING key

-- name: update
UPDATE chunks SET {chunks: changes}, words = CAST(:words AS tsvector), length = :length
WHERE workspace = :workspace AND key = :key

-- name: words_of
SELECT length, tsvector_to_array(words) FROM chunks WHERE workspace = :workspace AND key = ?

-- name: match
SELECT key, score FROM matching_chunks(CAST(?5 AS tsquery), CAST(?2 AS text[]),
  CAST(?3 AS double precision[]), CAST(?4 AS double precision), CAST(?6 AS integer), CAST(?1 AS integer))

-- name: match_among
SELECT key, score FROM (
  SELECT f.key, f.score
  FROM matching_chunks(CAST(?5 AS tsquery), CAST(?2 AS text[]), CAST(?3 AS double precision[]),
    CAST(?4 AS double precision), NULL, NULL) f
  JOIN chunks x ON /*own x*/ x.key = f.key
  WHERE 1 = 1 ORDER BY f.key DESC LIMIT ALL
) latest ORDER BY score DESC, key LIMIT ?1

-- name: having
SELECT x.key FROM json_array_elements_text(CAST(? AS json)) WITH ORDINALITY AS v (value, place)
JOIN chunks x ON /*own x*/ x.embedding_key = CAST(v.value AS bigint)
WHERE 1 = 1 ORDER BY v.place, x.key

-- name: vectors
SELECT x.key, halfvec_send(e.vector) FROM chunks x JOIN embeddings e ON /*own e*/ e.key = x.embedding_key
WHERE /*own x*/ x.key IN (SELECT value FROM json_each(?)) AND e.model = ?

-- name: holding
SELECT x.key FROM chunks x WHERE /*own x*/ x.words @@ CAST(?1 AS tsquery)
  AND x.key = ANY(ARRAY(SELECT json_array_elements_text(CAST(?2 AS json)))::bigint[])
