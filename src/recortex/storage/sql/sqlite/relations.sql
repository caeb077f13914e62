-- name: resting_on
SELECT source_key, target_key, type, strength, evidence, inferred, bidirectional, status, created_at
FROM relations WHERE /*own*/ instr(evidence, ?) > 0
