-- name: standings
SELECT m.key, m.id, m.kind, m.status, m.confidence, m.priority, m.pinned, m.recorded_at, m.updated_at, m.validated_at,
  m.last_accessed_at, m.access_count, coalesce(p.patterns, 0), m.content_hash,
  coalesce(json_extract(m.source, '$.branch'), '')
FROM memories m
LEFT JOIN (SELECT memory_key, count(*) AS patterns FROM memory_patterns GROUP BY memory_key) p ON p.memory_key = m.key

-- name: fading
WHERE m.status = 'active' AND m.pinned = 0 AND m.updated_at <= ?1
  AND coalesce(m.last_accessed_at, m.recorded_at) <= ?1
ORDER BY m.key

-- name: resting
WHERE m.status = 'archived' AND m.pinned = 0 AND m.updated_at <= ?1 AND coalesce(m.last_accessed_at, 0) <= ?1
ORDER BY m.key

-- name: presentable
WHERE m.status = 'active' AND m.trust <> 'untrusted' AND m.valid_from <= ?1
  AND (m.valid_until IS NULL OR m.valid_until > ?1)
ORDER BY m.key

-- name: arcs
SELECT source_key, target_key, bidirectional FROM relations WHERE status = 'active'

-- name: generation
SELECT coalesce((SELECT max(seq) FROM audit), 0), (SELECT count(*) FROM memories), (SELECT count(*) FROM tombstones)
