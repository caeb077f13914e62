-- What maintenance counts and deletes, and what the integrity check compares.
-- For both engines. On PostgreSQL, comments such as `/*own*/` become conditions: see storage/dialect.py.

-- name: all
SELECT name, done_at, outcome FROM chores /*only own*/

-- name: note
INSERT INTO chores (/*own column*/ name, done_at, outcome) VALUES (/*own value*/ ?, ?, ?)
ON CONFLICT (/*own column*/ name) DO UPDATE SET done_at = excluded.done_at, outcome = excluded.outcome

-- name: sample
INSERT INTO growth (/*own column*/ at, memories, bytes) VALUES (/*own value*/ ?, ?, ?)
ON CONFLICT (/*own column*/ at) DO UPDATE SET memories = excluded.memories, bytes = excluded.bytes

-- name: samples
SELECT at, memories, bytes FROM growth /*only own*/ ORDER BY at DESC LIMIT ?

-- name: old_audit
SELECT seq, operation, actor, at FROM audit
WHERE /*own*/ at < ?1 AND seq < (SELECT max(seq) FROM audit /*only own*/) ORDER BY at, seq LIMIT ?2

-- name: count_old_audit
SELECT count(*) FROM audit WHERE /*own*/ at < ?1 AND seq < ?2 + (SELECT max(seq) FROM audit /*only own*/)

-- name: delete_audit
DELETE FROM audit WHERE /*own*/ seq = ?

-- name: add_summary
INSERT INTO audit_summaries (/*own column*/ month, operation, actor, entries, first_at, last_at)
VALUES (/*own value*/ ?, ?, ?, ?, ?, ?)
ON CONFLICT (/*own column*/ month, operation, actor) DO UPDATE SET
  entries = audit_summaries.entries + excluded.entries,
  first_at = CASE WHEN excluded.first_at < audit_summaries.first_at THEN excluded.first_at
    ELSE audit_summaries.first_at END,
  last_at = CASE WHEN excluded.last_at > audit_summaries.last_at THEN excluded.last_at
    ELSE audit_summaries.last_at END

-- name: summaries
SELECT month, operation, actor, entries, first_at, last_at FROM audit_summaries /*only own*/
ORDER BY month, operation, actor

-- name: expired
SELECT m.id FROM memories m
WHERE /*own m*/ m.status = 'pruned' AND m.status <> 'active' AND m.pinned = 0
  AND m.updated_at <= ?1 AND coalesce(m.last_accessed_at, 0) <= ?1
  AND NOT EXISTS (
    SELECT 1 FROM relations r JOIN memories o ON /*own o*/ o.key = r.source_key
    WHERE /*own r*/ r.target_key = m.key AND r.status = 'active'
      AND o.status IN ('active', 'proposed', 'quarantined')
      AND r.type IN (
        'supports', 'derived_from', 'requires', 'learned_from', 'depends_on', 'exemplifies', 'refines',
          'source_of',
        'caused', 'enabled', 'prevented', 'triggered_by'
      )
  )
  AND NOT EXISTS (
    SELECT 1 FROM relations r JOIN memories o ON /*own o*/ o.key = r.target_key
    WHERE /*own r*/ r.source_key = m.key AND r.status = 'active'
      AND o.status IN ('active', 'proposed', 'quarantined')
      AND r.type IN (
        'supports', 'derived_from', 'requires', 'learned_from', 'depends_on', 'exemplifies', 'refines',
          'source_of',
        'caused', 'enabled', 'prevented', 'triggered_by'
      )
  )
ORDER BY m.key LIMIT ?2

-- name: count_old
SELECT count(*) FROM memories m
WHERE /*own m*/ m.status = 'pruned' AND m.status <> 'active' AND m.pinned = 0
  AND m.updated_at <= ?1 AND coalesce(m.last_accessed_at, 0) <= ?1

