-- name: settle
UPDATE model_calls SET model = ?2, input_tokens = ?3, output_tokens = ?4, micro_usd = ?5, milliseconds = ?6,
  outcome = ?7
WHERE /*own*/ seq = ?1

-- name: spent
SELECT count(*), CAST(coalesce(sum(input_tokens + output_tokens), 0) AS bigint),
  CAST(coalesce(sum(micro_usd), 0) AS bigint),
  count(*) FILTER (WHERE outcome = 'refused'), count(*) FILTER (WHERE outcome IN ('failed', 'unusable'))
FROM model_calls WHERE /*own*/ at >= ? AND at < ?

-- name: recent
SELECT at, provider, model, purpose, session, input_tokens, output_tokens, micro_usd, milliseconds, outcome
FROM model_calls /*only own*/ ORDER BY seq DESC LIMIT ?
