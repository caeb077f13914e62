-- Relations between memories.
-- For both engines. On PostgreSQL, comments such as `/*own*/` become conditions: see storage/dialect.py.

-- name: keys
SELECT id, key FROM memories WHERE /*own*/ id IN (SELECT value FROM json_each(?))

-- name: since
SELECT source_key, target_key, type, created_at FROM relations
WHERE /*own*/ source_key IN (SELECT value FROM json_each(?))
  AND target_key IN (SELECT value FROM json_each(?))

-- name: relate
INSERT INTO relations (/*own column*/ {relations: columns}) VALUES (/*own value*/ {relations: values})
ON CONFLICT (/*own column*/ source_key, target_key, type) DO UPDATE SET {relations: excluded}

-- name: unrelate
DELETE FROM relations
WHERE /*own*/ source_key = (SELECT key FROM memories WHERE /*own*/ id = ?1)
  AND target_key = (SELECT key FROM memories WHERE /*own*/ id = ?2)
  AND (?3 = '' OR type = ?3)
RETURNING type

-- name: relations_of
SELECT s.id, t.id, r.type, r.strength, r.evidence, r.inferred, r.bidirectional, r.status, r.created_at
FROM relations r
JOIN memories s ON /*own s*/ s.key = r.source_key JOIN memories t ON /*own t*/ t.key = r.target_key
WHERE /*own r*/ r.source_key IN (SELECT key FROM memories
  WHERE /*own*/ id IN (SELECT value FROM json_each(?1)))
UNION
SELECT s.id, t.id, r.type, r.strength, r.evidence, r.inferred, r.bidirectional, r.status, r.created_at
FROM relations r
JOIN memories s ON /*own s*/ s.key = r.source_key JOIN memories t ON /*own t*/ t.key = r.target_key
WHERE /*own r*/ r.target_key IN (SELECT key FROM memories
  WHERE /*own*/ id IN (SELECT value FROM json_each(?1)))

-- name: all_relations
SELECT s.id, t.id, r.type, r.strength, r.evidence, r.inferred, r.bidirectional, r.status, r.created_at
FROM relations r
JOIN memories s ON /*own s*/ s.key = r.source_key JOIN memories t ON /*own t*/ t.key = r.target_key
/*only own r*/ ORDER BY r.created_at, s.id, t.id, r.type

-- name: count_relations
SELECT count(*) FROM relations /*only own*/

-- name: suggested
SELECT s.id, t.id, r.type, r.strength, r.evidence, r.inferred, r.bidirectional, r.status, r.created_at
FROM relations r
JOIN memories s ON /*own s*/ s.key = r.source_key JOIN memories t ON /*own t*/ t.key = r.target_key
WHERE /*own r*/ r.type = ?1 AND r.status = 'suggested' AND s.status = 'active' AND t.status = 'active'
ORDER BY r.created_at DESC, s.id, t.id LIMIT ?2

-- name: prunable
SELECT s.id, t.id, r.type, r.strength, r.evidence, r.inferred, r.bidirectional, r.status, r.created_at
FROM relations r
JOIN memories s ON /*own s*/ s.key = r.source_key JOIN memories t ON /*own t*/ t.key = r.target_key
WHERE /*own r*/ r.type IN ('caused', 'enabled', 'prevented', 'triggered_by', 'derived_from')
  AND (r.strength < ?1 OR (r.inferred = 1 AND r.status = 'suggested' AND r.created_at < ?2))
ORDER BY r.created_at, s.id, t.id, r.type LIMIT ?3

-- name: strip
UPDATE relations SET evidence = :evidence, seal = :seal
WHERE /*own*/ source_key = :source_key AND target_key = :target_key AND type = :type

-- name: resting_on
SELECT source_key, target_key, type, strength, evidence, inferred, bidirectional, status, created_at
FROM relations WHERE /*own*/ instr(folded(evidence), folded(?)) > 0

-- name: end
-- Keeps what a relation was until now.
INSERT INTO former_relations (/*own column*/ {former_relations: columns})
SELECT /*own value*/ source_key, target_key, type, CAST(?4 AS bigint), strength, inferred, bidirectional,
  status, created_at, ?5
FROM relations
WHERE /*own*/ source_key = (SELECT key FROM memories WHERE /*own*/ id = ?1)
  AND target_key = (SELECT key FROM memories WHERE /*own*/ id = ?2)
  AND (?3 = '' OR type = ?3)
ON CONFLICT (/*own column*/ source_key, target_key, type, ended_at) DO NOTHING

-- name: former
SELECT s.id, t.id, r.type, r.strength, '[]', r.inferred, r.bidirectional, r.status, r.created_at, r.ended_at,
  r.reason
