-- Two ways lead on from a memory. Joined by OR, PostgreSQL looks through all relations at each step; apart,
-- it takes an index for each: 4 ms instead of 257 for an insert at p99 among 50,000 (bench/graph.py).

-- name: following
WITH RECURSIVE found (key) AS (
  SELECT CAST(?1 AS bigint)
  UNION
  SELECT n.key FROM found f CROSS JOIN LATERAL (
    SELECT r.target_key AS key FROM relations r
    WHERE /*own r*/ r.source_key = f.key AND r.status = 'active'
      AND r.type IN ('caused', 'enabled', 'prevented')
    UNION ALL
    SELECT r.source_key FROM relations r
    WHERE /*own r*/ r.target_key = f.key AND r.status = 'active'
      AND r.type IN ('triggered_by', 'derived_from')
  ) n LEFT JOIN causal_order o ON /*own o*/ o.memory_key = n.key
  WHERE coalesce(o.place, n.key) <= CAST(?2 AS bigint)
)
SELECT f.key, coalesce(o.place, f.key) FROM found f
LEFT JOIN causal_order o ON /*own o*/ o.memory_key = f.key

-- name: leading
WITH RECURSIVE found (key) AS (
  SELECT CAST(?1 AS bigint)
  UNION
  SELECT n.key FROM found f CROSS JOIN LATERAL (
    SELECT r.source_key AS key FROM relations r
    WHERE /*own r*/ r.target_key = f.key AND r.status = 'active'
      AND r.type IN ('caused', 'enabled', 'prevented')
    UNION ALL
    SELECT r.target_key FROM relations r
    WHERE /*own r*/ r.source_key = f.key AND r.status = 'active'
      AND r.type IN ('triggered_by', 'derived_from')
  ) n LEFT JOIN causal_order o ON /*own o*/ o.memory_key = n.key
  WHERE coalesce(o.place, n.key) >= CAST(?2 AS bigint)
)
SELECT f.key, coalesce(o.place, f.key) FROM found f
LEFT JOIN causal_order o ON /*own o*/ o.memory_key = f.key
