-- name: snapshot
INSERT OR REPLACE INTO versions
  (memory_key, version, recorded_from, recorded_to, state, changed_by, reason, embedding_key)
VALUES (:key, :version, :recorded_from, :recorded_to, :state, :changed_by, :reason, :embedding_key)

-- name: retain
DELETE FROM versions WHERE memory_key = ?1 AND version <= ?2

-- name: versions_of
SELECT state, version, recorded_from, recorded_to, changed_by, reason FROM versions WHERE memory_key = ?
ORDER BY version DESC

-- name: current
SELECT changed_by, reason FROM memories WHERE key = ?

-- name: held_at
SELECT state FROM versions WHERE recorded_from <= ?1 AND recorded_to > ?1

-- name: held_at_by
SELECT v.state FROM versions v JOIN memories m ON m.key = v.memory_key
WHERE m.id = ?1 AND v.recorded_from <= ?2 AND v.recorded_to > ?2

-- name: drop_version
DELETE FROM versions WHERE memory_key = ? AND version = ?
