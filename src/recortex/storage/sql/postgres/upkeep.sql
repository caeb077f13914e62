-- name: totals_agree
SELECT (SELECT coalesce(max(memories), 0) FROM word_totals /*only own*/), (SELECT count(*) FROM memories /*only own*/)

-- name: unsigned
SELECT count(*) FROM embeddings e
WHERE /*own e*/ NOT EXISTS (SELECT 1 FROM embedding_signs s WHERE /*own s*/ s.key = e.key)

-- name: holding
SELECT id FROM memories m WHERE /*own m*/ (
  strpos(m.text, ?1) > 0 OR strpos(coalesce(m.content, ''), ?2) > 0 OR strpos(m.tags, ?2) > 0
  OR strpos(coalesce(m.summary, ''), ?1) > 0 OR strpos(coalesce(m.source, ''), ?2) > 0
  OR strpos(coalesce(m.metadata, ''), ?2) > 0 OR strpos(m.context, ?1) > 0 OR strpos(m.reason, ?1) > 0
  OR strpos(m.session, ?1) > 0 OR strpos(m.speaker, ?1) > 0
  OR EXISTS (
    SELECT 1 FROM versions v WHERE /*own v*/ v.memory_key = m.key AND (strpos(v.state, ?2) > 0 OR strpos(v.reason, ?1) > 0)
  )
  OR EXISTS (SELECT 1 FROM memory_files l WHERE /*own l*/ l.memory_key = m.key AND strpos(l.path, ?1) > 0)
  OR EXISTS (
    SELECT 1 FROM memory_functions l WHERE /*own l*/ l.memory_key = m.key
      AND (strpos(l.name, ?1) > 0 OR strpos(l.file, ?1) > 0 OR strpos(l.signature, ?1) > 0)
  )
  OR EXISTS (
    SELECT 1 FROM memory_patterns l WHERE /*own l*/ l.memory_key = m.key
      AND (strpos(l.pattern_id, ?1) > 0 OR strpos(l.name, ?1) > 0)
  )
  OR EXISTS (
    SELECT 1 FROM memory_constraints l WHERE /*own l*/ l.memory_key = m.key
      AND (strpos(l.constraint_id, ?1) > 0 OR strpos(l.name, ?1) > 0)
  )
) ORDER BY m.key

-- name: forget_audit
DELETE FROM audit WHERE /*own*/ memory_key = ?

-- name: size
SELECT CAST(
  sum(pg_total_relation_size(c.oid)) * (SELECT coalesce(max(memories), 0) FROM word_totals /*only own*/)
  / greatest(sum(c.reltuples) FILTER (WHERE c.relname ~ '^memories(_p[0-9]+)?$'), 1) AS bigint
)
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = 'recortex' AND c.relkind = 'r'
