-- name: relate
INSERT INTO relations (source_key, target_key, type, strength, evidence, inferred, bidirectional, status, created_at)
SELECT s.key, t.key, ?3, ?4, ?5, ?6, ?7, ?8, ?9 FROM memories s, memories t WHERE s.id = ?1 AND t.id = ?2
ON CONFLICT (source_key, target_key, type) DO UPDATE SET
  strength = excluded.strength, evidence = excluded.evidence, inferred = excluded.inferred,
  bidirectional = excluded.bidirectional, status = excluded.status
RETURNING 1

-- name: unrelate
DELETE FROM relations
WHERE source_key = (SELECT key FROM memories WHERE id = ?1) AND target_key = (SELECT key FROM memories WHERE id = ?2)
  AND (?3 = '' OR type = ?3)
RETURNING type

-- name: relations_of
SELECT s.id, t.id, r.type, r.strength, r.evidence, r.inferred, r.bidirectional, r.status, r.created_at
FROM relations r JOIN memories s ON s.key = r.source_key JOIN memories t ON t.key = r.target_key
WHERE r.source_key IN (SELECT key FROM memories WHERE id IN (SELECT value FROM json_each(?1)))
UNION
SELECT s.id, t.id, r.type, r.strength, r.evidence, r.inferred, r.bidirectional, r.status, r.created_at
FROM relations r JOIN memories s ON s.key = r.source_key JOIN memories t ON t.key = r.target_key
WHERE r.target_key IN (SELECT key FROM memories WHERE id IN (SELECT value FROM json_each(?1)))

-- name: all_relations
SELECT s.id, t.id, r.type, r.strength, r.evidence, r.inferred, r.bidirectional, r.status, r.created_at
FROM relations r JOIN memories s ON s.key = r.source_key JOIN memories t ON t.key = r.target_key
ORDER BY r.created_at, s.id, t.id

-- name: count_relations
SELECT count(*) FROM relations

-- name: suggested
SELECT s.id, t.id, r.type, r.strength, r.evidence, r.inferred, r.bidirectional, r.status, r.created_at
FROM relations r JOIN memories s ON s.key = r.source_key JOIN memories t ON t.key = r.target_key
WHERE r.type = ?1 AND r.status = 'suggested' AND s.status = 'active' AND t.status = 'active'
ORDER BY r.created_at DESC, s.id, t.id LIMIT ?2
