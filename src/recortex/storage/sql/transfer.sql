-- Copying a store, page by page.
-- For both engines. On PostgreSQL, comments such as `/*own*/` become conditions: see storage/dialect.py.

-- name: mark
SELECT outcome FROM chores WHERE /*own*/ name = 'copy of'

-- name: begin
INSERT INTO chores (/*own column*/ name, done_at, outcome) VALUES (/*own value*/ 'copy of', ?, ?)
ON CONFLICT (/*own column*/ name) DO UPDATE SET done_at = excluded.done_at, outcome = excluded.outcome

-- name: finish
DELETE FROM chores WHERE /*own*/ name = 'copy of'
