-- Calls of language models: PostgreSQL alone.
-- These win over queries of the same name in the folder above. For `/*own*/` see storage/dialect.py.

-- name: reserve
INSERT INTO model_calls
  (workspace, seq, {model_calls: columns})
VALUES (
  :workspace, 1 + coalesce((SELECT max(seq) FROM model_calls WHERE workspace = :workspace), 0),
  {model_calls: values}
)
RETURNING seq
