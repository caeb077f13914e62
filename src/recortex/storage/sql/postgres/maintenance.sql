-- What maintenance counts and deletes, and what the integrity check compares: PostgreSQL alone.
-- These win over queries of the same name in the folder above. For `/*own*/` see storage/dialect.py.

-- name: totals_agree
SELECT (SELECT coalesce(max(memories), 0) FROM word_totals /*only own*/)
    = (SELECT count(*) FROM memories /*only own*/)
  AND (SELECT coalesce(max(exchanges), 0) FROM exchange_totals /*only own*/)
    = (SELECT count(*) FROM exchanges /*only own*/)
  AND (SELECT coalesce(max(chunks), 0) FROM chunk_totals /*only own*/)
    = (SELECT count(*) FROM chunks /*only own*/)

-- name: unsigned
SELECT count(*) FROM embeddings e
WHERE /*own e*/ NOT EXISTS (SELECT 1 FROM embedding_signs s WHERE /*own s*/ s.key = e.key)

-- name: size
SELECT CAST(
  sum(pg_total_relation_size(c.oid)) * (SELECT coalesce(max(memories), 0) FROM word_totals /*only own*/)
  / greatest(sum(c.reltuples) FILTER (WHERE c.relname ~ '^memories(_p[0-9]+)?$'), 1) AS bigint
)
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = 'recortex' AND c.relkind = 'r'

-- name: space
SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0),
  coalesce(sum(pg_total_relation_size(c.oid)) FILTER (WHERE c.relname ~ '^embedding'), 0),
  (SELECT coalesce(sum(pg_relation_size(i.indexrelid)), 0) FROM pg_index i
    JOIN pg_class x ON x.oid = i.indexrelid
     JOIN pg_am a ON a.oid = x.relam JOIN pg_namespace s ON s.oid = x.relnamespace
     WHERE s.nspname = 'recortex' AND a.amname = 'gin')
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE n.nspname = 'recortex' AND c.relkind = 'r'

-- name: dead
SELECT coalesce(sum(n_dead_tup), 0), coalesce(sum(n_dead_tup + n_live_tup), 0)
FROM pg_stat_user_tables WHERE schemaname = 'recortex'
