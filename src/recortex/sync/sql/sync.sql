-- Versions that a team shares, what is shown of them, replicas, and conflicts.
-- For both engines. On PostgreSQL, comments such as `/*own*/` become conditions: see storage/dialect.py.

-- name: append
INSERT INTO sync_log (/*own column*/ {sync_log: columns}) VALUES (/*own value*/ {sync_log: values})

-- name: of_records
SELECT {sync_log: columns} FROM sync_log WHERE /*own*/ record IN (SELECT value FROM json_each(?))
ORDER BY record, clock, replica, counter

-- name: after
SELECT {sync_log: columns} FROM sync_log WHERE /*own*/ replica = ? AND counter > ? ORDER BY counter LIMIT ?

-- name: at
SELECT {sync_log: columns} FROM sync_log WHERE /*own*/ replica = ? AND counter = ?

-- name: records_of
SELECT DISTINCT record FROM sync_log WHERE /*own*/ replica = ? ORDER BY record

-- name: drop_after
DELETE FROM sync_log WHERE /*own*/ replica = ? AND counter > ?

-- name: count
SELECT count(*), count(DISTINCT record) FROM sync_log /*only own*/

-- name: purges
SELECT record, replica, counter FROM sync_log WHERE /*own*/ operation = 'purge' ORDER BY clock, replica

-- name: purged
SELECT DISTINCT record FROM sync_log
WHERE /*own*/ operation = 'purge' AND record IN (SELECT value FROM json_each(?))

-- name: hollow
UPDATE sync_log SET body = NULL WHERE /*own*/ body IS NOT NULL AND record = ?

-- name: purge_of
SELECT {sync_log: columns} FROM sync_log
WHERE /*own*/ operation = 'purge' AND record IN (SELECT value FROM json_each(?)) ORDER BY clock, replica

-- name: to_erase
SELECT DISTINCT m.id FROM sync_log l JOIN memories m ON /*own m*/ m.id = l.record
WHERE /*own l*/ l.operation = 'purge'

-- name: exchanges_to_erase
SELECT DISTINCT x.id FROM sync_log l JOIN exchanges x ON /*own x*/ x.id = substr(l.record, 10)
WHERE /*own l*/ l.operation = 'purge' AND substr(l.record, 1, 9) = 'exchange:'

-- name: exchange_key
SELECT key FROM exchanges WHERE /*own*/ id = ?

-- name: newest_exchange
SELECT key, recorded_at FROM exchanges /*only own*/ ORDER BY key DESC LIMIT 1

-- name: exchange_before
SELECT key FROM exchanges WHERE /*own*/ recorded_at <= ? ORDER BY key DESC LIMIT 1

-- name: new_exchanges
SELECT x.key FROM exchanges x WHERE /*own x*/ x.key > ?
  AND x.opener <> 'imported' AND substr(x.session, 1, 5) <> 'team:'
UNION ALL
SELECT x.key FROM exchanges x WHERE /*own x*/ x.ended_at >= ?
  AND x.opener <> 'imported' AND substr(x.session, 1, 5) <> 'team:'

-- name: heads
SELECT record, head, shown, leaves FROM sync_heads WHERE /*own*/ record IN (SELECT value FROM json_each(?))

-- name: put_head
INSERT INTO sync_heads (/*own column*/ {sync_heads: columns}) VALUES (/*own value*/ {sync_heads: values})
ON CONFLICT (/*own column*/ record) DO UPDATE SET {sync_heads: excluded}

-- name: open
SELECT record, head, shown, leaves FROM sync_heads WHERE /*own*/ (leaves > 1 OR leaves < -1) ORDER BY record

-- name: waiting
SELECT record FROM sync_heads WHERE /*own*/ (leaves < 0 OR (shown = 0 AND leaves > 0)) ORDER BY record

-- name: pending
SELECT memory_key, times FROM sync_changed /*only own*/ ORDER BY memory_key

-- name: shared_keys
SELECT key FROM memories WHERE /*own*/ scope = 'project'
UNION SELECT memory_key FROM tombstones WHERE /*own*/ reason = 'purge'
ORDER BY 1

-- name: note_look
INSERT INTO sync_changed (/*own column*/ memory_key, times) VALUES (/*own value*/ 0, ?)
ON CONFLICT (/*own column*/ memory_key) DO UPDATE SET times = excluded.times

-- name: looked_at
DELETE FROM sync_changed WHERE /*own*/ memory_key = ? AND times = ?

-- name: look_no_more
DELETE FROM sync_changed /*only own*/

