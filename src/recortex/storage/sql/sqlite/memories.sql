-- name: insert_memory
INSERT INTO memories (
  /*own column*/ id, kind, status, scope, text, summary, content, confidence, priority, pinned, tags, domain, session, turn, speaker,
  source, origin, trust, evidence, recorded_at, updated_at, valid_from, valid_until, validated_at, last_accessed_at,
  access_count, supersedes, superseded_by, metadata, content_hash, tokens, version, changed_by, reason, terms, context, traits,
  embedding_key, seal
) VALUES (
  /*own value*/ :id, :kind, :status, :scope, :text, :summary, :content, :confidence, :priority, :pinned, :tags, :domain, :session, :turn,
  :speaker, :source, :origin, :trust, :evidence, :recorded_at, :updated_at, :valid_from, :valid_until, :validated_at,
  :last_accessed_at, :access_count, :supersedes, :superseded_by, :metadata, :content_hash, :tokens, :version, :changed_by,
  :reason, :terms, :context, :traits, :embedding_key, :seal
) RETURNING key

-- name: touch
UPDATE memories SET access_count = access_count + 1, last_accessed_at = max(?, coalesce(last_accessed_at, 0))
WHERE /*own*/ id IN (SELECT value FROM json_each(?))

-- name: files_of
SELECT memory_key, path, line_start, line_end, content_hash, commit_id FROM memory_files
WHERE /*own*/ memory_key IN (SELECT value FROM json_each(?)) ORDER BY rowid

-- name: functions_of
SELECT memory_key, name, file, signature FROM memory_functions
WHERE /*own*/ memory_key IN (SELECT value FROM json_each(?)) ORDER BY rowid

-- name: last_key
UPDATE sqlite_sequence SET seq = max(
  seq, coalesce((SELECT max(memory_key) FROM audit), 0), coalesce((SELECT max(memory_key) FROM tombstones), 0)
) WHERE name = 'memories'
