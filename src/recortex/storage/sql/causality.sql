-- The order in which causes stand before their effects: a memory's place, its key unless told otherwise.
-- For both engines. On PostgreSQL, comments such as `/*own*/` become conditions: see storage/dialect.py.

-- name: ordered
SELECT count(*) FROM causal_order WHERE /*own*/ memory_key = 0

-- name: forget
DELETE FROM causal_order /*only own*/

-- name: place
INSERT INTO causal_order (/*own column*/ memory_key, place) VALUES (/*own value*/ ?, ?)
ON CONFLICT (/*own column*/ memory_key) DO UPDATE SET place = excluded.place

-- name: places
SELECT m.id, m.key, coalesce(o.place, m.key) FROM memories m
LEFT JOIN causal_order o ON /*own o*/ o.memory_key = m.key
WHERE /*own m*/ m.id IN (SELECT value FROM json_each(?))

-- name: following
-- What the memory with the key ?1 led to, as far as the place ?2: keys and places.
WITH RECURSIVE found (key) AS (
  SELECT CAST(?1 AS bigint)
  UNION
  SELECT CASE WHEN r.type IN ('triggered_by', 'derived_from') THEN r.source_key ELSE r.target_key END
  FROM found f JOIN relations r ON /*own r*/ r.status = 'active' AND (
    (r.source_key = f.key AND r.type IN ('caused', 'enabled', 'prevented'))
    OR (r.target_key = f.key AND r.type IN ('triggered_by', 'derived_from')))
  LEFT JOIN causal_order o ON /*own o*/ o.memory_key =
    CASE WHEN r.type IN ('triggered_by', 'derived_from') THEN r.source_key ELSE r.target_key END
  WHERE coalesce(
    o.place, CASE WHEN r.type IN ('triggered_by', 'derived_from') THEN r.source_key ELSE r.target_key END
  ) <= CAST(?2 AS bigint)
)
SELECT f.key, coalesce(o.place, f.key) FROM found f
LEFT JOIN causal_order o ON /*own o*/ o.memory_key = f.key

-- name: leading
-- What led to the memory with the key ?1, as far back as the place ?2: keys and places.
WITH RECURSIVE found (key) AS (
  SELECT CAST(?1 AS bigint)
  UNION
  SELECT CASE WHEN r.type IN ('triggered_by', 'derived_from') THEN r.target_key ELSE r.source_key END
  FROM found f JOIN relations r ON /*own r*/ r.status = 'active' AND (
    (r.target_key = f.key AND r.type IN ('caused', 'enabled', 'prevented'))
    OR (r.source_key = f.key AND r.type IN ('triggered_by', 'derived_from')))
  LEFT JOIN causal_order o ON /*own o*/ o.memory_key =
    CASE WHEN r.type IN ('triggered_by', 'derived_from') THEN r.target_key ELSE r.source_key END
  WHERE coalesce(
    o.place, CASE WHEN r.type IN ('triggered_by', 'derived_from') THEN r.target_key ELSE r.source_key END
  ) >= CAST(?2 AS bigint)
)
SELECT f.key, coalesce(o.place, f.key) FROM found f
LEFT JOIN causal_order o ON /*own o*/ o.memory_key = f.key

-- name: arcs
-- Every active causal relation: cause and effect as keys, its strength, what else names it.
SELECT CASE WHEN type IN ('triggered_by', 'derived_from') THEN target_key ELSE source_key END,
  CASE WHEN type IN ('triggered_by', 'derived_from') THEN source_key ELSE target_key END,
  strength, type
FROM relations
WHERE /*own*/ status = 'active'
  AND type IN ('caused', 'enabled', 'prevented', 'triggered_by', 'derived_from')
ORDER BY 1, 2, 4
