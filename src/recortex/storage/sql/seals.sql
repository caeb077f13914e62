-- name: sealed_memories
SELECT key, seal,
  id, kind, status, scope, text, summary, content, confidence, priority, pinned, tags, domain, session, turn, speaker,
  source, origin, trust, evidence, recorded_at, updated_at, valid_from, valid_until, validated_at, supersedes,
  superseded_by, metadata, content_hash, tokens, version, changed_by, reason, terms, context, traits
FROM memories WHERE /*own*/ seal IS NOT NULL AND key > ? ORDER BY key LIMIT ?

-- name: sealed_versions
SELECT coalesce(m.id, ''), v.seal, v.memory_key, v.version, v.recorded_from, v.recorded_to, v.state, v.changed_by, v.reason
FROM versions v LEFT JOIN memories m ON /*own m*/ m.key = v.memory_key WHERE /*own v*/ v.seal IS NOT NULL

-- name: sealed_relations
SELECT coalesce(s.id, ''), r.seal, r.source_key, r.target_key, r.type, r.strength, r.evidence, r.inferred, r.bidirectional, r.status, r.created_at
FROM relations r LEFT JOIN memories s ON /*own s*/ s.key = r.source_key WHERE /*own r*/ r.seal IS NOT NULL
