-- name: insert
INSERT INTO exchanges ({exchanges: columns}) VALUES ({exchanges: values}) RETURNING key

-- name: having
SELECT x.key FROM json_each(?) v CROSS JOIN exchanges x
ON (x.answered_key = v.value OR x.outcome_key = v.value)
WHERE 1 = 1 ORDER BY v.key, x.key
