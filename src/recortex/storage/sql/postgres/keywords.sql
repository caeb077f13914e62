-- The keyword index of any table: PostgreSQL alone. For `/*own*/` see storage/dialect.py.
-- Python puts a condition for `1 = 1` and a number for `LIMIT ALL` into `match_among`.

-- name: match
SELECT key, score FROM {function}(CAST(?5 AS tsquery), CAST(?2 AS text[]),
  CAST(?3 AS double precision[]), CAST(?4 AS double precision), {flag}
  CAST(?6 AS integer), CAST(?1 AS integer))

-- name: match_among
SELECT key, score FROM (
  SELECT f.key, f.score
  FROM {function}(CAST(?5 AS tsquery), CAST(?2 AS text[]), CAST(?3 AS double precision[]),
    CAST(?4 AS double precision), {flag} NULL, NULL) f
  JOIN {table} {alias} ON /*own {alias}*/ {alias}.key = f.key
  WHERE 1 = 1 ORDER BY f.key DESC LIMIT ALL
) latest ORDER BY score DESC, key LIMIT ?1

-- name: holding
SELECT x.key FROM {table} x WHERE /*own x*/ x.words @@ CAST(?1 AS tsquery)
  AND x.key = ANY(ARRAY(SELECT json_array_elements_text(CAST(?2 AS json)))::bigint[])

-- name: words_of
SELECT length, tsvector_to_array(words) FROM {table} WHERE workspace = :workspace AND key = ?