-- name: surplus_versions
SELECT memory_key, version FROM (
  SELECT memory_key, version, row_number() OVER (PARTITION BY memory_key ORDER BY version DESC) AS place
  FROM versions /*only own*/
) ranked
WHERE place > ?1
  AND NOT (memory_key IN (SELECT m.key FROM memories m
    WHERE /*own m*/ m.id IN (SELECT value FROM json_each(?2))))
ORDER BY memory_key, version LIMIT ?3

-- name: drop_version
DELETE FROM versions WHERE /*own*/ memory_key = ? AND version = ?

-- name: unused_vectors
SELECT e.key FROM embeddings e
WHERE /*own e*/ e.key < (SELECT max(key) FROM embeddings /*only own*/)
  AND NOT EXISTS (
    SELECT 1 FROM memories m
    WHERE /*own m*/ m.embedding_key = e.key AND NOT (m.id IN (SELECT value FROM json_each(?1)))
  )
  AND e.key NOT IN (
    SELECT embedding_key FROM (
      SELECT v.memory_key, v.embedding_key,
        row_number() OVER (PARTITION BY v.memory_key ORDER BY v.version DESC) AS place
      FROM versions v /*only own v*/
    ) ranked
    WHERE embedding_key IS NOT NULL AND place <= ?2
      AND NOT (memory_key IN (SELECT m.key FROM memories m
        WHERE /*own m*/ m.id IN (SELECT value FROM json_each(?1))))
  )
  AND NOT EXISTS (SELECT 1 FROM exchanges x WHERE /*own x*/ x.answered_key = e.key)
  AND NOT EXISTS (SELECT 1 FROM exchanges x WHERE /*own x*/ x.outcome_key = e.key)
  AND NOT EXISTS (SELECT 1 FROM chunks c WHERE /*own c*/ c.embedding_key = e.key)
ORDER BY e.key LIMIT ?3

-- name: drop_vector
DELETE FROM embeddings AS e
WHERE /*own e*/ e.key = ?1 AND NOT EXISTS (SELECT 1 FROM memories m WHERE /*own m*/ m.embedding_key = ?1)
  AND NOT EXISTS (SELECT 1 FROM exchanges x WHERE /*own x*/ x.answered_key = e.key)
  AND NOT EXISTS (SELECT 1 FROM exchanges x WHERE /*own x*/ x.outcome_key = e.key)
  AND NOT EXISTS (SELECT 1 FROM chunks c WHERE /*own c*/ c.embedding_key = e.key)

-- name: vector_sharing
SELECT (SELECT count(*) FROM memories WHERE /*own*/ embedding_key IS NOT NULL),
  (SELECT count(*) FROM embeddings WHERE /*own*/ key > 0),
  (SELECT coalesce(sum(times - 1), 0) FROM (SELECT count(*) AS times FROM embeddings /*only own*/
    GROUP BY hash) one)

-- name: old_degradations
SELECT count(*) FROM degradations WHERE /*own*/ last_at < ?

-- name: forget_degradations
DELETE FROM degradations WHERE /*own*/ last_at < ?

-- name: forget_degradation_times
DELETE FROM degradation_times WHERE /*own*/ at < ?

-- name: old_checkpoints
SELECT path FROM checkpoints WHERE /*own*/ extracted_at < ? ORDER BY path

-- name: forget_checkpoint
DELETE FROM checkpoints WHERE /*own*/ path = ?

-- name: old_sessions
SELECT count(*) FROM sessions WHERE /*own*/ seen_at < ?

-- name: content
SELECT (SELECT max(version) FROM schema_migrations), (SELECT count(*) FROM memories /*only own*/),
  (SELECT count(*) FROM versions /*only own*/), (SELECT count(*) FROM relations /*only own*/),
  (SELECT count(*) FROM embeddings /*only own*/), (SELECT count(*) FROM tombstones /*only own*/),
  (SELECT coalesce(max(seq), 0) FROM audit /*only own*/), (SELECT count(*) FROM exchanges /*only own*/),
  (SELECT count(*) FROM chunks /*only own*/)

-- name: archived
SELECT count(*) FROM memories WHERE /*own*/ status IN ('archived', 'pruned') AND status <> 'active'
