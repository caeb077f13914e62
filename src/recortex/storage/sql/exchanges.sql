-- name: update
UPDATE exchanges SET {exchanges: changes} WHERE /*own*/ key = :key

-- name: delete
DELETE FROM exchanges WHERE /*own*/ key = ?

-- name: beginning
SELECT id FROM exchanges WHERE /*own*/ id >= ? AND id < ? ORDER BY id LIMIT 3

-- name: sessions_beginning
SELECT DISTINCT session FROM exchanges WHERE /*own*/ session >= ? AND session < ? ORDER BY session LIMIT 3

-- name: last
WHERE /*own x*/ x.session = ? AND x.part = 0 ORDER BY x.first_turn DESC LIMIT 1

-- name: last_part
WHERE /*own x*/ x.session = ? AND x.root_turn = ? AND x.part > 0 ORDER BY x.part DESC LIMIT 1

-- name: at
WHERE /*own x*/ x.session = ? AND x.first_turn = ? AND x.part = 0

-- name: before
WHERE /*own x*/ x.session = ? AND (x.first_turn, x.part) < (?, ?)
ORDER BY x.first_turn DESC, x.part DESC LIMIT ?

-- name: after
WHERE /*own x*/ x.session = ? AND (x.first_turn, x.part) > (?, ?) ORDER BY x.first_turn, x.part LIMIT ?

-- name: added_after
WHERE /*own x*/ x.key > ? AND x.opener = 'person' AND x.part = 0 ORDER BY x.key LIMIT ?

-- name: sessions
SELECT x.session FROM exchanges x WHERE /*own x*/ 1 = 1
GROUP BY x.session ORDER BY max(coalesce(x.ended_at, 0)) DESC, x.session LIMIT ? OFFSET ?

-- name: said
SELECT x.session, x.client, x.opener, x.started_at, x.ended_at, x.message, x.opening, x.conclusion, x.branch,
  x.folder, x.files
FROM exchanges x WHERE /*own x*/ x.session IN (SELECT value FROM json_each(?))
ORDER BY x.session, x.first_turn, x.part

-- name: oldest
SELECT x.key FROM exchanges x WHERE /*own x*/ coalesce(x.ended_at, x.recorded_at) < ?
ORDER BY coalesce(x.ended_at, x.recorded_at), x.key LIMIT ?

-- name: beyond
-- A row and its words in the index take about twice its texts; two vectors of 384 numbers and the other
-- indexes take the rest (bench/exchange_store.py).
SELECT key FROM (
  SELECT x.key, coalesce(x.ended_at, x.recorded_at) AS ended,
    sum(1800 + 2 * (octet_length(x.asked) + octet_length(x.message) + octet_length(x.opening)
      + octet_length(x.conclusion) + octet_length(x.terms)))
      OVER (ORDER BY coalesce(x.ended_at, x.recorded_at) DESC, x.key DESC) AS bytes
  FROM exchanges x /*only own x*/
) sized
WHERE bytes > ? ORDER BY ended, key

-- name: waiting
WHERE /*own x*/ x.answered_key IS NULL AND x.outcome_key IS NULL
  AND x.asked || x.message || x.opening || x.conclusion <> ''
ORDER BY x.key DESC LIMIT ?

-- name: count_waiting
SELECT count(*) FROM exchanges x
WHERE /*own x*/ x.answered_key IS NULL AND x.outcome_key IS NULL
  AND x.asked || x.message || x.opening || x.conclusion <> ''

-- name: attach
UPDATE exchanges SET answered_key = ?2, outcome_key = ?3 WHERE /*own*/ key = ?1

-- name: outdated
SELECT x.key FROM exchanges x
JOIN embeddings e ON /*own e*/ e.key = coalesce(x.answered_key, x.outcome_key)
JOIN embedding_models o ON /*own o*/ o.key = e.model
WHERE /*own x*/ o.name <> ? ORDER BY x.key LIMIT ?

-- name: count_outdated
SELECT count(*) FROM exchanges x
JOIN embeddings e ON /*own e*/ e.key = coalesce(x.answered_key, x.outcome_key)
JOIN embedding_models o ON /*own o*/ o.key = e.model
WHERE /*own x*/ o.name <> ?
