-- name: insert
INSERT INTO documents (workspace, key, {documents: columns}) VALUES (
  :workspace, 1 + coalesce((SELECT max(key) FROM documents WHERE workspace = :workspace), 0),
  {documents: values}
) RETURNING key
