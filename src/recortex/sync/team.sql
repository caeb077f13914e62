-- The tables of a team server: a log of versions, and who may write it. Every key begins with the workspace,
-- so that the tables can be distributed by it, and no statement reads two workspaces.
CREATE SCHEMA IF NOT EXISTS recortex_team;
SET LOCAL search_path = recortex_team;

-- What a workspace may hold, and how fast a token may ask: 'rate' a second, 'burst' at once.
CREATE TABLE IF NOT EXISTS workspaces (
  workspace text COLLATE "C" PRIMARY KEY,
  made_at timestamptz NOT NULL DEFAULT now(),
  most_versions bigint NOT NULL,
  most_bytes bigint NOT NULL,
  rate double precision NOT NULL,
  burst double precision NOT NULL
) /*by workspace*/;

CREATE TABLE IF NOT EXISTS members (
  workspace text COLLATE "C" NOT NULL,
  member text COLLATE "C" NOT NULL,
  joined_at timestamptz NOT NULL DEFAULT now(),
  removed_at timestamptz,
  PRIMARY KEY (workspace, member)
) /*by workspace*/;

-- 'replica' is empty until the token is first used. 'level' is what is left of its requests at 'level_at'.
CREATE TABLE IF NOT EXISTS tokens (
  workspace text COLLATE "C" NOT NULL,
  token text COLLATE "C" NOT NULL,
  hash bytea NOT NULL,
  member text COLLATE "C" NOT NULL,
  scope text COLLATE "C" NOT NULL,
  made_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz,
  revoked_at timestamptz,
  used_at timestamptz,
  replica text COLLATE "C" NOT NULL DEFAULT '',
  login bytea,
  level double precision NOT NULL,
  level_at timestamptz NOT NULL DEFAULT now(),
  admitted boolean NOT NULL DEFAULT true,
  PRIMARY KEY (workspace, token),
  UNIQUE (workspace, login)
) /*by workspace*/;

-- How far the log of a replica reaches; its card, and what it has applied, as it signed them.
-- Sums are kept by replica, not by workspace, so that members who push at the same time do not wait for one
-- row.
CREATE TABLE IF NOT EXISTS replicas (
  workspace text COLLATE "C" NOT NULL,
  replica text COLLATE "C" NOT NULL,
  public_key bytea NOT NULL,
  member text COLLATE "C" NOT NULL,
  card bytea NOT NULL,
  applied bytea,
  applied_at timestamptz,
  joined_at timestamptz NOT NULL DEFAULT now(),
  counter bigint NOT NULL DEFAULT 0,
  bytes bigint NOT NULL DEFAULT 0,
  set_hash numeric(78, 0) NOT NULL DEFAULT 0,
  PRIMARY KEY (workspace, replica)
) /*by workspace*/;

-- 'payload' is the version as it is sent. The same state written by two replicas has one id and two rows.
CREATE TABLE IF NOT EXISTS versions (
  workspace text COLLATE "C" NOT NULL,
  replica text COLLATE "C" NOT NULL,
  counter bigint NOT NULL,
  id bytea NOT NULL,
  memory text COLLATE "C" NOT NULL,
  purges boolean NOT NULL,
  payload bytea NOT NULL,
  received_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (workspace, replica, counter)
) /*by workspace*/;
CREATE INDEX IF NOT EXISTS versions_by_id ON versions (workspace, id);
CREATE INDEX IF NOT EXISTS versions_by_memory ON versions (workspace, memory);
CREATE INDEX IF NOT EXISTS purges ON versions (workspace, memory) WHERE purges;

CREATE TABLE IF NOT EXISTS audit (
  workspace text COLLATE "C" NOT NULL,
  at timestamptz NOT NULL DEFAULT clock_timestamp(),
  entry uuid NOT NULL DEFAULT gen_random_uuid(),
  member text COLLATE "C" NOT NULL,
  action text COLLATE "C" NOT NULL,
  detail text NOT NULL,
  PRIMARY KEY (workspace, at, entry)
) /*by workspace*/;

DO $$
DECLARE part record;
BEGIN
  IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'recortex_team') THEN
    CREATE ROLE recortex_team NOLOGIN;
    IF NOT (SELECT rolsuper FROM pg_roles WHERE rolname = current_user) THEN
      EXECUTE format('GRANT recortex_team TO %I', current_user);
    END IF;
  END IF;
  -- Partitions can be named too, so they are guarded as well.
  FOR part IN
    SELECT format('%I.%I', n.nspname, c.relname) AS place, c.oid FROM pg_class c
    JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE n.nspname = 'recortex_team' AND c.relkind IN ('r', 'p')
      AND NOT EXISTS (SELECT FROM pg_policy p WHERE p.polrelid = c.oid)
  LOOP
    EXECUTE format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY', part.place);
    EXECUTE format('ALTER TABLE %s FORCE ROW LEVEL SECURITY', part.place);
    EXECUTE format(
      'CREATE POLICY own ON %s USING (workspace = current_setting(''recortex.team'', true))', part.place
    );
  END LOOP;
END $$;

-- The server may add to the log and to the audit, and change neither. Only the payload of a version may go,
-- when its memory is purged.
REVOKE ALL ON ALL TABLES IN SCHEMA recortex_team FROM PUBLIC;
GRANT USAGE ON SCHEMA recortex_team TO recortex_team;
GRANT SELECT ON ALL TABLES IN SCHEMA recortex_team TO recortex_team;
GRANT INSERT ON members, tokens, replicas, versions, audit TO recortex_team;
GRANT UPDATE (removed_at) ON members TO recortex_team;
GRANT UPDATE (revoked_at, used_at, replica, level, level_at, admitted) ON tokens TO recortex_team;
GRANT UPDATE (counter, bytes, set_hash, card, applied, applied_at) ON replicas TO recortex_team;
GRANT UPDATE (payload) ON versions TO recortex_team;