FROM former_relations r
JOIN memories s ON /*own s*/ s.key = r.source_key JOIN memories t ON /*own t*/ t.key = r.target_key
WHERE /*own r*/ r.source_key IN (SELECT key FROM memories
  WHERE /*own*/ id IN (SELECT value FROM json_each(?1)))
UNION
SELECT s.id, t.id, r.type, r.strength, '[]', r.inferred, r.bidirectional, r.status, r.created_at, r.ended_at,
  r.reason
FROM former_relations r
JOIN memories s ON /*own s*/ s.key = r.source_key JOIN memories t ON /*own t*/ t.key = r.target_key
WHERE /*own r*/ r.target_key IN (SELECT key FROM memories
  WHERE /*own*/ id IN (SELECT value FROM json_each(?1)))

-- name: among
-- The active causal relations between memories with these keys.
SELECT source_key, target_key, type FROM relations
WHERE /*own*/ status = 'active' AND type IN ('caused', 'enabled', 'prevented', 'triggered_by', 'derived_from')
  AND source_key IN (SELECT value FROM json_each(?1))
  AND target_key IN (SELECT value FROM json_each(?1))

-- name: by_keys
SELECT s.id, t.id, r.type, r.strength, r.evidence, r.inferred, r.bidirectional, r.status, r.created_at
FROM relations r
JOIN memories s ON /*own s*/ s.key = r.source_key JOIN memories t ON /*own t*/ t.key = r.target_key
WHERE /*own r*/ r.source_key = ? AND r.target_key = ? AND r.type = ?

-- name: along
-- From each of some memories along active relations, of the types ?2 from their sources and ?3 from their
-- targets (JSON arrays), not sorted: that takes longer here than where they are read. The last column is the
-- end that is reached.
SELECT n.id, m.id, r.type, r.strength, r.evidence, r.inferred, r.bidirectional, r.status, r.created_at, m.id
FROM memories n JOIN relations r ON /*own r*/ r.source_key = n.key
JOIN memories m ON /*own m*/ m.key = r.target_key
WHERE /*own n*/ n.id IN (SELECT value FROM json_each(?1)) AND r.status = 'active' AND r.strength >= ?4
  AND (instr(?2, '"' || r.type || '"') > 0 OR (r.bidirectional = 1 AND instr(?3, '"' || r.type || '"') > 0))
UNION ALL
SELECT m.id, n.id, r.type, r.strength, r.evidence, r.inferred, r.bidirectional, r.status, r.created_at, m.id
FROM memories n JOIN relations r ON /*own r*/ r.target_key = n.key
JOIN memories m ON /*own m*/ m.key = r.source_key
WHERE /*own n*/ n.id IN (SELECT value FROM json_each(?1)) AND r.status = 'active' AND r.strength >= ?4
  AND (instr(?3, '"' || r.type || '"') > 0 OR (r.bidirectional = 1 AND instr(?2, '"' || r.type || '"') > 0))

-- name: verdicts
-- What was read in the pairs of a memory, as both of them are now.
SELECT k.id, n.id, v.reader, v.known_version, v.new_version, v.outcome, v.chance
FROM pair_verdicts v
JOIN memories k ON /*own k*/ k.key = v.known_key JOIN memories n ON /*own n*/ n.key = v.new_key
WHERE /*own v*/ v.known_version = k.version AND v.new_version = n.version
  AND v.known_key = (SELECT key FROM memories WHERE /*own*/ id = ?1)
UNION ALL
SELECT k.id, n.id, v.reader, v.known_version, v.new_version, v.outcome, v.chance
FROM pair_verdicts v
JOIN memories k ON /*own k*/ k.key = v.known_key JOIN memories n ON /*own n*/ n.key = v.new_key
WHERE /*own v*/ v.known_version = k.version AND v.new_version = n.version
  AND v.new_key = (SELECT key FROM memories WHERE /*own*/ id = ?1)

-- name: judge
INSERT INTO pair_verdicts (/*own column*/ {pair_verdicts: columns})
SELECT /*own value*/ k.key, n.key, ?3, CAST(?4 AS bigint), CAST(?5 AS bigint), ?6,
  CAST(?7 AS double precision)
FROM memories k JOIN memories n ON /*own n*/ n.id = ?2 WHERE /*own k*/ k.id = ?1
ON CONFLICT (/*own column*/ known_key, new_key) DO UPDATE SET
  reader = excluded.reader, known_version = excluded.known_version, new_version = excluded.new_version,
  outcome = excluded.outcome, chance = excluded.chance
