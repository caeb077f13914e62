-- name: insert
INSERT INTO exchanges (workspace, key, words, length, {exchanges: columns}) VALUES (
  :workspace, 1 + coalesce((SELECT max(key) FROM exchanges WHERE workspace = :workspace), 0),
  CAST(:words AS tsvector), :length, {exchanges: values}
) RETURNING key

-- name: update
UPDATE exchanges SET {exchanges: changes}, words = CAST(:words AS tsvector), length = :length
WHERE workspace = :workspace AND key = :key

-- name: having
SELECT x.key FROM json_array_elements_text(CAST(? AS json)) WITH ORDINALITY AS v (value, place)
CROSS JOIN LATERAL (
  SELECT a.key FROM exchanges a WHERE /*own a*/ a.answered_key = CAST(v.value AS bigint)
  UNION ALL SELECT o.key FROM exchanges o WHERE /*own o*/ o.outcome_key = CAST(v.value AS bigint)
) f
JOIN exchanges x ON /*own x*/ x.key = f.key
WHERE 1 = 1 ORDER BY v.place, x.key
