-- The audit log, checkpoints, tombstones and degradations.
-- For both engines. On PostgreSQL, comments such as `/*own*/` become conditions: see storage/dialect.py.

-- name: note_changed
INSERT INTO sync_changed (/*own column*/ memory_key, times)
SELECT /*own value*/ ?, 1 FROM sync_changed c WHERE /*own c*/ c.memory_key = 0
ON CONFLICT (/*own column*/ memory_key) DO UPDATE SET times = sync_changed.times + 1

-- name: audit_of
SELECT a.operation, a.actor, a.at, a.details FROM audit a
WHERE /*own a*/ a.memory_key IN (
  SELECT key FROM memories WHERE /*own*/ id = ?1 UNION SELECT memory_key FROM tombstones WHERE /*own*/ id = ?1
)
ORDER BY a.seq

-- name: recent_audit
SELECT coalesce(m.id, t.id, ''), a.operation, a.actor, a.at, a.details FROM audit a
LEFT JOIN memories m ON /*own m*/ m.key = a.memory_key
LEFT JOIN tombstones t ON /*own t*/ t.memory_key = a.memory_key
/*only own a*/
ORDER BY a.seq DESC LIMIT ?

-- name: of_generation
SELECT m.id, a.operation, a.actor, a.at, a.details FROM audit a
JOIN memories m ON /*own m*/ m.key = a.memory_key
WHERE /*own a*/ a.operation IN ('generation', 'generation_outcome') AND instr(a.details, ?1) > 0
ORDER BY a.seq

-- name: tombstone
INSERT INTO tombstones (/*own column*/ memory_key, id, purged_at, reason) VALUES (/*own value*/ ?, ?, ?, ?)
ON CONFLICT (/*own column*/ memory_key) DO UPDATE SET
  id = excluded.id, purged_at = excluded.purged_at, reason = excluded.reason

-- name: exhume
DELETE FROM tombstones WHERE /*own*/ id = ? AND memory_key <> ?

-- name: buried
SELECT purged_at, reason FROM tombstones WHERE /*own*/ id = ?

-- name: degrade
INSERT INTO degradations (/*own column*/ component, failure, fallback, recovered, first_at, last_at, times)
VALUES (/*own value*/ ?1, ?2, ?3, ?4, ?5, ?5, 1)
ON CONFLICT (/*own column*/ component, failure, fallback) DO UPDATE SET
  first_at = CASE WHEN degradations.recovered = 1 THEN excluded.first_at ELSE degradations.first_at END,
  recovered = excluded.recovered, last_at = excluded.last_at, times = degradations.times + 1

-- name: degrade_once
INSERT INTO degradation_times (/*own column*/ component, at) VALUES (/*own value*/ ?, ?)
ON CONFLICT DO NOTHING

-- name: degraded_since
SELECT component, count(*) FROM degradation_times WHERE /*own*/ at > ? GROUP BY component ORDER BY component

-- name: works_again
UPDATE degradations SET recovered = 1 WHERE /*own*/ component = ? AND recovered = 0

-- name: degradations
SELECT component, failure, fallback, recovered, first_at, last_at, times FROM degradations
/*only own*/ ORDER BY last_at DESC, component, failure, fallback

-- name: checkpoint
SELECT path, session_id, client, position, turns, extracted_at FROM checkpoints WHERE /*own*/ path = ?

-- name: save_checkpoint
INSERT INTO checkpoints (/*own column*/ path, session_id, client, position, turns, extracted_at)
VALUES (/*own value*/ ?, ?, ?, ?, ?, ?)
ON CONFLICT (/*own column*/ path) DO UPDATE SET session_id = excluded.session_id, client = excluded.client,
  position = excluded.position, turns = excluded.turns, extracted_at = excluded.extracted_at
