-- Documents that were ingested, and their chunks. Columns mean what they mean in SQLite's 0009, words and
-- length what they mean for memories (0002).
CREATE TABLE documents (
  workspace bigint NOT NULL,
  key bigint NOT NULL,
  id text COLLATE "C" NOT NULL,
  path text COLLATE "C" NOT NULL,
  form text NOT NULL,
  title text NOT NULL,
  domain text NOT NULL,
  set_domain bigint NOT NULL,
  metadata text,
  size bigint NOT NULL,
  hash text COLLATE "C" NOT NULL,
  rules text NOT NULL,
  source text NOT NULL,
  chunks bigint NOT NULL,
  tokens bigint NOT NULL,
  modified_at bigint NOT NULL,
  ingested_at bigint NOT NULL,
  seal bytea,
  PRIMARY KEY (workspace, key),
  UNIQUE (workspace, id),
  UNIQUE (workspace, path)
) /*by workspace*/;
CREATE INDEX documents_hash ON documents (workspace, hash);

CREATE TABLE chunks (
  workspace bigint NOT NULL,
  key bigint NOT NULL,
  id text COLLATE "C" NOT NULL,
  path text COLLATE "C" NOT NULL,
  place bigint NOT NULL,
  headings text NOT NULL,
  text text NOT NULL,
  first_line bigint NOT NULL,
  last_line bigint NOT NULL,
  tokens bigint NOT NULL,
  hash text COLLATE "C" NOT NULL,
  domain text NOT NULL,
  written_at bigint NOT NULL,
  terms text NOT NULL,
  last_accessed_at bigint,
  access_count bigint NOT NULL,
  embedding_key bigint,
  seal bytea,
  words tsvector NOT NULL DEFAULT '',
  length integer NOT NULL DEFAULT 0,
  PRIMARY KEY (workspace, key),
  UNIQUE (workspace, id)
) /*by workspace*/;
CREATE INDEX chunks_path ON chunks (workspace, path, place);
CREATE INDEX chunks_hash ON chunks (workspace, hash);
CREATE INDEX chunks_embedding ON chunks (workspace, embedding_key) WHERE embedding_key IS NOT NULL;
CREATE INDEX chunks_unembedded ON chunks (workspace, key) WHERE embedding_key IS NULL;
CREATE INDEX chunks_words ON chunks USING gin (words) WITH (fastupdate = off);

CREATE TABLE chunk_words (
  workspace bigint NOT NULL,
  word text COLLATE "C" NOT NULL,
  chunks bigint NOT NULL,          -- that hold it
  PRIMARY KEY (workspace, word)
) /*by workspace*/;

CREATE TABLE chunk_totals (
  workspace bigint NOT NULL PRIMARY KEY,
  chunks bigint NOT NULL,
  length bigint NOT NULL
) /*by workspace*/;

-- What words find, with its BM25: as `matching` (0002) does for memories.
CREATE FUNCTION matching_chunks(
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
        SELECT x.key, x.length, x.words FROM chunks x WHERE x.workspace = ours AND x.words @@ query OFFSET 0
      ) f ORDER BY f.key DESC LIMIT most
    ) x
    CROSS JOIN LATERAL unnest(ts_filter(setweight(x.words, 'A', lexemes), '{a}')) u
    JOIN unnest(lexemes, rarities) AS w (lexeme, idf) ON u.lexeme = w.lexeme
    CROSS JOIN LATERAL (SELECT ((u.positions[1] & 255) / 2.0)::double precision AS tf) t
    GROUP BY x.key ORDER BY score DESC, x.key LIMIT best;
END $$;
