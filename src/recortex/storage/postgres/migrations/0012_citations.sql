-- What finds cited lines again, and what the last comparison with the code found of a memory.
ALTER TABLE memory_files ADD COLUMN signature text NOT NULL DEFAULT '';
ALTER TABLE memories ADD COLUMN checked_at bigint;
ALTER TABLE memories ADD COLUMN standing double precision;
ALTER TABLE memories ADD COLUMN standing_since bigint;
ALTER TABLE memories ADD COLUMN verdict text;
