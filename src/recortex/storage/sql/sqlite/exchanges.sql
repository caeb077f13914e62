-- name: insert
INSERT INTO exchanges ({exchanges: columns}) VALUES ({exchanges: values}) RETURNING key

-- name: match
SELECT key, score FROM (
  SELECT rowid AS key, -bm25(exchanges_fts) AS score FROM exchanges_fts WHERE exchanges_fts MATCH ?
  ORDER BY rowid DESC LIMIT ?
) ORDER BY score DESC, key LIMIT ?

-- name: frequencies
SELECT (
  SELECT count(*) || ' ' || coalesce(min(key), 0) FROM
    (SELECT rowid AS key FROM exchanges_fts WHERE exchanges_fts MATCH j.value ORDER BY rowid DESC LIMIT ?2)
) FROM json_each(?1) j ORDER BY j.key

-- name: closest
SELECT key FROM embedding_signs WHERE key < 0 AND model = ?2
ORDER BY vec_distance_hamming(vec_bit(signs), vec_bit(?3)), key LIMIT ?1

-- name: having
SELECT x.key FROM json_each(?) v CROSS JOIN exchanges x
ON (x.answered_key = v.value OR x.outcome_key = v.value)
WHERE 1 = 1 ORDER BY v.key, x.key

-- name: signs
SELECT key, signs FROM embedding_signs WHERE model = ? AND key >= ? AND key < 0 ORDER BY key
