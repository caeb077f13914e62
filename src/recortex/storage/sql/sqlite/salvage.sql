-- Salvaging the rows of a damaged file, on SQLite alone.

-- name: take
INSERT INTO taken SELECT key FROM backup.memories b
WHERE key NOT IN (SELECT key FROM main.memories) AND key NOT IN (SELECT memory_key FROM main.tombstones)
  AND id NOT IN (SELECT id FROM main.memories)

-- name: take_same
INSERT OR IGNORE INTO taken SELECT b.key FROM backup.memories b JOIN main.memories m USING (key)
-- the id may be what is damaged
WHERE key = ? AND b.version = m.version AND (b.id = m.id OR b.recorded_at = m.recorded_at)

-- name: same_version
CREATE TEMP TABLE same AS SELECT m.key FROM main.memories m
JOIN backup.memories b ON b.key = m.key AND b.version = m.version

-- name: related
SELECT s.id, t.id, r.type FROM relations r
JOIN memories s ON s.key = r.source_key JOIN memories t ON t.key = r.target_key

-- name: tidy
DELETE FROM embedding_signs WHERE key NOT IN (SELECT key FROM embeddings);
DELETE FROM embeddings WHERE key NOT IN (SELECT key FROM embedding_signs)
  OR model NOT IN (SELECT key FROM embedding_models);
DELETE FROM embedding_signs WHERE key NOT IN (SELECT key FROM embeddings);
DELETE FROM embedding_pieces WHERE key NOT IN (SELECT key FROM embeddings);
DELETE FROM causal_order;
DELETE FROM relation_degrees;
DELETE FROM sync_changed;
UPDATE memories SET embedding_key = NULL WHERE embedding_key NOT IN (SELECT key FROM embeddings);
UPDATE exchanges SET answered_key = NULL, outcome_key = NULL
WHERE answered_key NOT IN (SELECT key FROM embeddings)
  OR outcome_key NOT IN (SELECT key FROM embeddings);
UPDATE chunks SET embedding_key = NULL WHERE embedding_key NOT IN (SELECT key FROM embeddings);
UPDATE versions SET embedding_key = NULL WHERE embedding_key NOT IN (SELECT key FROM embeddings);

-- name: our_tables
SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite_%'
AND name <> 'schema_migrations' ORDER BY name <> 'memories', name

-- name: widths
SELECT i.name, (SELECT count(*) FROM pragma_index_xinfo(i.name))
FROM pragma_table_list t, pragma_index_list(t.name) i WHERE t.schema = 'main' AND i.origin <> 'pk'
