-- name: reserve
INSERT INTO model_calls
  ({model_calls: columns}) VALUES ({model_calls: values})
RETURNING seq
