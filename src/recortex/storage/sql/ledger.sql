-- name: audit
INSERT INTO audit (memory_key, operation, actor, at, details) SELECT key, ?2, ?3, ?4, ?5 FROM memories WHERE id = ?1

-- name: audit_of
SELECT a.operation, a.actor, a.at, a.details FROM audit a
WHERE a.memory_key IN (SELECT key FROM memories WHERE id = ?1 UNION SELECT memory_key FROM tombstones WHERE id = ?1)
ORDER BY a.seq

-- name: recent_audit
SELECT coalesce(m.id, t.id, ''), a.operation, a.actor, a.at, a.details FROM audit a
LEFT JOIN memories m ON m.key = a.memory_key LEFT JOIN tombstones t ON t.memory_key = a.memory_key
ORDER BY a.seq DESC LIMIT ?

-- name: tombstone
INSERT OR REPLACE INTO tombstones (memory_key, id, purged_at) VALUES (?, ?, ?)

-- name: purged_at
SELECT purged_at FROM tombstones WHERE id = ?

-- name: degrade
INSERT INTO degradations (component, failure, fallback, recovered, first_at, last_at, times)
VALUES (?1, ?2, ?3, ?4, ?5, ?5, 1)
ON CONFLICT (component, failure, fallback) DO UPDATE SET
  recovered = excluded.recovered, last_at = excluded.last_at, times = times + 1

-- name: degradations
SELECT component, failure, fallback, recovered, first_at, last_at, times FROM degradations ORDER BY last_at DESC

-- name: checkpoint
SELECT session_id, client, position, turns, extracted_at FROM checkpoints WHERE path = ?

-- name: save_checkpoint
INSERT INTO checkpoints (path, session_id, client, position, turns, extracted_at) VALUES (?, ?, ?, ?, ?, ?)
ON CONFLICT (path) DO UPDATE SET session_id = excluded.session_id, client = excluded.client,
  position = excluded.position, turns = excluded.turns, extracted_at = excluded.extracted_at
