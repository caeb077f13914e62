-- Whether anything is not true now, which a recall counts: few memories are, and all others are not read.
CREATE INDEX memories_ended ON memories (workspace, valid_until)
WHERE status = 'active' AND valid_until IS NOT NULL;
CREATE INDEX memories_later ON memories (workspace, valid_from)
WHERE status = 'active' AND valid_from > recorded_at;
