-- Run after each step, for what the step has made.

-- Row-level security on every table that has a workspace, and on its partitions, which can be named too.
-- The owner of the tables obeys it as well.
DO $$
DECLARE
  part record;
  ours text;
BEGIN
  FOR part IN
    SELECT c.relname AS name, format('%I.%I', n.nspname, c.relname) AS place FROM pg_class c
    JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE n.nspname = 'recortex' AND c.relkind IN ('r', 'p')
      AND EXISTS (SELECT FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attname = 'workspace')
      AND NOT EXISTS (SELECT FROM pg_policy p WHERE p.polrelid = c.oid)
  LOOP
    ours := CASE part.name
      WHEN 'workspaces' THEN $ours$name = current_setting('recortex.name', true)$ours$
      ELSE $ours$workspace = nullif(current_setting('recortex.workspace', true), '')::bigint$ours$
    END;
    EXECUTE format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY', part.place);
    EXECUTE format('ALTER TABLE %s FORCE ROW LEVEL SECURITY', part.place);
    EXECUTE format('CREATE POLICY own ON %s USING (%s) WITH CHECK (%s)', part.place, ours, ours);
  END LOOP;
END $$;

-- What a connection may do whose own role would see past row-level security.
DO $$ BEGIN
  IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'recortex_tenant') THEN
    GRANT USAGE ON SCHEMA recortex TO recortex_tenant;
    GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA recortex TO recortex_tenant;
    GRANT USAGE ON ALL SEQUENCES IN SCHEMA recortex TO recortex_tenant;
    GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA recortex TO recortex_tenant;
    REVOKE INSERT, UPDATE, DELETE ON recortex.schema_migrations, recortex.layout FROM recortex_tenant;
  END IF;
END $$;

-- Let the searches by words use their indexes: their functions, and nothing else, act as a role that sees all
-- rows of the tables. Where that role could not be made, a search is as correct, and reads the whole workspace.
DO $$
DECLARE
  part record;
BEGIN
  FOR part IN
    SELECT * FROM (VALUES ('matching', 'memories'), ('matching_exchanges', 'exchanges'),
      ('matching_chunks', 'chunks')) AS p (search, rows)
    WHERE to_regproc('recortex.' || search) IS NOT NULL
      AND (SELECT proowner::regrole::text FROM pg_proc WHERE oid = to_regproc('recortex.' || search))
        <> 'recortex_seeker'
      AND EXISTS (SELECT FROM pg_roles WHERE rolname = 'recortex_seeker' AND pg_has_role(oid, 'MEMBER'))
  LOOP
    GRANT USAGE, CREATE ON SCHEMA recortex TO recortex_seeker;
    EXECUTE format('GRANT SELECT ON recortex.%I TO recortex_seeker', part.rows);
    EXECUTE format(
      'CREATE POLICY seeking ON recortex.%I FOR SELECT TO recortex_seeker USING (true)', part.rows
    );
    EXECUTE format('ALTER FUNCTION recortex.%I OWNER TO recortex_seeker', part.search);
    REVOKE CREATE ON SCHEMA recortex FROM recortex_seeker;
  END LOOP;
END $$
