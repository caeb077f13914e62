-- What operations and hooks took, and what came of questions.
-- For both engines. On PostgreSQL, comments such as `/*own*/` become conditions: see storage/dialect.py.

-- name: add
INSERT INTO metrics (/*own column*/ day, name, label, bucket, times, total)
VALUES (/*own value*/ ?, ?, ?, ?, ?, ?)
ON CONFLICT (/*own column*/ day, name, label, bucket) DO UPDATE SET
  times = metrics.times + excluded.times, total = metrics.total + excluded.total

-- name: totals
SELECT name, label, bucket, sum(times), sum(total) FROM metrics WHERE /*own*/ day >= ?
GROUP BY name, label, bucket ORDER BY name, label, bucket

-- name: ask
INSERT INTO questions (/*own column*/ {questions: columns}) VALUES (/*own value*/ {questions: values})
ON CONFLICT DO NOTHING

-- name: questions
SELECT {questions: columns} FROM questions WHERE /*own*/ at >= ? ORDER BY at DESC LIMIT ?

-- name: forget
DELETE FROM metrics WHERE /*own*/ day < ?

-- name: forget_questions
DELETE FROM questions WHERE /*own*/ at < ?

-- name: kinds
SELECT kind, count(*), avg(confidence) FROM memories WHERE /*own*/ status = 'active'
GROUP BY kind ORDER BY kind

-- name: standing
SELECT count(*), coalesce(sum(CASE WHEN standing < 1 THEN 1 ELSE 0 END), 0),
  coalesce(sum(CASE WHEN recorded_at >= ?1 THEN 1 ELSE 0 END), 0)
FROM memories WHERE /*own*/ status = 'active'

-- name: contradicted
SELECT count(*) FROM (
  SELECT r.source_key AS key FROM relations r
  JOIN memories s ON /*own s*/ s.key = r.source_key JOIN memories t ON /*own t*/ t.key = r.target_key
  WHERE /*own r*/ r.type = 'contradicts' AND s.status = 'active' AND t.status = 'active'
  UNION
  SELECT r.target_key FROM relations r
  JOIN memories s ON /*own s*/ s.key = r.source_key JOIN memories t ON /*own t*/ t.key = r.target_key
  WHERE /*own r*/ r.type = 'contradicts' AND s.status = 'active' AND t.status = 'active'
) one

-- name: waiting
SELECT count(*) FROM memories WHERE /*own*/ status = 'proposed'

-- name: since_wrong
SELECT count(*) FROM memories m WHERE /*own m*/ m.id IN (SELECT value FROM json_each(?1)) AND (
  m.status = 'superseded' OR m.key IN (
    SELECT source_key FROM relations WHERE /*own*/ type = 'contradicts'
    UNION SELECT target_key FROM relations WHERE /*own*/ type = 'contradicts'))
