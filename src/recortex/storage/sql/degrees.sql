-- How many active relations point at a memory; one in both directions points at both.
-- For both engines. On PostgreSQL, comments such as `/*own*/` become conditions: see storage/dialect.py.

-- name: degrees
SELECT n.key, count(*) FROM (
  SELECT target_key AS key FROM relations
  WHERE /*own*/ status = 'active' AND target_key IN (SELECT value FROM json_each(?1))
  UNION ALL SELECT source_key FROM relations
  WHERE /*own*/ status = 'active' AND bidirectional = 1 AND source_key IN (SELECT value FROM json_each(?1))
) n GROUP BY n.key

-- name: ends
SELECT source_key FROM relations WHERE /*own*/ target_key = ?1
UNION SELECT target_key FROM relations WHERE /*own*/ source_key = ?1

-- name: distribution
SELECT g.degree, count(*) FROM (
  SELECT count(*) AS degree FROM (
    SELECT target_key AS key FROM relations WHERE /*own*/ status = 'active'
    UNION ALL SELECT source_key FROM relations WHERE /*own*/ status = 'active' AND bidirectional = 1
  ) a GROUP BY a.key
) g GROUP BY g.degree

-- name: made
SELECT count(*) FROM relation_degrees WHERE /*own*/ degree = 0

-- name: greatest
SELECT coalesce(max(degree), 0) FROM relation_degrees WHERE /*own*/ memories > 0

-- name: add
INSERT INTO relation_degrees (/*own column*/ degree, memories) VALUES (/*own value*/ ?, ?)
ON CONFLICT (/*own column*/ degree) DO UPDATE SET memories = relation_degrees.memories + excluded.memories
