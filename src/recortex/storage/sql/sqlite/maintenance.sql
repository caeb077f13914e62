-- What maintenance counts and deletes, and what the integrity check compares: SQLite alone.
-- These win over queries of the same name in the folder above.

-- name: vectors_size
SELECT coalesce(sum(n * (o.dimensions + (o.dimensions + 7) / 8)), 0)
FROM (SELECT model, count(*) AS n FROM embeddings GROUP BY model) c JOIN embedding_models o ON o.key = c.model
