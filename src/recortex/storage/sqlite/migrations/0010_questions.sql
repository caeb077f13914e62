-- What makes answers quick.

-- How often vectors of memories were deleted or changed: the key of a deleted one may be given again, so a
-- process that holds them in memory reads all of them anew when this differs, and else only those that were
-- added. Those of exchanges and chunks have keys below zero (storage/records/vectors.py).
CREATE TABLE vector_changes (
  number INTEGER NOT NULL
);
INSERT INTO vector_changes VALUES (0);

CREATE TRIGGER embeddings_gone AFTER DELETE ON embeddings WHEN old.key > 0 BEGIN
  UPDATE vector_changes SET number = number + 1;
END;
CREATE TRIGGER embeddings_changed AFTER UPDATE OF key, model, vector ON embeddings
WHEN old.key > 0 OR new.key > 0 BEGIN
  UPDATE vector_changes SET number = number + 1;
END;

-- A context asks for the most important memories of the kinds that hold rules, which are few: without this,
-- all memories are read. The condition is the one of storage/records/filters.py, to the letter.
CREATE INDEX memories_rules ON memories (priority)
WHERE kind IN ('constraint_override', 'core', 'feedback', 'preference');
