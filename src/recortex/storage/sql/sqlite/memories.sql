-- Memories with their versions, evidence and links: SQLite alone.
-- These win over queries of the same name in the folder above.

-- name: insert_memory
INSERT INTO memories (/*own column*/ {memories: columns}) VALUES (/*own value*/ {memories: values})
  RETURNING key

-- name: same_hash
SELECT content_hash, id FROM memories WHERE content_hash IN (SELECT unhex(value) FROM json_each(?))
  AND status IN ('active', 'proposed', 'quarantined') ORDER BY key

-- name: touch
UPDATE memories SET access_count = access_count + 1, last_accessed_at = max(?, coalesce(last_accessed_at, 0))
WHERE /*own*/ id IN (SELECT value FROM json_each(?))

-- name: files_of
SELECT memory_key, path, line_start, line_end, content_hash, commit_id, signature FROM memory_files
WHERE /*own*/ memory_key IN (SELECT value FROM json_each(?)) ORDER BY rowid

-- name: functions_of
SELECT memory_key, name, file, signature FROM memory_functions
WHERE /*own*/ memory_key IN (SELECT value FROM json_each(?)) ORDER BY rowid

-- name: last_key
UPDATE sqlite_sequence SET seq = max(
  seq, coalesce((SELECT max(memory_key) FROM audit), 0), coalesce((SELECT max(memory_key) FROM tombstones), 0)
) WHERE name = 'memories'
