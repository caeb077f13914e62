-- The agent's sessions: which there were, what was given in them and whether it was used, what was seen, what a model was paid.

CREATE TABLE sessions (
  id TEXT PRIMARY KEY,
  client TEXT NOT NULL,
  cwd TEXT NOT NULL,
  branch TEXT NOT NULL,
  transcript TEXT NOT NULL,        -- empty: the client named none
  process INTEGER NOT NULL,        -- of the client; 0: unknown
  parent TEXT NOT NULL,            -- the session that a sub-agent works for
  started_at INTEGER NOT NULL,
  seen_at INTEGER NOT NULL,
  ended_at INTEGER,
  end_reason TEXT NOT NULL,
  context INTEGER NOT NULL,        -- counts compactions: what was given before one is gone from the agent's context
  captured_at INTEGER,             -- when it was last learned from
  captured_size INTEGER NOT NULL,  -- bytes of the transcript then
  told TEXT NOT NULL               -- hash of the last message that was taken from the client's word before the file had it
) WITHOUT ROWID;
CREATE INDEX sessions_seen ON sessions (seen_at);
CREATE INDEX sessions_open ON sessions (seen_at) WHERE ended_at IS NULL;

-- What the agent was given, and what it did with it. A memory of the global store has its id here too.
CREATE TABLE receipts (
  session TEXT NOT NULL,
  context INTEGER NOT NULL,
  memory TEXT NOT NULL,
  scope TEXT NOT NULL,
  channel TEXT NOT NULL,           -- surface, prompt, file
  subject TEXT NOT NULL,           -- the file that was touched; empty for the other channels
  at INTEGER NOT NULL,
  score REAL NOT NULL,
  tokens INTEGER NOT NULL,
  used_at INTEGER,
  used_as TEXT NOT NULL,           -- quoted, file, command; empty: not used
  PRIMARY KEY (session, context, memory)
) WITHOUT ROWID;
CREATE INDEX receipts_at ON receipts (at);

-- What happened, without a word of what was said or printed.
CREATE TABLE signals (
  seq INTEGER PRIMARY KEY,
  session TEXT NOT NULL,
  at INTEGER NOT NULL,
  name TEXT NOT NULL,              -- read, written, failed, mended
  subject TEXT NOT NULL,           -- a file, or the beginning of a command without its secrets
  digest TEXT NOT NULL             -- of the whole command
);
CREATE INDEX signals_session ON signals (session, seq);

-- Every call of a language model, also one that failed.
CREATE TABLE model_calls (
  seq INTEGER PRIMARY KEY,
  at INTEGER NOT NULL,
  provider TEXT NOT NULL,
  model TEXT NOT NULL,
  purpose TEXT NOT NULL,           -- extract, edges
  session TEXT NOT NULL,
  input_tokens INTEGER NOT NULL,
  output_tokens INTEGER NOT NULL,
  micro_usd INTEGER NOT NULL,      -- millionths of a US dollar
  milliseconds INTEGER NOT NULL,
  outcome TEXT NOT NULL            -- pending, ok, refused, failed, unusable
);
CREATE INDEX model_calls_at ON model_calls (at);
