-- What a team shares: the versions of all replicas, what is shown of them, keys, and conflicts.
CREATE TABLE sync_log (
  workspace bigint NOT NULL,
  replica text COLLATE "C" NOT NULL,
  counter bigint NOT NULL,
  id text COLLATE "C" NOT NULL,
  record text COLLATE "C" NOT NULL,
  parents text NOT NULL,
  clock bigint NOT NULL,
  operation text COLLATE "C" NOT NULL,
  author text COLLATE "C" NOT NULL,
  body text,
  signature text NOT NULL,
  PRIMARY KEY (workspace, replica, counter)
) /*by workspace*/;
CREATE INDEX sync_log_record ON sync_log (workspace, record);

CREATE TABLE sync_heads (
  workspace bigint NOT NULL,
  record text COLLATE "C" NOT NULL,
  head text COLLATE "C" NOT NULL,
  shown bigint NOT NULL,
  leaves bigint NOT NULL,
  PRIMARY KEY (workspace, record)
) /*by workspace*/;
CREATE INDEX sync_heads_open ON sync_heads (workspace, record) WHERE leaves > 1 OR shown = 0;

CREATE TABLE sync_replicas (
  workspace bigint NOT NULL,
  replica text COLLATE "C" NOT NULL,
  author text COLLATE "C" NOT NULL,
  card text NOT NULL,
  trusted bigint NOT NULL,
  applied text,
  PRIMARY KEY (workspace, replica)
) /*by workspace*/;

CREATE TABLE sync_state (
  workspace bigint NOT NULL,
  peer text COLLATE "C" NOT NULL,
  team text COLLATE "C" NOT NULL,
  replica text COLLATE "C" NOT NULL,
  author text COLLATE "C" NOT NULL,
  vector text NOT NULL,
  set_hash text NOT NULL,
  way text NOT NULL,
  synced_at bigint,
  error text NOT NULL,
  failures bigint NOT NULL,
  next_at bigint NOT NULL,
  PRIMARY KEY (workspace, peer)
) /*by workspace*/;

CREATE TABLE conflict_log (
  workspace bigint NOT NULL,
  record text COLLATE "C" NOT NULL,
  one text COLLATE "C" NOT NULL,
  other text COLLATE "C" NOT NULL,
  head text COLLATE "C" NOT NULL,
  strategy text COLLATE "C" NOT NULL,
  found_at bigint NOT NULL,
  settled_at bigint,
  settled_by text COLLATE "C" NOT NULL,
  PRIMARY KEY (workspace, record, one, other)
) /*by workspace*/;
