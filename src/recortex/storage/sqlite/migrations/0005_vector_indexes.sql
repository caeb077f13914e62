-- Which files beside the store hold an approximate index of its vectors. A file counts only while its row is here: a copy of
-- the store, or a state of it that was put back, knows only files that were made of it.
CREATE TABLE vector_indexes (
  name TEXT PRIMARY KEY,           -- of the file
  model INTEGER NOT NULL,
  last_key INTEGER NOT NULL,       -- of the newest vector in it; later ones are looked at one by one
  vectors INTEGER NOT NULL,
  bytes INTEGER NOT NULL,
  checksum BLOB                    -- of the file; null: it is being made
) WITHOUT ROWID;

-- The key of the newest vector is given again once that vector is gone: an index that holds it would mistake the two.
CREATE TRIGGER embeddings_newest_gone AFTER DELETE ON embeddings
WHEN old.key > (SELECT coalesce(max(key), 0) FROM embeddings) BEGIN
  DELETE FROM vector_indexes WHERE last_key > (SELECT coalesce(max(key), 0) FROM embeddings);
END;
