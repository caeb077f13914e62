-- What was said in sessions. Columns mean what they mean in SQLite's 0007; words and length what they mean for memories (0002).
CREATE TABLE exchanges (
  workspace bigint NOT NULL,
  key bigint NOT NULL,
  id text COLLATE "C" NOT NULL,
  session text COLLATE "C" NOT NULL,
  client text NOT NULL,
  opener text NOT NULL,
  part bigint NOT NULL,
  root_turn bigint NOT NULL,
  first_turn bigint NOT NULL,
  last_turn bigint NOT NULL,
  started_at bigint,
  ended_at bigint,
  asked text NOT NULL,
  message text NOT NULL,
  opening text NOT NULL,
  conclusion text NOT NULL,
  files text NOT NULL,
  failed text NOT NULL,
  passed text NOT NULL,
  commit_id text NOT NULL,
  ending text NOT NULL,
  branch text COLLATE "C" NOT NULL,
  folder text COLLATE "C" NOT NULL,
  terms text NOT NULL,
  recorded_at bigint NOT NULL,
  message_key bigint,
  answered_key bigint,
  outcome_key bigint,
  seal bytea,
  words tsvector NOT NULL DEFAULT '',
  length integer NOT NULL DEFAULT 0,
  PRIMARY KEY (workspace, key),
  UNIQUE (workspace, id)
) /*by workspace*/;
CREATE INDEX exchanges_session ON exchanges (workspace, session, first_turn, part);
CREATE INDEX exchanges_ended ON exchanges (workspace, ended_at);
CREATE INDEX exchanges_message ON exchanges (workspace, message_key) WHERE message_key IS NOT NULL;
CREATE INDEX exchanges_answered ON exchanges (workspace, answered_key) WHERE answered_key IS NOT NULL;
CREATE INDEX exchanges_outcome ON exchanges (workspace, outcome_key) WHERE outcome_key IS NOT NULL;
CREATE INDEX exchanges_unembedded ON exchanges (workspace, key)
  WHERE message_key IS NULL AND answered_key IS NULL AND outcome_key IS NULL;
CREATE INDEX exchanges_words ON exchanges USING gin (words) WITH (fastupdate = off);

CREATE TABLE exchange_words (
  workspace bigint NOT NULL,
  word text COLLATE "C" NOT NULL,
  exchanges bigint NOT NULL,       -- that hold it
  PRIMARY KEY (workspace, word)
) /*by workspace*/;

CREATE TABLE exchange_totals (
  workspace bigint NOT NULL PRIMARY KEY,
  exchanges bigint NOT NULL,
  length bigint NOT NULL
) /*by workspace*/;

-- Approximate indexes of vectors that were made before would hold those of exchanges too: the next job makes them anew.
DO $$
DECLARE
  part record;
BEGIN
  FOR part IN
    SELECT c.oid::regclass AS name FROM pg_class c WHERE c.relnamespace = 'recortex'::regnamespace
      AND c.relkind = 'i' AND starts_with(c.relname, 'embeddings_near_')
  LOOP
    EXECUTE format('DROP INDEX %s', part.name);
  END LOOP;
END $$;

-- What words find, with its BM25: as `matching` (0002) does for memories.
CREATE FUNCTION matching_exchanges(
  query tsquery, lexemes text[], rarities double precision[], mean double precision,
  most integer,  -- the latest so many of those found are scored; null: all
  best integer   -- so many are given; null: all
) RETURNS TABLE (key bigint, score double precision)
LANGUAGE plpgsql STABLE SECURITY DEFINER ROWS 1000
SET search_path = recortex, pg_catalog, pg_temp
SET enable_seqscan = off SET jit = off SET work_mem = '32MB' SET plan_cache_mode = force_generic_plan
AS $$
#variable_conflict use_column
DECLARE
  ours bigint := nullif(current_setting('recortex.workspace', true), '')::bigint;
BEGIN
  RETURN QUERY
    SELECT x.key, sum(w.idf * 2.2 * t.tf / (t.tf + 1.2 * (0.25 + 0.75 * x.length / mean))) AS score
    FROM (
      SELECT f.key, f.length, f.words FROM (
        SELECT x.key, x.length, x.words FROM exchanges x WHERE x.workspace = ours AND x.words @@ query OFFSET 0
      ) f ORDER BY f.key DESC LIMIT most
    ) x
    CROSS JOIN LATERAL unnest(ts_filter(setweight(x.words, 'A', lexemes), '{a}')) u
    JOIN unnest(lexemes, rarities) AS w (lexeme, idf) ON u.lexeme = w.lexeme
    CROSS JOIN LATERAL (SELECT ((u.positions[1] & 255) / 2.0)::double precision AS tf) t
    GROUP BY x.key ORDER BY score DESC, x.key LIMIT best;
END $$;
