-- name: reserve
INSERT INTO model_calls
  (at, provider, model, purpose, session, input_tokens, output_tokens, micro_usd, milliseconds, outcome)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
RETURNING seq
