-- Chunks of documents: SQLite alone. The weights in `match` are those of domain/search.py.

-- name: insert
INSERT INTO chunks ({chunks: columns}) VALUES ({chunks: values}) RETURNING key

-- name: match
SELECT key, score FROM (
  SELECT rowid AS key, -bm25(chunks_fts, 1.0, 1.0, 1.0) AS score FROM chunks_fts WHERE chunks_fts MATCH ?
  ORDER BY rowid DESC LIMIT ?
) ORDER BY score DESC, key LIMIT ?

-- name: frequencies
SELECT (
  SELECT count(*) || ' ' || coalesce(min(key), 0) FROM
    (SELECT rowid AS key FROM chunks_fts WHERE chunks_fts MATCH j.value ORDER BY rowid DESC LIMIT ?2)
) FROM json_each(?1) j ORDER BY j.key

-- name: having
SELECT x.key FROM json_each(?) v CROSS JOIN chunks x ON x.embedding_key = v.value
WHERE 1 = 1 ORDER BY v.key, x.key

-- name: holding
SELECT rowid FROM chunks_fts WHERE chunks_fts MATCH ? AND rowid IN (SELECT value FROM json_each(?))
