-- The keyword index of any table: what stands in braces is put in for each.
-- For both engines. On PostgreSQL, comments such as `/*own*/` become conditions: see storage/dialect.py.

-- name: size
SELECT coalesce(max(key), 0) FROM {table} /*only own*/
