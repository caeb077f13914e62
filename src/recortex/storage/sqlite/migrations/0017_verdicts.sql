-- What was read in a pair of memories, so that no pair is read twice: by what, and in which versions of both.
CREATE TABLE pair_verdicts (
  known_key INTEGER NOT NULL REFERENCES memories (key) ON DELETE CASCADE,
  new_key INTEGER NOT NULL REFERENCES memories (key) ON DELETE CASCADE,
  reader TEXT NOT NULL,
  known_version INTEGER NOT NULL,
  new_version INTEGER NOT NULL,
  outcome TEXT NOT NULL,
  chance REAL NOT NULL,
  PRIMARY KEY (known_key, new_key)
) WITHOUT ROWID;
CREATE INDEX pair_verdicts_new ON pair_verdicts (new_key);
