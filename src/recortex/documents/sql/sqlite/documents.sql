-- name: insert
INSERT INTO documents ({documents: columns}) VALUES ({documents: values}) RETURNING key
