-- What decay, the brief and the lifecycle read of memories: SQLite alone.
-- These win over queries of the same name in the folder above.
-- Python adds a condition of the shared file, such as `fading`, to `columns`.

-- name: columns
SELECT m.key, m.id, m.kind, m.status, m.confidence, m.priority, m.pinned, m.recorded_at, m.updated_at,
  m.validated_at,
  m.last_accessed_at, m.access_count, coalesce(p.patterns, 0), m.content_hash,
  coalesce(json_extract(m.source, '$.branch'), ''), m.valid_from, m.origin, m.trust,
  coalesce(json_extract(m.source, '$.rule'), ''),
  coalesce(CAST(json_extract(m.metadata, '$.loaded_by') AS TEXT), ''),
  m.checked_at, m.standing, m.standing_since
FROM memories m
LEFT JOIN (SELECT memory_key, count(*) AS patterns FROM memory_patterns /*only own*/
  GROUP BY memory_key) p ON p.memory_key = m.key
