-- A context asks for the most important memories of the kinds that hold rules, which are few: without this,
-- all memories are read. No process holds vectors of this engine in memory: nothing has to tell it that some
-- were deleted.
CREATE INDEX memories_rules ON memories (workspace, priority, key)
WHERE kind IN ('constraint_override', 'core', 'feedback', 'preference');
