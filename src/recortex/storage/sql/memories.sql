-- name: insert_memory
INSERT INTO memories (
  id, kind, status, scope, text, summary, content, confidence, priority, pinned, tags, domain, session, turn, speaker,
  source, origin, trust, evidence, recorded_at, updated_at, valid_from, valid_until, validated_at, last_accessed_at,
  access_count, supersedes, superseded_by, metadata, content_hash, tokens, version, changed_by, reason, terms, context, traits,
  embedding_key
) VALUES (
  :id, :kind, :status, :scope, :text, :summary, :content, :confidence, :priority, :pinned, :tags, :domain, :session, :turn,
  :speaker, :source, :origin, :trust, :evidence, :recorded_at, :updated_at, :valid_from, :valid_until, :validated_at,
  :last_accessed_at, :access_count, :supersedes, :superseded_by, :metadata, :content_hash, :tokens, :version, :changed_by,
  :reason, :terms, :context, :traits, :embedding_key
) RETURNING key

-- name: update_memory
UPDATE memories SET
  kind = :kind, status = :status, scope = :scope, text = :text, summary = :summary, content = :content,
  confidence = :confidence, priority = :priority, pinned = :pinned, tags = :tags, domain = :domain, session = :session,
  turn = :turn, speaker = :speaker, source = :source, origin = :origin, trust = :trust, evidence = :evidence,
  updated_at = :updated_at, valid_from = :valid_from, valid_until = :valid_until, validated_at = :validated_at,
  supersedes = :supersedes, superseded_by = :superseded_by, metadata = :metadata, content_hash = :content_hash,
  tokens = :tokens, version = :version, changed_by = :changed_by, reason = :reason, terms = :terms, context = :context,
  traits = :traits,
  embedding_key = :embedding_key
WHERE key = :key

-- name: delete_memory
DELETE FROM memories WHERE key = ?

-- name: touch
UPDATE memories SET access_count = access_count + 1, last_accessed_at = max(?, coalesce(last_accessed_at, 0))
WHERE id IN (SELECT value FROM json_each(?))

-- name: ids_beginning
SELECT id FROM memories WHERE id >= ? AND id < ? ORDER BY id LIMIT 3

-- name: same_hash
SELECT id FROM memories WHERE content_hash = ? AND status IN ('active', 'proposed', 'quarantined')
ORDER BY key LIMIT 1

-- name: neighbours
SELECT turn, speaker, text FROM memories WHERE session = ? AND turn BETWEEN ? AND ? ORDER BY turn

-- name: insert_file
INSERT INTO memory_files (memory_key, path, line_start, line_end, content_hash, commit_id) VALUES (?, ?, ?, ?, ?, ?)

-- name: insert_function
INSERT INTO memory_functions (memory_key, name, file, signature) VALUES (?, ?, ?, ?)

-- name: insert_pattern
INSERT OR REPLACE INTO memory_patterns (memory_key, pattern_id, name) VALUES (?, ?, ?)

-- name: insert_constraint
INSERT OR REPLACE INTO memory_constraints (memory_key, constraint_id, name) VALUES (?, ?, ?)

-- name: files_of
SELECT memory_key, path, line_start, line_end, content_hash, commit_id FROM memory_files
WHERE memory_key IN (SELECT value FROM json_each(?)) ORDER BY rowid

-- name: functions_of
SELECT memory_key, name, file, signature FROM memory_functions
WHERE memory_key IN (SELECT value FROM json_each(?)) ORDER BY rowid

-- name: patterns_of
SELECT memory_key, pattern_id, name FROM memory_patterns
WHERE memory_key IN (SELECT value FROM json_each(?)) ORDER BY pattern_id

-- name: constraints_of
SELECT memory_key, constraint_id, name FROM memory_constraints
WHERE memory_key IN (SELECT value FROM json_each(?)) ORDER BY constraint_id

-- name: add_evidence
INSERT OR IGNORE INTO evidence (memory_key, place) SELECT key, ? FROM memories WHERE id = ? RETURNING 1

-- name: count_by_kind
SELECT kind, status, count(*) FROM memories GROUP BY kind, status ORDER BY kind, status

-- name: key_of
SELECT key FROM memories WHERE id = ?
