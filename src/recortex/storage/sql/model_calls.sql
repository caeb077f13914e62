-- name: reserve
INSERT INTO model_calls
  (at, provider, model, purpose, session, input_tokens, output_tokens, micro_usd, milliseconds, outcome)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
RETURNING seq

-- name: settle
UPDATE model_calls SET model = ?2, input_tokens = ?3, output_tokens = ?4, micro_usd = ?5, milliseconds = ?6, outcome = ?7
WHERE seq = ?1

-- name: spent
SELECT count(*), coalesce(sum(input_tokens + output_tokens), 0), coalesce(sum(micro_usd), 0),
  coalesce(sum(outcome = 'refused'), 0), coalesce(sum(outcome IN ('failed', 'unusable')), 0)
FROM model_calls WHERE at >= ? AND at < ?

-- name: recent
SELECT at, provider, model, purpose, session, input_tokens, output_tokens, micro_usd, milliseconds, outcome
FROM model_calls ORDER BY seq DESC LIMIT ?
