-- The symbols of code that memories hang on.
-- For both engines. On PostgreSQL, comments such as `/*own*/` become conditions: see storage/dialect.py.

-- name: of
SELECT m.id, s.path, s.name, s.kind, s.arity, s.hash, s.first_line, s.last_line, s.lines, s.commit_id, s.fact,
  s.role, s.copies
FROM memory_symbols s JOIN memories m ON /*own m*/ m.key = s.memory_key
WHERE /*own s*/ s.memory_key IN (
  SELECT key FROM memories WHERE /*own*/ id IN (SELECT value FROM json_each(?))
)
ORDER BY s.memory_key, s.role, s.path, s.first_line, s.name, s.arity

-- name: put
INSERT INTO memory_symbols (
  /*own column*/ memory_key, path, name, plain, kind, arity, hash, first_line, last_line, lines, commit_id,
  fact, role, copies
)
SELECT /*own value*/ key, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14 FROM memories
WHERE /*own*/ id = ?1
ON CONFLICT (/*own column*/ memory_key, role, path, name, arity) DO UPDATE SET
  kind = excluded.kind, hash = excluded.hash, first_line = excluded.first_line,
  last_line = excluded.last_line, lines = excluded.lines, commit_id = excluded.commit_id,
  fact = excluded.fact, copies = excluded.copies

-- name: drop
DELETE FROM memory_symbols WHERE /*own*/ role = ?2
  AND memory_key = (SELECT key FROM memories WHERE /*own*/ id = ?1)

-- name: looked
INSERT INTO symbol_checks (/*own column*/ memory_key, updated_at, said)
SELECT /*own value*/ key, ?2, ?3 FROM memories WHERE /*own*/ id = ?1
ON CONFLICT (/*own column*/ memory_key) DO UPDATE SET updated_at = excluded.updated_at, said = excluded.said

-- name: said
SELECT m.id, c.said FROM symbol_checks c JOIN memories m ON /*own m*/ m.key = c.memory_key
WHERE /*own c*/ c.memory_key IN (
  SELECT key FROM memories WHERE /*own*/ id IN (SELECT value FROM json_each(?))
)

-- name: unlinked
SELECT m.id FROM memories m LEFT JOIN symbol_checks c ON /*own c*/ c.memory_key = m.key
WHERE /*own m*/ m.status IN ('active', 'proposed')
  AND (c.memory_key IS NULL OR c.updated_at <> m.updated_at)
ORDER BY m.key DESC LIMIT ?

-- name: linked
SELECT m.id FROM memories m
WHERE /*own m*/ m.status IN ('active', 'proposed')
  AND EXISTS (SELECT 1 FROM memory_symbols s WHERE /*own s*/ s.memory_key = m.key)
ORDER BY m.key LIMIT ?

-- name: hanging
-- Active memories on symbols of a file with these plain names.
SELECT m.id, s.role, s.name FROM memory_symbols s JOIN memories m ON /*own m*/ m.key = s.memory_key
WHERE /*own s*/ s.path = ? AND s.plain IN (SELECT value FROM json_each(?)) AND m.status = 'active'
ORDER BY s.role, m.priority DESC, m.key
