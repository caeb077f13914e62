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

-- Each request is one call of one of these: every further statement would be a further wait. They act as who
-- calls them, so row-level security holds inside.

-- Accepts a token and counts the request; no row where there is no such token.
CREATE OR REPLACE FUNCTION enter(p_workspace text, p_token text, p_hash bytea)
RETURNS TABLE (member text, scope text, replica text, public_key bytea, ended text, admitted boolean,
  missing double precision, rate double precision)
LANGUAGE plpgsql SET search_path = recortex_team SET enable_seqscan = off AS $$
#variable_conflict use_column
BEGIN
  PERFORM set_config('recortex.team', p_workspace, true);
  PERFORM set_config('synchronous_commit', 'off', true);  -- what is lost is a count of requests
  RETURN QUERY
  WITH asked AS (
    SELECT t.token, w.rate, m.removed_at,
      least(w.burst, t.level + extract(epoch FROM now() - t.level_at) * w.rate) AS level
    FROM tokens t JOIN workspaces w USING (workspace) JOIN members m USING (workspace, member)
    WHERE t.workspace = p_workspace AND t.token = p_token AND t.hash = p_hash FOR UPDATE OF t
  )
  UPDATE tokens t SET used_at = now(), level_at = now(), admitted = asked.level >= 1,
    level = asked.level - CASE WHEN asked.level >= 1 THEN 1 ELSE 0 END
  FROM asked WHERE t.workspace = p_workspace AND t.token = asked.token
  RETURNING t.member, t.scope, t.replica,
    (SELECT r.public_key FROM replicas r WHERE r.workspace = p_workspace AND r.replica = t.replica),
    CASE WHEN asked.removed_at IS NOT NULL OR t.revoked_at IS NOT NULL THEN 'revoked'
      WHEN t.expires_at <= now() THEN 'only valid until ' || t.expires_at::date END,
    t.admitted, 1 - asked.level, asked.rate;
END $$;

-- Appends versions that continue a replica's log and concern no purge, and tells what the workspace holds
-- then; no row, and no change, where something is in the way of that.
CREATE OR REPLACE FUNCTION append(p_workspace text, p_replica text, p_first bigint, p_ids bytea[],
  p_memories text[], p_payloads bytea[], p_parents bytea[], p_of text[], p_bytes bigint, p_sum numeric,
  p_card bytea, p_applied bytea, p_lock integer)
RETURNS TABLE (replica text, counter bigint, set_hash text)
LANGUAGE plpgsql SET search_path = recortex_team SET enable_seqscan = off AS $$
#variable_conflict use_column
BEGIN
  PERFORM set_config('recortex.team', p_workspace, true);
  PERFORM pg_advisory_xact_lock_shared(p_lock, hashtext(p_workspace));
  PERFORM FROM replicas r
  WHERE r.workspace = p_workspace AND r.replica = p_replica AND r.counter = p_first - 1 FOR UPDATE;
  IF NOT FOUND
    OR EXISTS (SELECT FROM versions v
      WHERE v.workspace = p_workspace AND v.purges AND v.memory = ANY(p_memories))
    OR EXISTS (SELECT FROM unnest(p_parents, p_of) AS p (id, memory) WHERE NOT EXISTS (SELECT FROM versions v
      WHERE v.workspace = p_workspace AND v.id = p.id AND v.memory = p.memory))
    OR NOT EXISTS (SELECT FROM workspaces w, replicas r
      WHERE w.workspace = p_workspace AND r.workspace = p_workspace GROUP BY w.most_versions, w.most_bytes
      HAVING sum(r.counter) + cardinality(p_ids) <= w.most_versions
        AND sum(r.bytes) + p_bytes <= w.most_bytes)
  THEN
    RETURN;
  END IF;
  INSERT INTO versions (workspace, replica, counter, id, memory, purges, payload)
  SELECT p_workspace, p_replica, p_first - 1 + n, id, memory, false, payload
  FROM unnest(p_ids, p_memories, p_payloads) WITH ORDINALITY AS one (id, memory, payload, n);
  UPDATE replicas r SET counter = p_first - 1 + cardinality(p_ids), bytes = bytes + p_bytes,
    set_hash = mod(set_hash + p_sum, 2::numeric ^ 256), card = coalesce(p_card, card),
    applied = coalesce(p_applied, applied),
    applied_at = CASE WHEN p_applied IS NULL THEN applied_at ELSE now() END
  WHERE r.workspace = p_workspace AND r.replica = p_replica;
  RETURN QUERY SELECT r.replica, r.counter, r.set_hash::text FROM replicas r WHERE r.workspace = p_workspace;
END $$;

-- Both in one: what it appended, or one row without a replica that says whether the token was accepted.
CREATE OR REPLACE FUNCTION enter_and_append(p_token text, p_hash bytea, p_workspace text, p_replica text,
  p_first bigint, p_ids bytea[], p_memories text[], p_payloads bytea[], p_parents bytea[], p_of text[],
  p_bytes bigint, p_sum numeric, p_card bytea, p_applied bytea, p_lock integer)
RETURNS TABLE (replica text, counter bigint, set_hash text, ended text, admitted boolean,
  missing double precision, rate double precision)
LANGUAGE plpgsql SET search_path = recortex_team AS $$
#variable_conflict use_column
DECLARE
  durable text := current_setting('synchronous_commit');
  entered record;
BEGIN
  SELECT * INTO entered FROM enter(p_workspace, p_token, p_hash);
  IF NOT FOUND THEN
    RETURN;
  END IF;
  PERFORM set_config('synchronous_commit', durable, true);  -- what is acknowledged must not be lost
  IF entered.ended IS NULL AND entered.admitted AND entered.replica = p_replica THEN
    RETURN QUERY SELECT a.replica, a.counter, a.set_hash, NULL::text, true, 0::float8, 0::float8
    FROM append(p_workspace, p_replica, p_first, p_ids, p_memories, p_payloads, p_parents, p_of, p_bytes,
      p_sum, p_card, p_applied, p_lock) a;
    IF FOUND THEN
      RETURN;
    END IF;
  END IF;
  RETURN QUERY SELECT NULL::text, NULL::bigint, NULL::text, entered.ended, entered.admitted,
    entered.missing, entered.rate;
END $$;

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
REVOKE ALL ON ALL FUNCTIONS IN SCHEMA recortex_team FROM PUBLIC;
GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA recortex_team TO recortex_team;
GRANT USAGE ON SCHEMA recortex_team TO recortex_team;
GRANT SELECT ON ALL TABLES IN SCHEMA recortex_team TO recortex_team;
GRANT INSERT ON members, tokens, replicas, versions, audit TO recortex_team;
GRANT UPDATE (removed_at) ON members TO recortex_team;
GRANT UPDATE (revoked_at, used_at, replica, level, level_at, admitted) ON tokens TO recortex_team;
GRANT UPDATE (counter, bytes, set_hash, card, applied, applied_at) ON replicas TO recortex_team;
GRANT UPDATE (payload) ON versions TO recortex_team;
