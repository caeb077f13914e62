-- What memories are found by: words, and vectors. The tables of vectors are plain ones, which obey transactions and can be
-- read where sqlite-vec is missing; only the distances are computed by that extension (bench/vectors.py).

CREATE VIRTUAL TABLE memories_fts USING fts5 (
  text, terms, context,
  content = 'memories', content_rowid = 'key', tokenize = 'porter unicode61 remove_diacritics 2'
);
INSERT INTO memories_fts (memories_fts) VALUES ('rebuild');  -- of a store that has memories already
INSERT INTO memories_fts (memories_fts, rank) VALUES ('secure-delete', 1);

CREATE TRIGGER memories_fts_insert AFTER INSERT ON memories BEGIN
  INSERT INTO memories_fts (rowid, text, terms, context) VALUES (new.key, new.text, new.terms, new.context);
END;
CREATE TRIGGER memories_fts_delete AFTER DELETE ON memories BEGIN
  INSERT INTO memories_fts (memories_fts, rowid, text, terms, context)
  VALUES ('delete', old.key, old.text, old.terms, old.context);
END;
CREATE TRIGGER memories_fts_update AFTER UPDATE OF text, terms, context ON memories BEGIN
  INSERT INTO memories_fts (memories_fts, rowid, text, terms, context)
  VALUES ('delete', old.key, old.text, old.terms, old.context);
  INSERT INTO memories_fts (rowid, text, terms, context) VALUES (new.key, new.text, new.terms, new.context);
END;

CREATE INDEX memories_speaker ON memories (speaker COLLATE NOCASE) WHERE speaker <> '';

CREATE TABLE embedding_models (
  key INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  dimensions INTEGER NOT NULL
);

-- A vector by the hash of the embedder's name and the text: memories that say the same share it.
CREATE TABLE embeddings (
  key INTEGER PRIMARY KEY,
  hash BLOB NOT NULL UNIQUE,
  model INTEGER NOT NULL REFERENCES embedding_models (key),
  vector BLOB NOT NULL             -- int8 codes
);
CREATE INDEX embeddings_model ON embeddings (model);

-- The signs of each vector, a bit each: rows so small that the coarse pass reads all of them.
CREATE TABLE embedding_signs (
  key INTEGER PRIMARY KEY REFERENCES embeddings (key) ON DELETE CASCADE,
  model INTEGER NOT NULL,
  signs BLOB NOT NULL
);
