-- name: size
SELECT coalesce(max(key), 0) FROM memories /*only own*/

-- name: vectors
SELECT m.key, e.vector FROM memories m CROSS JOIN embeddings e ON /*own e*/ e.key = m.embedding_key
WHERE /*own m*/ m.key IN (SELECT value FROM json_each(?)) AND e.model = ?

-- name: files
SELECT memory_key, path FROM memory_files WHERE /*own*/ memory_key IN (SELECT value FROM json_each(?))

-- name: patterns
SELECT memory_key, pattern_id FROM memory_patterns WHERE /*own*/ memory_key IN (SELECT value FROM json_each(?))
