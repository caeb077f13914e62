-- Memories with their versions, evidence and links: PostgreSQL alone.
-- These win over queries of the same name in the folder above. For `/*own*/` see storage/dialect.py.

-- name: insert_memory
INSERT INTO memories (
  workspace, key, words, length, {memories: columns}
) VALUES (
  :workspace,
  1 + greatest(
    (SELECT coalesce(max(key), 0) FROM memories WHERE workspace = :workspace),
    (SELECT coalesce(max(memory_key), 0) FROM audit WHERE workspace = :workspace),
    (SELECT coalesce(max(memory_key), 0) FROM tombstones WHERE workspace = :workspace)
  ),
  CAST(:words AS tsvector), :length, {memories: values}
) RETURNING key

-- name: update_memory
UPDATE memories SET {memories: changes}, words = CAST(:words AS tsvector), length = :length
WHERE workspace = :workspace AND key = :key

-- name: same_hash
SELECT content_hash, id FROM memories WHERE /*own*/ content_hash IN (
  SELECT decode(value, 'hex') FROM json_array_elements_text(CAST(? AS json)) AS j (value)
) AND status IN ('active', 'proposed', 'quarantined') ORDER BY key

-- name: touch
UPDATE memories SET access_count = access_count + 1,
  last_accessed_at = greatest(CAST(? AS bigint), coalesce(last_accessed_at, 0))
WHERE /*own*/ id IN (SELECT value FROM json_each(?))

-- name: insert_files
INSERT INTO memory_files (
  workspace, memory_key, place, path, line_start, line_end, content_hash, commit_id, signature
)
SELECT :workspace, ?1, 1 + coalesce((SELECT max(place) FROM memory_files WHERE workspace = :workspace), 0),
  ?2,
  CAST(?3 AS bigint), CAST(?4 AS bigint), ?5, ?6, ?7

-- name: insert_functions
INSERT INTO memory_functions (workspace, memory_key, place, name, file, signature)
SELECT :workspace, ?1, 1 + coalesce((SELECT max(place) FROM memory_functions WHERE workspace = :workspace),
  0), ?2, ?3, ?4

-- name: files_of
SELECT memory_key, path, line_start, line_end, content_hash, commit_id, signature FROM memory_files
WHERE /*own*/ memory_key IN (SELECT value FROM json_each(?)) ORDER BY place

-- name: functions_of
SELECT memory_key, name, file, signature FROM memory_functions
WHERE /*own*/ memory_key IN (SELECT value FROM json_each(?)) ORDER BY place
