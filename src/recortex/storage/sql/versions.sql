-- name: snapshot
INSERT INTO versions (/*own column*/ {versions: columns}) VALUES (/*own value*/ {versions: values})
ON CONFLICT (/*own column*/ memory_key, version) DO UPDATE SET {versions: excluded}

-- name: retain
DELETE FROM versions WHERE /*own*/ memory_key = ?1 AND version <= ?2

-- name: versions_of
SELECT state, version, recorded_from, recorded_to, changed_by, reason FROM versions
  WHERE /*own*/ memory_key = ?
ORDER BY version DESC

-- name: current
SELECT changed_by, reason FROM memories WHERE /*own*/ key = ?

-- name: held_at
SELECT state FROM versions WHERE /*own*/ recorded_from <= ?1 AND recorded_to > ?1

-- name: held_at_by
SELECT v.state FROM versions v JOIN memories m ON /*own m*/ m.key = v.memory_key
WHERE /*own v*/ m.id = ?1 AND v.recorded_from <= ?2 AND v.recorded_to > ?2

-- name: drop_version
DELETE FROM versions WHERE /*own*/ memory_key = ? AND version = ?
