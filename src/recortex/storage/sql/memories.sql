-- Memories with their versions, evidence and links.
-- For both engines. On PostgreSQL, comments such as `/*own*/` become conditions: see storage/dialect.py.

-- name: update_memory
UPDATE memories SET {memories: changes} WHERE /*own*/ key = :key

-- name: delete_memory
DELETE FROM memories WHERE /*own*/ key = ?

-- name: ids_beginning
SELECT id FROM memories WHERE /*own*/ id >= ? AND id < ? ORDER BY id LIMIT 3

-- name: sessions
SELECT session FROM memories WHERE /*own*/ session <> '' GROUP BY session ORDER BY max(key) DESC

-- name: neighbours
SELECT turn, speaker, text FROM memories
WHERE /*own*/ session <> '' AND session = ? AND turn BETWEEN ? AND ? ORDER BY turn, key

-- name: insert_files
INSERT INTO memory_files (
  /*own column*/ memory_key, path, line_start, line_end, content_hash, commit_id, signature
) VALUES (/*own value*/ ?, ?, ?, ?, ?, ?, ?)

-- name: insert_functions
INSERT INTO memory_functions (/*own column*/ memory_key, name, file, signature)
  VALUES (/*own value*/ ?, ?, ?, ?)

-- name: insert_patterns
INSERT INTO memory_patterns (/*own column*/ memory_key, pattern_id, name) VALUES (/*own value*/ ?, ?, ?)
ON CONFLICT (/*own column*/ memory_key, pattern_id) DO UPDATE SET name = excluded.name

-- name: insert_constraints
INSERT INTO memory_constraints (/*own column*/ memory_key, constraint_id, name) VALUES (/*own value*/ ?, ?, ?)
ON CONFLICT (/*own column*/ memory_key, constraint_id) DO UPDATE SET name = excluded.name

-- name: patterns_of
SELECT memory_key, pattern_id, name FROM memory_patterns
WHERE /*own*/ memory_key IN (SELECT value FROM json_each(?)) ORDER BY pattern_id

-- name: constraints_of
SELECT memory_key, constraint_id, name FROM memory_constraints
WHERE /*own*/ memory_key IN (SELECT value FROM json_each(?)) ORDER BY constraint_id

-- name: add_evidence
INSERT INTO evidence (/*own column*/ memory_key, place)
SELECT /*own value*/ key, ? FROM memories WHERE /*own*/ id = ? ON CONFLICT DO NOTHING RETURNING 1

-- name: learned
INSERT INTO evidence (/*own column*/ memory_key, place) VALUES (/*own value*/ ?, ?)

-- name: learned_at
SELECT m.id FROM evidence e JOIN memories m ON /*own m*/ m.key = e.memory_key
WHERE /*own e*/ e.place = ? ORDER BY m.key

-- name: drop_evidence
DELETE FROM evidence
WHERE /*own*/ place = ?2 AND memory_key = (SELECT key FROM memories WHERE /*own*/ id = ?1)

-- name: count_by_kind
SELECT kind, status, count(*) FROM memories /*only own*/ GROUP BY kind, status ORDER BY kind, status

-- name: key_of
SELECT key FROM memories WHERE /*own*/ id = ?

-- name: behind
SELECT changed_by, reason, embedding_key, recorded_at,
  checked_at, standing, standing_since, verdict
FROM memories WHERE /*own*/ key = ?

-- name: snapshot
INSERT INTO versions (/*own column*/ {versions: columns}) VALUES (/*own value*/ {versions: values})
ON CONFLICT (/*own column*/ memory_key, version) DO UPDATE SET {versions: excluded}

-- name: retain
DELETE FROM versions WHERE /*own*/ memory_key = ?1 AND version <= ?2

-- name: versions_of
SELECT state, version, recorded_from, recorded_to, changed_by, reason FROM versions
  WHERE /*own*/ memory_key = ?
ORDER BY version DESC

-- name: held_at
SELECT v.state FROM versions v JOIN memories m ON /*own m*/ m.key = v.memory_key
WHERE /*own v*/ v.recorded_to > ?1
  AND (v.recorded_from <= ?1 OR (v.version = 1 AND m.session <> '' AND m.valid_from <= ?1
    AND (m.valid_until IS NULL OR m.valid_until > ?1)))

-- name: held_at_by
SELECT v.state FROM versions v JOIN memories m ON /*own m*/ m.key = v.memory_key
WHERE /*own v*/ m.id = ?1 AND v.recorded_to > ?2
  AND (v.recorded_from <= ?2 OR (v.version = 1 AND m.session <> '' AND m.valid_from <= ?2
    AND (m.valid_until IS NULL OR m.valid_until > ?2)))

-- name: added_after
SELECT m.key, m.id FROM memories m WHERE /*own m*/ m.key > ? ORDER BY m.key LIMIT ?

-- name: unchecked
SELECT id FROM memories
WHERE /*own*/ status = 'active' AND kind <> 'code' AND origin <> 'repository'
  AND (checked_at IS NULL OR checked_at <= ?1)
ORDER BY coalesce(checked_at, 0), key LIMIT ?2

-- name: verdicts
SELECT id, verdict FROM memories WHERE /*own*/ id IN (SELECT value FROM json_each(?)) AND verdict IS NOT NULL

-- name: check
UPDATE memories SET checked_at = ?1, verdict = ?2, standing = ?3,
  standing_since = CASE WHEN standing IS NOT DISTINCT FROM ?3 THEN standing_since ELSE ?1 END
WHERE /*own*/ id = ?4 AND updated_at = ?5

-- Each half repeats the condition of its index: without it, the index is not used.
-- name: any_untimely
SELECT EXISTS (SELECT 1 FROM memories m WHERE /*own m*/ m.status = 'active' AND m.valid_until IS NOT NULL
    AND m.valid_until <= ?1)
  OR EXISTS (SELECT 1 FROM memories m WHERE /*own m*/ m.status = 'active' AND m.valid_from > m.recorded_at
    AND m.valid_from > ?1)

-- name: contradicting
SELECT s.id, t.id FROM relations r
JOIN memories s ON /*own s*/ s.key = r.source_key JOIN memories t ON /*own t*/ t.key = r.target_key
WHERE /*own r*/ r.type = 'contradicts' AND s.status = 'active' AND t.status = 'active'
  AND r.source_key IN (SELECT key FROM memories WHERE /*own*/ id IN (SELECT value FROM json_each(?1)))
UNION
SELECT s.id, t.id FROM relations r
JOIN memories s ON /*own s*/ s.key = r.source_key JOIN memories t ON /*own t*/ t.key = r.target_key
WHERE /*own r*/ r.type = 'contradicts' AND s.status = 'active' AND t.status = 'active'
  AND r.target_key IN (SELECT key FROM memories WHERE /*own*/ id IN (SELECT value FROM json_each(?1)))
