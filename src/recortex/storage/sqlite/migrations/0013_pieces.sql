-- The word pieces of each text that was embedded, by which it is compared with a question word by word: 24 bytes each.
CREATE TABLE embedding_pieces (
  key INTEGER PRIMARY KEY REFERENCES embeddings (key) ON DELETE CASCADE,
  pieces BLOB NOT NULL
);
