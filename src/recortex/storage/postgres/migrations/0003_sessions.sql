-- The agent's sessions: which there were, what was given in them and whether it was used, what was seen, what a model was paid.

CREATE TABLE sessions (
  workspace bigint NOT NULL,
  id text COLLATE "C" NOT NULL,
  client text NOT NULL,
  cwd text NOT NULL,
  branch text NOT NULL,
  transcript text COLLATE "C" NOT NULL,
  process bigint NOT NULL,
  parent text NOT NULL,
  started_at bigint NOT NULL,
  seen_at bigint NOT NULL,
  ended_at bigint,
  end_reason text NOT NULL,
  context bigint NOT NULL,
  captured_at bigint,
  captured_size bigint NOT NULL,
  told text NOT NULL,
  PRIMARY KEY (workspace, id)
) /*by workspace*/;
CREATE INDEX sessions_seen ON sessions (workspace, seen_at);
CREATE INDEX sessions_open ON sessions (workspace, seen_at) WHERE ended_at IS NULL;

CREATE TABLE receipts (
  workspace bigint NOT NULL,
  session text COLLATE "C" NOT NULL,
  context bigint NOT NULL,
  memory text COLLATE "C" NOT NULL,
  scope text NOT NULL,
  channel text COLLATE "C" NOT NULL,
  subject text NOT NULL,
  at bigint NOT NULL,
  score double precision NOT NULL,
  tokens bigint NOT NULL,
  used_at bigint,
  used_as text NOT NULL,
  PRIMARY KEY (workspace, session, context, memory)
) /*by workspace*/;
CREATE INDEX receipts_at ON receipts (workspace, at);

CREATE TABLE signals (
  workspace bigint NOT NULL,
  seq bigint NOT NULL,
  session text COLLATE "C" NOT NULL,
  at bigint NOT NULL,
  name text NOT NULL,
  subject text NOT NULL,
  digest text NOT NULL,
  PRIMARY KEY (workspace, seq)
) /*by workspace*/;
CREATE INDEX signals_session ON signals (workspace, session, seq);

CREATE TABLE model_calls (
  workspace bigint NOT NULL,
  seq bigint NOT NULL,
  at bigint NOT NULL,
  provider text NOT NULL,
  model text NOT NULL,
  purpose text NOT NULL,
  session text NOT NULL,
  input_tokens bigint NOT NULL,
  output_tokens bigint NOT NULL,
  micro_usd bigint NOT NULL,
  milliseconds bigint NOT NULL,
  outcome text NOT NULL,
  PRIMARY KEY (workspace, seq)
) /*by workspace*/;
CREATE INDEX model_calls_at ON model_calls (workspace, at);
