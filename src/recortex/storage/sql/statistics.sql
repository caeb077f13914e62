-- What decay, the brief and the lifecycle read of memories.
-- For both engines. On PostgreSQL, comments such as `/*own*/` become conditions: see storage/dialect.py.
-- Those that begin with WHERE are added to `columns` of the engine.

-- name: fading
WHERE /*own m*/ m.status = 'active' AND m.pinned = 0 AND m.updated_at <= ?1 AND m.origin <> 'repository'
  AND coalesce(m.last_accessed_at, m.recorded_at) <= ?1
ORDER BY m.key

-- name: resting
WHERE /*own m*/ m.status = 'archived' AND m.pinned = 0 AND m.updated_at <= ?1
  AND coalesce(m.last_accessed_at, 0) <= ?1
ORDER BY m.key

-- name: unconfirmed
WHERE /*own m*/ m.status = 'proposed' AND m.pinned = 0 AND m.updated_at <= ?1 AND m.origin <> 'repository'
  AND coalesce(m.last_accessed_at, m.recorded_at) <= ?1
ORDER BY m.key

-- name: presentable
WHERE /*own m*/ m.status = 'active' AND (m.trust <> 'untrusted' OR m.origin = 'repository')
  AND m.valid_from <= ?1
  AND (m.valid_until IS NULL OR m.valid_until > ?1)
ORDER BY m.key

-- name: more_than
SELECT count(*) FROM (SELECT 1 FROM memories /*only own*/ LIMIT ?1) n

-- name: told_of_each
SELECT count(*) FROM memories
WHERE /*own*/ status = 'active' AND (trust = 'trusted' OR pinned <> 0 OR validated_at IS NOT NULL
  OR source IS NULL OR source = replace(source, '"rule"', '')
  OR replace(source, '"command_habit"', '') <> source)
GROUP BY kind, priority

-- name: told
-- As many of the latest of each kind and priority: no more of the index is read than that.
WITH told AS MATERIALIZED (
  SELECT kind, priority, (
    SELECT key FROM memories c WHERE /*own c*/ c.kind = g.kind AND c.priority = g.priority
      AND c.status = 'active' AND (c.trust = 'trusted' OR c.pinned <> 0
      OR c.validated_at IS NOT NULL OR c.source IS NULL OR c.source = replace(c.source, '"rule"', '')
      OR replace(c.source, '"command_habit"', '') <> c.source)
    ORDER BY c.recorded_at DESC, c.key LIMIT 1 OFFSET ?1 - 1) AS last
  FROM (SELECT DISTINCT kind, priority FROM memories
    WHERE /*own*/ status = 'active' AND (trust = 'trusted' OR pinned <> 0
    OR validated_at IS NOT NULL OR source IS NULL OR source = replace(source, '"rule"', '')
    OR replace(source, '"command_habit"', '') <> source)) g
)
SELECT m.key FROM told LEFT JOIN memories l ON /*own l*/ l.key = told.last
JOIN memories m ON m.kind = told.kind AND m.priority = told.priority
  AND m.recorded_at >= coalesce(l.recorded_at, 0)
WHERE /*own m*/ m.status = 'active' AND (m.trust = 'trusted' OR m.pinned <> 0
  OR m.validated_at IS NOT NULL OR m.source IS NULL OR m.source = replace(m.source, '"rule"', '')
  OR replace(m.source, '"command_habit"', '') <> m.source)
  AND (l.key IS NULL OR m.recorded_at > l.recorded_at OR m.key <= l.key)

