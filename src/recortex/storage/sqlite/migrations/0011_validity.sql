-- Whether anything is not true now, which a recall counts: few memories are, and all others are not read.
CREATE INDEX memories_ended ON memories (valid_until) WHERE status = 'active' AND valid_until IS NOT NULL;
CREATE INDEX memories_later ON memories (valid_from) WHERE status = 'active' AND valid_from > recorded_at;
