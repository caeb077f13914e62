-- The keyword index of any table: SQLite alone. Python puts a condition after `MATCH ?` in `match`.

-- name: match
SELECT key, score FROM (
  SELECT rowid AS key, -bm25({table}_fts, {weights}) AS score FROM {table}_fts WHERE {table}_fts MATCH ?
  ORDER BY rowid DESC LIMIT ?
) ORDER BY score DESC, key LIMIT ?

-- name: frequencies
SELECT (
  SELECT count(*) || ' ' || coalesce(min(key), 0) FROM
    (SELECT rowid AS key FROM {table}_fts WHERE {table}_fts MATCH j.value ORDER BY rowid DESC LIMIT ?2)
) FROM json_each(?1) j ORDER BY j.key

-- name: holding
SELECT rowid FROM {table}_fts WHERE {table}_fts MATCH ? AND rowid IN (SELECT value FROM json_each(?))