-- name: keys
SELECT key FROM memories WHERE /*own*/ id IN (SELECT value FROM json_each(?))

-- name: changed
SELECT m.id FROM memories m LEFT JOIN sync_heads h ON /*own h*/ h.record = m.id
WHERE /*own m*/ m.key IN (SELECT value FROM json_each(?))
  AND m.scope = 'project' AND ((h.shown <> m.version AND h.shown > 0) OR (h.record IS NULL
  AND m.status IN ('active', 'superseded') AND m.origin NOT IN ('repository', 'code_index')))
ORDER BY m.key

-- name: gone
SELECT h.record FROM tombstones t JOIN sync_heads h ON /*own h*/ h.record = t.id
WHERE /*own t*/ t.memory_key IN (SELECT value FROM json_each(?)) AND t.reason = 'purge' AND h.leaves <> 0
ORDER BY h.record

-- name: exchanges_gone
SELECT h.record FROM tombstones t JOIN sync_heads h ON /*own h*/ h.record = 'exchange:' || t.id
WHERE /*own t*/ t.memory_key IN (SELECT value FROM json_each(?)) AND t.reason = 'purge' AND h.leaves <> 0
ORDER BY h.record

-- name: loose
SELECT h.record FROM sync_heads h WHERE /*own h*/ h.leaves <> 0 AND substr(h.record, 1, 9) = 'relation:'
AND EXISTS (SELECT 1 FROM sync_log l
  WHERE /*own l*/ l.operation = 'purge' AND instr(h.record, ':' || l.record) > 0)
ORDER BY h.record

-- name: relations
SELECT s.id, r.type, t.id, r.strength, r.evidence, r.inferred, r.bidirectional, r.created_at
FROM (
  SELECT o.source_key, o.target_key, o.type FROM relations o
  WHERE /*own o*/ o.source_key IN (SELECT value FROM json_each(?1))
  UNION SELECT i.source_key, i.target_key, i.type FROM relations i
  WHERE /*own i*/ i.target_key IN (SELECT value FROM json_each(?1))
) f
JOIN relations r
  ON /*own r*/ r.source_key = f.source_key AND r.target_key = f.target_key AND r.type = f.type
JOIN memories s ON /*own s*/ s.key = r.source_key
JOIN memories t ON /*own t*/ t.key = r.target_key
JOIN sync_heads a ON /*own a*/ a.record = s.id
JOIN sync_heads b ON /*own b*/ b.record = t.id
WHERE r.status = 'active' AND (r.inferred = 0 OR r.type = 'supersedes')
ORDER BY s.id, r.type, t.id

-- name: relation_heads
SELECT h.record, h.head, h.shown, h.leaves FROM memories m
JOIN sync_heads h
  ON /*own h*/ h.record > 'relation:' || m.id || ':' AND h.record < 'relation:' || m.id || ';'
WHERE /*own m*/ m.key IN (SELECT value FROM json_each(?))

-- name: replicas
SELECT replica, author, card, trusted, applied FROM sync_replicas /*only own*/ ORDER BY author, replica

-- name: put_replica
INSERT INTO sync_replicas (/*own column*/ {sync_replicas: columns})
VALUES (/*own value*/ {sync_replicas: values})
ON CONFLICT (/*own column*/ replica) DO UPDATE SET {sync_replicas: excluded}

-- name: applied
UPDATE sync_replicas SET applied = ? WHERE /*own*/ replica = ?

-- name: state
SELECT {sync_state: columns} FROM sync_state WHERE /*own*/ peer = ?

-- name: peers
SELECT {sync_state: columns} FROM sync_state WHERE /*own*/ peer <> '' ORDER BY peer

-- name: put_state
INSERT INTO sync_state (/*own column*/ {sync_state: columns}) VALUES (/*own value*/ {sync_state: values})
ON CONFLICT (/*own column*/ peer) DO UPDATE SET {sync_state: excluded}

-- name: forget_peers
DELETE FROM sync_state WHERE /*own*/ peer <> ''

-- name: found_conflict
INSERT INTO conflict_log (/*own column*/ {conflict_log: columns})
VALUES (/*own value*/ {conflict_log: values})
ON CONFLICT (/*own column*/ record, one, other) DO UPDATE SET head = excluded.head

-- name: settle
UPDATE conflict_log SET settled_at = ?, settled_by = ? WHERE /*own*/ record = ? AND settled_at IS NULL

-- name: conflicts
SELECT {conflict_log: columns} FROM conflict_log WHERE /*own*/ settled_at IS NULL
ORDER BY found_at DESC, record LIMIT ?
