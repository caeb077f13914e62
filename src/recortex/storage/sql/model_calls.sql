-- Calls of language models.
-- For both engines. On PostgreSQL, comments such as `/*own*/` become conditions: see storage/dialect.py.

-- name: settle
UPDATE model_calls SET model = :model, input_tokens = :input_tokens, output_tokens = :output_tokens,
  micro_usd = :micro_usd, milliseconds = :milliseconds, outcome = :outcome
WHERE /*own*/ seq = :seq

-- name: spent
SELECT count(*), CAST(coalesce(sum(input_tokens + output_tokens), 0) AS bigint),
  CAST(coalesce(sum(micro_usd), 0) AS bigint),
  count(*) FILTER (WHERE outcome = 'refused'), count(*) FILTER (WHERE outcome IN ('failed', 'unusable'))
FROM model_calls WHERE /*own*/ at >= ? AND at < ?

-- name: recent
SELECT {model_calls: columns} FROM model_calls /*only own*/ ORDER BY seq DESC LIMIT ?
