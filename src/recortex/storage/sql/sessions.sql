-- Sessions, receipts and signals.
-- For both engines. On PostgreSQL, comments such as `/*own*/` become conditions: see storage/dialect.py.

-- name: put
INSERT INTO sessions (/*own column*/ {sessions: columns}) VALUES (/*own value*/ {sessions: values})
ON CONFLICT (/*own column*/ id) DO UPDATE SET {sessions: excluded}

-- name: get
SELECT {sessions: all} FROM sessions WHERE /*own*/ id = ?

-- name: beginning
SELECT id FROM sessions WHERE /*own*/ id >= ? AND id < ? ORDER BY id LIMIT 3

-- name: recent
SELECT {sessions: all} FROM sessions /*only own*/ ORDER BY seen_at DESC, id LIMIT ?

-- name: captured
UPDATE sessions SET captured_at = ?2, captured_size = ?3, told = ?4 WHERE /*own*/ id = ?1

-- name: seen
SELECT {sessions: all} FROM sessions WHERE /*own*/ seen_at >= ?1 AND seen_at < ?2 ORDER BY seen_at, id

-- name: given
SELECT memory, channel, count(*), count(CASE WHEN used_as <> '' THEN 1 END), sum(tokens),
  sum(CASE WHEN used_as <> '' THEN tokens ELSE 0 END)
FROM receipts WHERE /*own*/ at >= ?1 AND at < ?2 GROUP BY memory, channel ORDER BY memory, channel

-- name: asked
SELECT subject, digest FROM signals WHERE /*own*/ name = 'asked' AND at >= ?1 AND at < ?2 ORDER BY seq

-- name: repeats_saved
SELECT coalesce(sum(r.tokens * (SELECT count(*) - 1 FROM signals s
  WHERE /*own s*/ s.session = r.session AND s.name IN ('read', 'written') AND s.subject = r.subject
    AND s.at >= r.at HAVING count(*) > 0)), 0)
FROM receipts r WHERE /*own r*/ r.channel = 'file' AND r.at >= ?1 AND r.at < ?2

-- name: old
SELECT id FROM sessions WHERE /*own*/ seen_at < ? ORDER BY seen_at LIMIT 1000

-- name: forget_receipts
DELETE FROM receipts WHERE /*own*/ session IN (SELECT value FROM json_each(?))

-- name: forget_signals
DELETE FROM signals WHERE /*own*/ session IN (SELECT value FROM json_each(?))

-- name: forget_sessions
DELETE FROM sessions WHERE /*own*/ id IN (SELECT value FROM json_each(?))

-- name: give
INSERT INTO receipts (/*own column*/ {receipts: columns}) VALUES (/*own value*/ {receipts: values})
ON CONFLICT DO NOTHING RETURNING 1

-- name: give_again
UPDATE receipts SET at = ?4, score = ?5, tokens = ?6
  WHERE /*own*/ session = ?1 AND context = ?2 AND memory = ?3

-- name: move_receipts
UPDATE receipts AS r SET memory = ?2
WHERE /*own r*/ r.memory = ?1 AND NOT EXISTS (SELECT 1 FROM receipts o
  WHERE /*own o*/ o.session = r.session AND o.context = r.context AND o.memory = ?2)
RETURNING session, context

-- name: return_receipt
UPDATE receipts SET memory = ?2 WHERE /*own*/ memory = ?1 AND session = ?3 AND context = ?4

-- name: receipts
SELECT {receipts: all} FROM receipts
WHERE /*own*/ session = ? ORDER BY at, channel, score DESC, memory, context

-- name: outcomes
SELECT memory, count(DISTINCT session), count(DISTINCT CASE WHEN used_as <> '' THEN session END)
FROM receipts
WHERE /*own*/ memory IN (SELECT value FROM json_each(?1))
  AND (used_as <> '' OR channel IN (SELECT value FROM json_each(?2)))
GROUP BY memory

-- name: used_lately
SELECT memory FROM receipts WHERE /*own*/ used_as <> '' GROUP BY memory ORDER BY max(at) DESC LIMIT ?1

-- name: mark_used
UPDATE receipts SET used_at = ?4, used_as = ?5
  WHERE /*own*/ session = ?1 AND context = ?2 AND memory = ?3 AND used_at IS NULL
RETURNING 1

-- name: signals
SELECT {signals: columns} FROM signals WHERE /*own*/ session = ? ORDER BY seq

-- name: failed
SELECT 1 FROM signals s WHERE /*own s*/ s.session = ?1 AND s.name = 'failed' AND s.digest = ?2
  AND s.seq > coalesce((SELECT max(seq) FROM signals
    WHERE /*own*/ session = ?1 AND name = 'mended' AND digest = ?2), 0) LIMIT 1

-- name: forget_text
DELETE FROM signals WHERE /*own*/ instr(folded(subject), folded(?1)) > 0

-- name: remembered_since
SELECT 1 FROM audit
WHERE /*own*/ at >= ?1 AND actor IN ('agent', 'user') AND operation IN ('create', 'merge') LIMIT 1

-- name: receipts_of
SELECT {receipts: all} FROM receipts WHERE /*own*/ memory = ? ORDER BY at DESC LIMIT ?
