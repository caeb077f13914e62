-- The session that made a commit is looked up by it.
CREATE INDEX exchanges_commit ON exchanges (commit_id) WHERE commit_id <> '';
