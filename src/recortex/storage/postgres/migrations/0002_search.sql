-- What memories are found by. FTS5 keeps its counts itself; here they stand in tables: how many memories hold a word, and
-- how long all of them are. A lexeme begins with its workspace, and so does every entry of the index of lexemes.

ALTER TABLE memories ADD COLUMN words tsvector NOT NULL DEFAULT '';  -- each word once, its position twice its weighted count
ALTER TABLE memories ADD COLUMN length integer NOT NULL DEFAULT 0;   -- words of text, terms and context together
CREATE INDEX memories_words ON memories USING gin (words) WITH (fastupdate = off);
CREATE INDEX memories_speaker ON memories (workspace, lower(speaker COLLATE "C")) WHERE speaker <> '';

-- What the words find, with its BM25. A condition that a function answers, such as @@, may not use an index where row-level
-- security has to come first, so that a search would read the whole workspace. This function is given to a role that the
-- policy of `memories` lets see all of it (see `_release` of this package), and shows nothing but the caller's workspace.
CREATE FUNCTION matching(
  query tsquery, lexemes text[], rarities double precision[], mean double precision,
  said boolean,  -- the count in the text decides, not the weighted count of all columns
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
    SELECT m.key, sum(w.idf * 2.2 * t.tf / (t.tf + 1.2 * (0.25 + 0.75 * m.length / mean))) AS score
    FROM (
      SELECT f.key, f.length, f.words FROM (  -- OFFSET 0: else all memories might be read in the order of their keys
        SELECT m.key, m.length, m.words FROM memories m WHERE m.workspace = ours AND m.words @@ query OFFSET 0
      ) f ORDER BY f.key DESC LIMIT most
    ) m
    CROSS JOIN LATERAL unnest(ts_filter(setweight(m.words, 'A', lexemes), '{a}')) u
    JOIN unnest(lexemes, rarities) AS w (lexeme, idf) ON u.lexeme = w.lexeme
    CROSS JOIN LATERAL (
      SELECT (CASE WHEN said THEN u.positions[1] / 256 ELSE (u.positions[1] & 255) / 2.0 END)::double precision AS tf
    ) t
    GROUP BY m.key ORDER BY score DESC, m.key LIMIT best;
END $$;

CREATE TABLE words (
  workspace bigint NOT NULL,
  word text COLLATE "C" NOT NULL,
  memories bigint NOT NULL,        -- that hold it
  PRIMARY KEY (workspace, word)
) /*by workspace*/;

CREATE TABLE word_totals (
  workspace bigint NOT NULL PRIMARY KEY,
  memories bigint NOT NULL,
  length bigint NOT NULL
) /*by workspace*/;

CREATE TABLE embedding_models (
  workspace bigint NOT NULL,
  key bigint NOT NULL,
  name text COLLATE "C" NOT NULL,
  dimensions integer NOT NULL,
  PRIMARY KEY (workspace, key),
  UNIQUE (workspace, name)
) /*by workspace*/;

CREATE TABLE embeddings (
  workspace bigint NOT NULL,
  key bigint NOT NULL,
  hash bytea NOT NULL,
  model bigint NOT NULL,
  vector halfvec NOT NULL,         -- int8 codes, which half precision holds exactly
  PRIMARY KEY (workspace, key),
  UNIQUE (workspace, hash),
  FOREIGN KEY (workspace, model) REFERENCES embedding_models (workspace, key)
) /*by workspace*/;
CREATE INDEX embeddings_model ON embeddings (workspace, model);

CREATE TABLE embedding_signs (
  workspace bigint NOT NULL,
  key bigint NOT NULL,
  model bigint NOT NULL,
  signs bit varying NOT NULL,
  PRIMARY KEY (workspace, key),
  FOREIGN KEY (workspace, key) REFERENCES embeddings (workspace, key) ON DELETE CASCADE
) /*by workspace*/;
