-- What operations and hooks took and what came of questions, without a word of them; and when parts failed.
CREATE TABLE metrics (
  workspace bigint NOT NULL,
  day bigint NOT NULL,
  name text COLLATE "C" NOT NULL,
  label text COLLATE "C" NOT NULL,
  bucket bigint NOT NULL,
  times bigint NOT NULL,
  total double precision NOT NULL,
  PRIMARY KEY (workspace, day, name, label, bucket)
) /*by workspace*/;

CREATE TABLE questions (
  workspace bigint NOT NULL,
  at bigint NOT NULL,
  digest text COLLATE "C" NOT NULL,
  operation text COLLATE "C" NOT NULL,
  intent text COLLATE "C" NOT NULL,
  recipe text COLLATE "C" NOT NULL,
  length bigint NOT NULL,
  milliseconds bigint NOT NULL,
  results bigint NOT NULL,
  tokens bigint NOT NULL,
  PRIMARY KEY (workspace, at, digest)
) /*by workspace*/;

CREATE TABLE degradation_times (
  workspace bigint NOT NULL,
  component text COLLATE "C" NOT NULL,
  at bigint NOT NULL,
  PRIMARY KEY (workspace, component, at)
) /*by workspace*/;
