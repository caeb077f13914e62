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

-- name: having
SELECT x.key FROM json_each(?) v CROSS JOIN exchanges x
ON (x.answered_key = v.value OR x.outcome_key = v.value)
WHERE 1 = 1 ORDER BY v.key, x.key
