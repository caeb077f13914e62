-- What finds cited lines again, and what the last comparison with the code found of a memory.
ALTER TABLE memory_files ADD COLUMN signature TEXT NOT NULL DEFAULT '';
ALTER TABLE memories ADD COLUMN checked_at INTEGER;
ALTER TABLE memories ADD COLUMN standing REAL;
ALTER TABLE memories ADD COLUMN standing_since INTEGER;
ALTER TABLE memories ADD COLUMN verdict TEXT;
