-- In a large store a brief ranks only what may come first in it: the latest of each kind and priority of what
-- the person said, wanted to be kept or approved, and of commands that worked again and again. The condition
-- is that of the query `foremost` (storage/sql/statistics.sql), to the letter.
CREATE INDEX memories_told ON memories (kind, priority, recorded_at DESC)
WHERE status = 'active' AND (trust = 'trusted' OR pinned <> 0 OR validated_at IS NOT NULL
  OR source IS NULL OR source = replace(source, '"rule"', '')
  OR replace(source, '"command_habit"', '') <> source);

-- What waits for a person is asked for by every brief, and is little: without this, all relations are read.
CREATE INDEX relations_waiting ON relations (type) WHERE status = 'suggested';
