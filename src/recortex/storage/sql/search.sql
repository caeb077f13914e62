-- Finding memories by words and by vectors.
-- For both engines. On PostgreSQL, comments such as `/*own*/` become conditions: see storage/dialect.py.

-- name: vectors
SELECT m.key, e.vector FROM memories m CROSS JOIN embeddings e ON /*own e*/ e.key = m.embedding_key
WHERE /*own m*/ m.key IN (SELECT value FROM json_each(?)) AND e.model = ?

-- name: pieces
SELECT m.key, p.pieces FROM memories m CROSS JOIN embeddings e ON /*own e*/ e.key = m.embedding_key
CROSS JOIN embedding_pieces p ON /*own p*/ p.key = e.key
WHERE /*own m*/ m.key IN (SELECT value FROM json_each(?)) AND e.model = ?

-- name: files
SELECT memory_key, path FROM memory_files WHERE /*own*/ memory_key IN (SELECT value FROM json_each(?))

-- name: patterns
SELECT memory_key, pattern_id FROM memory_patterns
  WHERE /*own*/ memory_key IN (SELECT value FROM json_each(?))
