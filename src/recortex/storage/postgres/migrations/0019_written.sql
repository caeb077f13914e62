-- What files of instructions say is looked up for each session that is learned from: without this, all that
-- the person and the repository said is read. The condition is that of storage/records/rows.py, to the
-- letter; it does without LIKE, which the engines do not agree on.
CREATE INDEX memories_written ON memories (workspace, recorded_at, key)
WHERE origin = 'repository' OR (origin = 'user' AND replace(source, '"instruction_file"', '') <> source);
