-- Calls of language models: SQLite alone.
-- These win over queries of the same name in the folder above.

-- name: reserve
INSERT INTO model_calls
  ({model_calls: columns}) VALUES ({model_calls: values})
RETURNING seq
