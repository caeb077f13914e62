-- An order of the memories in which each cause stands before its effects: the place of a memory that is not
-- its key. It is derived, and made when the first causal relation is written; the row of key 0 says that it was.
CREATE TABLE causal_order (
  workspace bigint NOT NULL,
  memory_key bigint NOT NULL,
  place bigint NOT NULL,
  PRIMARY KEY (workspace, memory_key)
) /*by workspace*/;

-- Relations that were taken away or changed, without their evidence: what was known at a time, and what a
-- person rejected.
CREATE TABLE former_relations (
  workspace bigint NOT NULL,
  source_key bigint NOT NULL,
  target_key bigint NOT NULL,
  type text COLLATE "C" NOT NULL,
  ended_at bigint NOT NULL,
  strength double precision NOT NULL,
  inferred integer NOT NULL,
  bidirectional integer NOT NULL,
  status text NOT NULL,
  created_at bigint NOT NULL,
  reason text NOT NULL,
  PRIMARY KEY (workspace, source_key, target_key, type, ended_at),
  FOREIGN KEY (workspace, source_key) REFERENCES memories (workspace, key) ON DELETE CASCADE,
  FOREIGN KEY (workspace, target_key) REFERENCES memories (workspace, key) ON DELETE CASCADE
) /*by workspace*/;
CREATE INDEX former_relations_target ON former_relations (workspace, target_key);
