-- What operations and hooks took and what came of questions, without a word of them; and when parts failed.
CREATE TABLE metrics (
  day INTEGER NOT NULL,
  name TEXT NOT NULL,
  label TEXT NOT NULL,
  bucket INTEGER NOT NULL,
  times INTEGER NOT NULL,
  total REAL NOT NULL,
  PRIMARY KEY (day, name, label, bucket)
) WITHOUT ROWID;

CREATE TABLE questions (
  at INTEGER NOT NULL,
  digest TEXT NOT NULL,
  operation TEXT NOT NULL,
  intent TEXT NOT NULL,
  recipe TEXT NOT NULL,
  length INTEGER NOT NULL,
  milliseconds INTEGER NOT NULL,
  results INTEGER NOT NULL,
  tokens INTEGER NOT NULL,
  PRIMARY KEY (at, digest)
) WITHOUT ROWID;

CREATE TABLE degradation_times (
  component TEXT NOT NULL,
  at INTEGER NOT NULL,
  PRIMARY KEY (component, at)
) WITHOUT ROWID;
