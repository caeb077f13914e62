-- The word pieces of each text that was embedded, by which it is compared with a question word by word: 24 bytes each.
CREATE TABLE embedding_pieces (
  workspace bigint NOT NULL,
  key bigint NOT NULL,
  pieces bytea NOT NULL,
  PRIMARY KEY (workspace, key),
  FOREIGN KEY (workspace, key) REFERENCES embeddings (workspace, key) ON DELETE CASCADE
) /*by workspace*/;
