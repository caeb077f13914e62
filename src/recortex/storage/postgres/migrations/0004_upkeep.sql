-- What looking after a store needs to know: what was done when, how it grew, what became of the audit log's old entries.

CREATE TABLE audit_summaries (
  workspace bigint NOT NULL,
  month text COLLATE "C" NOT NULL,
  operation text COLLATE "C" NOT NULL,
  actor text COLLATE "C" NOT NULL,
  entries bigint NOT NULL,
  first_at bigint NOT NULL,
  last_at bigint NOT NULL,
  PRIMARY KEY (workspace, month, operation, actor)
) /*by workspace*/;
CREATE INDEX audit_at ON audit (workspace, at);

CREATE TABLE chores (
  workspace bigint NOT NULL,
  name text COLLATE "C" NOT NULL,
  done_at bigint NOT NULL,
  outcome text NOT NULL,
  PRIMARY KEY (workspace, name)
) /*by workspace*/;

CREATE TABLE growth (
  workspace bigint NOT NULL,
  at bigint NOT NULL,
  memories bigint NOT NULL,
  bytes bigint NOT NULL,
  PRIMARY KEY (workspace, at)
) /*by workspace*/;

CREATE TABLE reembeddings (
  workspace bigint NOT NULL,
  model text COLLATE "C" NOT NULL,
  started_at bigint NOT NULL,
  finished_at bigint,
  done bigint NOT NULL,
  milliseconds bigint NOT NULL,
  PRIMARY KEY (workspace, model)
) /*by workspace*/;

ALTER TABLE tombstones ADD COLUMN reason text NOT NULL DEFAULT 'purge';
