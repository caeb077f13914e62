-- Documents that were ingested, and their chunks (domain/document.py). Vectors of chunks have keys of their
-- own range (storage/records/vectors.py), so that a search among others does not read them.
CREATE TABLE documents (
  key INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  path TEXT NOT NULL UNIQUE,
  form TEXT NOT NULL,
  title TEXT NOT NULL,
  domain TEXT NOT NULL,
  set_domain INTEGER NOT NULL,
  metadata TEXT,
  size INTEGER NOT NULL,
  hash TEXT NOT NULL,
  rules TEXT NOT NULL,             -- by which secrets were taken out
  source TEXT NOT NULL,
  chunks INTEGER NOT NULL,
  tokens INTEGER NOT NULL,
  modified_at INTEGER NOT NULL,
  ingested_at INTEGER NOT NULL,
  seal BLOB
);
CREATE INDEX documents_hash ON documents (hash);

CREATE TABLE chunks (
  key INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  path TEXT NOT NULL,              -- the document's
  place INTEGER NOT NULL,
  headings TEXT NOT NULL,
  text TEXT NOT NULL,
  first_line INTEGER NOT NULL,
  last_line INTEGER NOT NULL,
  tokens INTEGER NOT NULL,
  hash TEXT NOT NULL,
  domain TEXT NOT NULL,
  written_at INTEGER NOT NULL,
  terms TEXT NOT NULL,             -- more words to find it by
  last_accessed_at INTEGER,
  access_count INTEGER NOT NULL,
  embedding_key INTEGER,
  seal BLOB
);
CREATE INDEX chunks_path ON chunks (path, place);
CREATE INDEX chunks_hash ON chunks (hash);
CREATE INDEX chunks_embedding ON chunks (embedding_key) WHERE embedding_key IS NOT NULL;
CREATE INDEX chunks_unembedded ON chunks (key) WHERE embedding_key IS NULL;

CREATE VIRTUAL TABLE chunks_fts USING fts5 (
  text, headings, terms,
  content = 'chunks', content_rowid = 'key', tokenize = 'porter unicode61 remove_diacritics 2'
);
INSERT INTO chunks_fts (chunks_fts, rank) VALUES ('secure-delete', 1);

CREATE TRIGGER chunks_fts_insert AFTER INSERT ON chunks BEGIN
  INSERT INTO chunks_fts (rowid, text, headings, terms) VALUES (new.key, new.text, new.headings, new.terms);
END;
CREATE TRIGGER chunks_fts_delete AFTER DELETE ON chunks BEGIN
  INSERT INTO chunks_fts (chunks_fts, rowid, text, headings, terms)
  VALUES ('delete', old.key, old.text, old.headings, old.terms);
END;
CREATE TRIGGER chunks_fts_update AFTER UPDATE OF text, headings, terms ON chunks BEGIN
  INSERT INTO chunks_fts (chunks_fts, rowid, text, headings, terms)
  VALUES ('delete', old.key, old.text, old.headings, old.terms);
  INSERT INTO chunks_fts (rowid, text, headings, terms) VALUES (new.key, new.text, new.headings, new.terms);
END;
