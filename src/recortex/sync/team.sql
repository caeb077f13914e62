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

DROP FUNCTION IF EXISTS enter_and_append;
DROP FUNCTION IF EXISTS append;  -- of the first versions

-- Several pushes at once, each by a token of its own and of a replica of its own: accepts and counts the
-- tokens, and appends the versions that continue a replica's log and concern no purge. One row for each
-- token that there is, and one for what the workspace holds then, if anything was appended. Of a push that
-- has something in its way, nothing is appended; the others are not concerned.
-- 'pushes' and 'of' number the push of a version, and of a parent that has to be there. Rows are locked in
-- their order, so that two calls cannot wait for each other, and looked up by index, whatever is estimated.
CREATE OR REPLACE FUNCTION append_all(p_workspace text, p_lock integer, p_tokens text[], p_hashes bytea[],
  p_replicas text[], p_firsts bigint[], p_numbers bigint[], p_sizes bigint[], p_sums numeric[],
  p_cards bytea[], p_applied bytea[], p_pushes bigint[], p_counters bigint[], p_ids bytea[],
  p_memories text[], p_payloads bytea[], p_of bigint[], p_parents bytea[], p_parent_memories text[])
RETURNS TABLE (place bigint, appended boolean, ended text, admitted boolean, missing double precision,
  rate double precision, vector text, set_hash text)
LANGUAGE plpgsql SET search_path = recortex_team SET enable_seqscan = off SET enable_hashjoin = off
SET enable_mergejoin = off AS $$
#variable_conflict use_column
BEGIN
  PERFORM set_config('recortex.team', p_workspace, true);
  PERFORM pg_advisory_xact_lock_shared(p_lock, hashtext(p_workspace));
  -- Near the quota, nobody else counts what the workspace has room for until this is committed: two server
  -- processes would each see none of what the other one appends. What follows sees all that was committed
  -- before. Farther from it, there is room for all that can be on its way at once, of at most 1 MB each.
  IF (SELECT w.most_versions - sum(r.counter) < 500000 OR w.most_bytes - sum(r.bytes) < 536870912
      FROM workspaces w JOIN replicas r USING (workspace)
      WHERE w.workspace = p_workspace GROUP BY w.most_versions, w.most_bytes) THEN
    PERFORM pg_advisory_xact_lock(p_lock + 1, hashtext(p_workspace));
  END IF;
  RETURN QUERY
  WITH pushes AS MATERIALIZED (
    SELECT * FROM unnest(p_tokens, p_hashes, p_replicas, p_firsts, p_numbers, p_sizes, p_sums, p_cards,
      p_applied) WITH ORDINALITY AS p (token, hash, replica, first, number, size, total, card, applied, place)
  ), asked AS MATERIALIZED (
    SELECT p.place, p.replica = t.replica AS own, t.token, w.rate, m.removed_at,
      least(w.burst, t.level + extract(epoch FROM now() - t.level_at) * w.rate) AS level
    FROM pushes p JOIN tokens t ON t.workspace = p_workspace AND t.token = p.token AND t.hash = p.hash
    JOIN workspaces w ON w.workspace = p_workspace
    JOIN members m ON m.workspace = p_workspace AND m.member = t.member
    ORDER BY t.token FOR UPDATE OF t
  ), entered AS (
    UPDATE tokens t SET used_at = now(), level_at = now(), admitted = asked.level >= 1,
      level = asked.level - CASE WHEN asked.level >= 1 THEN 1 ELSE 0 END
    FROM asked WHERE t.workspace = p_workspace AND t.token = asked.token
    RETURNING asked.place, asked.own,
      CASE WHEN asked.removed_at IS NOT NULL OR t.revoked_at IS NOT NULL THEN 'revoked'
        WHEN t.expires_at <= now() THEN 'only valid until ' || t.expires_at::date END AS ended,
      t.admitted, 1 - asked.level AS missing, asked.rate
  ), blocked AS (
    SELECT one.push FROM unnest(p_pushes, p_memories) AS one (push, memory)
    WHERE EXISTS (SELECT FROM versions v
      WHERE v.workspace = p_workspace AND v.purges AND v.memory = one.memory)
    UNION ALL
    SELECT one.push FROM unnest(p_of, p_parents, p_parent_memories) AS one (push, id, memory)
    WHERE NOT EXISTS (SELECT FROM versions v
      WHERE v.workspace = p_workspace AND v.id = one.id AND v.memory = one.memory)
  ), held AS MATERIALIZED (
    SELECT p.* FROM entered e JOIN pushes p ON p.place = e.place
    JOIN replicas r ON r.workspace = p_workspace AND r.replica = p.replica AND r.counter = p.first - 1
    WHERE e.own AND e.ended IS NULL AND e.admitted AND p.place NOT IN (SELECT push FROM blocked)
    ORDER BY r.replica FOR UPDATE OF r
  ), fitting AS MATERIALIZED (
    SELECT h.* FROM held h WHERE (
      SELECT there.versions + new.versions <= w.most_versions AND there.bytes + new.bytes <= w.most_bytes
      FROM workspaces w,
        (SELECT sum(r.counter) AS versions, sum(r.bytes) AS bytes FROM replicas r
          WHERE r.workspace = p_workspace) there,
        (SELECT sum(number) AS versions, sum(size) AS bytes FROM held) new
      WHERE w.workspace = p_workspace)
  ), added AS (
    INSERT INTO versions (workspace, replica, counter, id, memory, purges, payload)
    SELECT p_workspace, p_replicas[one.push], one.counter, one.id, one.memory, false, one.payload
    FROM unnest(p_pushes, p_counters, p_ids, p_memories, p_payloads)
      AS one (push, counter, id, memory, payload)
    WHERE one.push IN (SELECT f.place FROM fitting f)
  ), moved AS (
    UPDATE replicas r SET counter = f.first - 1 + f.number, bytes = r.bytes + f.size,
      set_hash = mod(r.set_hash + f.total, 2::numeric ^ 256), card = coalesce(f.card, r.card),
      applied = coalesce(f.applied, r.applied),
      applied_at = CASE WHEN f.applied IS NULL THEN r.applied_at ELSE now() END
    FROM fitting f WHERE r.workspace = p_workspace AND r.replica = f.replica
    RETURNING f.place
  )
  SELECT e.place, e.place IN (SELECT m.place FROM moved m), e.ended, e.admitted, e.missing, e.rate,
    NULL::text, NULL::text FROM entered e;
  RETURN QUERY SELECT NULL::bigint, true, NULL::text, NULL::boolean, NULL::float8, NULL::float8,
    json_object_agg(r.replica, r.counter) FILTER (WHERE r.counter > 0)::text,
    mod(sum(r.set_hash), 2::numeric ^ 256)::text
  FROM replicas r WHERE r.workspace = p_workspace;
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
