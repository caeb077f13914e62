-- name: reserve
INSERT INTO model_calls
  (workspace, seq, at, provider, model, purpose, session, input_tokens, output_tokens, micro_usd,
    milliseconds, outcome)
VALUES (
  :workspace, 1 + coalesce((SELECT max(seq) FROM model_calls WHERE workspace = :workspace), 0),
  ?, ?, ?, ?, ?, ?, ?, ?, ?, ?
)
RETURNING seq
