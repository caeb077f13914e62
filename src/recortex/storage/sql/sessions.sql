-- name: put
INSERT INTO sessions (
  id, client, cwd, branch, transcript, process, parent, started_at, seen_at, ended_at, end_reason, context, captured_at,
  captured_size, told
) VALUES (
  :id, :client, :cwd, :branch, :transcript, :process, :parent, :started_at, :seen_at, :ended_at, :end_reason, :context,
  :captured_at, :captured_size, :told
) ON CONFLICT (id) DO UPDATE SET
  client = excluded.client, cwd = excluded.cwd, branch = excluded.branch, transcript = excluded.transcript,
  process = excluded.process, parent = excluded.parent, seen_at = excluded.seen_at, ended_at = excluded.ended_at,
  end_reason = excluded.end_reason, context = excluded.context

-- name: get
SELECT id, client, cwd, branch, transcript, process, parent, started_at, seen_at, ended_at, end_reason, context, captured_at,
  captured_size, told
FROM sessions WHERE id = ?

-- name: beginning
SELECT id FROM sessions WHERE id >= ? AND id < ? ORDER BY id LIMIT 3

-- name: recent
SELECT id, client, cwd, branch, transcript, process, parent, started_at, seen_at, ended_at, end_reason, context, captured_at,
  captured_size, told
FROM sessions ORDER BY seen_at DESC, id LIMIT ?

-- name: captured
UPDATE sessions SET captured_at = ?2, captured_size = ?3, told = ?4 WHERE id = ?1

-- name: old
SELECT id FROM sessions WHERE seen_at < ? ORDER BY seen_at LIMIT 1000

-- name: forget_receipts
DELETE FROM receipts WHERE session IN (SELECT value FROM json_each(?))

-- name: forget_signals
DELETE FROM signals WHERE session IN (SELECT value FROM json_each(?))

-- name: forget_sessions
DELETE FROM sessions WHERE id IN (SELECT value FROM json_each(?))

-- name: give
INSERT INTO receipts (session, context, memory, scope, channel, subject, at, score, tokens, used_at, used_as)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, NULL, '') ON CONFLICT DO NOTHING RETURNING 1

-- name: receipts
SELECT session, context, memory, scope, channel, at, subject, score, tokens, used_at, used_as
FROM receipts WHERE session = ? ORDER BY at, channel, score DESC, memory

-- name: mark_used
UPDATE receipts SET used_at = ?4, used_as = ?5 WHERE session = ?1 AND context = ?2 AND memory = ?3 AND used_at IS NULL
RETURNING 1

-- name: note
INSERT INTO signals (session, at, name, subject, digest) VALUES (?, ?, ?, ?, ?)

-- name: signals
SELECT session, at, name, subject, digest FROM signals WHERE session = ? ORDER BY seq

-- name: failed
SELECT 1 FROM signals s WHERE s.session = ?1 AND s.name = 'failed' AND s.digest = ?2
  AND s.seq > coalesce((SELECT max(seq) FROM signals WHERE session = ?1 AND name = 'mended' AND digest = ?2), 0) LIMIT 1

-- name: forget_text
DELETE FROM signals WHERE instr(subject, ?1) > 0

-- name: unheard
SELECT value ->> 0 FROM json_each(?)
WHERE (value ->> 1) * 1000000 >= (SELECT min(applied_at) FROM schema_migrations)
  AND NOT EXISTS (SELECT 1 FROM checkpoints WHERE path = value ->> 0)
  AND NOT EXISTS (SELECT 1 FROM sessions WHERE transcript = value ->> 0)

-- name: cited
SELECT value FROM json_each(?) WHERE EXISTS (SELECT 1 FROM memory_files WHERE path = value) GROUP BY value
