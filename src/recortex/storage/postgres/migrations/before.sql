-- Run before each step: the schema, the extension, the record of what was applied, and the roles that
-- connections and the search by words act as, where this role may make them.

CREATE SCHEMA IF NOT EXISTS recortex;
CREATE EXTENSION IF NOT EXISTS vector;
CREATE TABLE IF NOT EXISTS recortex.schema_migrations (
  version bigint PRIMARY KEY, name text NOT NULL, applied_at bigint NOT NULL, program text NOT NULL
);
CREATE TABLE IF NOT EXISTS recortex.layout (
  one boolean PRIMARY KEY DEFAULT true CHECK (one), partitions integer NOT NULL
);
DO $$
DECLARE wanted text;
BEGIN
  FOREACH wanted IN ARRAY ARRAY['recortex_tenant', 'recortex_seeker'] LOOP
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = wanted)
      AND (SELECT rolsuper OR rolcreaterole FROM pg_roles WHERE rolname = current_user) THEN
      EXECUTE format('CREATE ROLE %I NOLOGIN', wanted);
      IF NOT (SELECT rolsuper FROM pg_roles WHERE rolname = current_user) THEN
        EXECUTE format('GRANT %I TO %I', wanted, current_user);
      END IF;
    END IF;
  END LOOP;
END $$
