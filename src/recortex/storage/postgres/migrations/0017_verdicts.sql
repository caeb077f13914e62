-- What was read in a pair of memories, so that no pair is read twice: by what, and in which versions of both.
CREATE TABLE pair_verdicts (
  workspace bigint NOT NULL,
  known_key bigint NOT NULL,
  new_key bigint NOT NULL,
  reader text NOT NULL,
  known_version bigint NOT NULL,
  new_version bigint NOT NULL,
  outcome text NOT NULL,
  chance double precision NOT NULL,
  PRIMARY KEY (workspace, known_key, new_key),
  FOREIGN KEY (workspace, known_key) REFERENCES memories (workspace, key) ON DELETE CASCADE,
  FOREIGN KEY (workspace, new_key) REFERENCES memories (workspace, key) ON DELETE CASCADE
) /*by workspace*/;
CREATE INDEX pair_verdicts_new ON pair_verdicts (workspace, new_key);