-- name: foremost
WHERE /*own m*/ m.status = 'active' AND (m.trust <> 'untrusted' OR m.origin = 'repository')
  AND m.valid_from <= ?1
  AND (m.valid_until IS NULL OR m.valid_until > ?1)
  AND m.key IN (
    SELECT latest.key FROM (
      SELECT key FROM memories WHERE /*own*/ status = 'active' ORDER BY recorded_at DESC LIMIT ?2) latest
    UNION SELECT written.key FROM (
      SELECT key FROM memories
      WHERE /*own*/ origin = 'repository'
        OR (origin = 'user' AND replace(source, '"instruction_file"', '') <> source)
      ORDER BY recorded_at DESC LIMIT ?2) written
    UNION SELECT recalled.key FROM (
      SELECT key FROM memories WHERE /*own*/ access_count > 0 ORDER BY access_count DESC LIMIT ?2) recalled
    UNION SELECT central.key FROM (
      SELECT target_key AS key FROM relations /*only own*/
      GROUP BY target_key ORDER BY count(*) DESC LIMIT ?2) central
    UNION SELECT key FROM memories WHERE /*own*/ key IN (SELECT value FROM json_each(?3))
    UNION SELECT key FROM memories WHERE /*own*/ id IN (SELECT value FROM json_each(?4))
    UNION SELECT key FROM memories
      WHERE /*own*/ session <> '' AND session IN (SELECT value FROM json_each(?5))
  )
ORDER BY m.key

-- name: paths
SELECT DISTINCT path FROM memory_files /*only own*/

-- name: about
SELECT memory_key FROM memory_files
WHERE /*own*/ path IN (SELECT value FROM json_each(?1)) ORDER BY memory_key

-- name: generation
SELECT coalesce((SELECT max(seq) FROM audit /*only own*/), 0), (SELECT count(*) FROM memories /*only own*/),
  (SELECT count(*) FROM tombstones /*only own*/)

-- name: named
WHERE /*own m*/ m.id IN (SELECT value FROM json_each(?1))

-- name: given
SELECT memory, count(*), sum(place) FROM (
  SELECT memory, row_number() OVER (
    PARTITION BY session, context, channel, subject ORDER BY score DESC, memory) AS place
  FROM receipts WHERE /*own*/ at >= ?1 AND at < ?2) ranked
GROUP BY memory

-- name: standing
SELECT m.key, m.id, m.priority, m.recorded_at,
  (SELECT count(*) FROM relations r WHERE /*own r*/ r.source_key = m.key AND r.status = 'active')
  + (SELECT count(*) FROM relations r WHERE /*own r*/ r.target_key = m.key AND r.status = 'active')
  + (SELECT count(*) FROM memory_files f WHERE /*own f*/ f.memory_key = m.key)
  + (SELECT count(*) FROM memory_functions f WHERE /*own f*/ f.memory_key = m.key)
  + (SELECT count(*) FROM memory_patterns p WHERE /*own p*/ p.memory_key = m.key)
  + (SELECT count(*) FROM memory_constraints c WHERE /*own c*/ c.memory_key = m.key),
  (SELECT count(*) FROM relations r WHERE /*own r*/ r.source_key = m.key AND r.type = 'supersedes'),
  (SELECT count(*) FROM relations r WHERE /*own r*/ r.source_key = m.key AND r.type = 'contradicts')
  + (SELECT count(*) FROM relations r WHERE /*own r*/ r.target_key = m.key AND r.type = 'contradicts'),
  CASE WHEN m.validated_at IS NULL THEN 0 ELSE 1 END,
  (SELECT max(a.at) FROM audit a WHERE /*own a*/ a.memory_key = m.key AND a.operation = 'reclassify')
FROM memories m WHERE /*own m*/ m.status = 'active' AND m.pinned = 0
ORDER BY m.key

-- name: added_by_day
SELECT recorded_at / 86400000000, count(*) FROM memories /*only own*/ GROUP BY 1

-- name: contradictions_by_day
SELECT created_at / 86400000000, count(*) FROM relations WHERE /*own*/ type = 'contradicts' GROUP BY 1

-- name: given_by_day
SELECT at / 86400000000, count(*), sum(CASE WHEN used_at IS NULL THEN 0 ELSE 1 END), sum(tokens) FROM receipts
WHERE /*own*/ at >= ? GROUP BY 1
