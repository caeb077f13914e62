-- What was said in sessions (domain/exchange.py): the texts, what they are found by, and their three vectors. Vectors of
-- exchanges are kept in `embeddings` and `embedding_signs` under keys below zero, so that a search among the memories' vectors
-- does not read them.
CREATE TABLE exchanges (
  key INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  session TEXT NOT NULL,
  client TEXT NOT NULL,
  opener TEXT NOT NULL,
  part INTEGER NOT NULL,
  root_turn INTEGER NOT NULL,
  first_turn INTEGER NOT NULL,
  last_turn INTEGER NOT NULL,
  started_at INTEGER,
  ended_at INTEGER,
  asked TEXT NOT NULL,
  message TEXT NOT NULL,
  opening TEXT NOT NULL,
  conclusion TEXT NOT NULL,
  files TEXT NOT NULL,
  failed TEXT NOT NULL,
  passed TEXT NOT NULL,
  commit_id TEXT NOT NULL,
  ending TEXT NOT NULL,
  branch TEXT NOT NULL,
  folder TEXT NOT NULL,
  terms TEXT NOT NULL,             -- more words to find it by
  recorded_at INTEGER NOT NULL,
  message_key INTEGER,             -- of the message's vector; of all three null: none were made yet
  answered_key INTEGER,            -- of the message with what it answers
  outcome_key INTEGER,             -- of what came of it
  seal BLOB
);
CREATE INDEX exchanges_session ON exchanges (session, first_turn, part);
CREATE INDEX exchanges_ended ON exchanges (ended_at);
CREATE INDEX exchanges_message ON exchanges (message_key) WHERE message_key IS NOT NULL;
CREATE INDEX exchanges_answered ON exchanges (answered_key) WHERE answered_key IS NOT NULL;
CREATE INDEX exchanges_outcome ON exchanges (outcome_key) WHERE outcome_key IS NOT NULL;
CREATE INDEX exchanges_unembedded ON exchanges (key)
  WHERE message_key IS NULL AND answered_key IS NULL AND outcome_key IS NULL;

CREATE VIRTUAL TABLE exchanges_fts USING fts5 (
  message, asked, opening, conclusion, terms,
  content = 'exchanges', content_rowid = 'key', tokenize = 'porter unicode61 remove_diacritics 2'
);
INSERT INTO exchanges_fts (exchanges_fts, rank) VALUES ('secure-delete', 1);

CREATE TRIGGER exchanges_fts_insert AFTER INSERT ON exchanges BEGIN
  INSERT INTO exchanges_fts (rowid, message, asked, opening, conclusion, terms)
  VALUES (new.key, new.message, new.asked, new.opening, new.conclusion, new.terms);
END;
CREATE TRIGGER exchanges_fts_delete AFTER DELETE ON exchanges BEGIN
  INSERT INTO exchanges_fts (exchanges_fts, rowid, message, asked, opening, conclusion, terms)
  VALUES ('delete', old.key, old.message, old.asked, old.opening, old.conclusion, old.terms);
END;
CREATE TRIGGER exchanges_fts_update AFTER UPDATE OF message, asked, opening, conclusion, terms ON exchanges BEGIN
  INSERT INTO exchanges_fts (exchanges_fts, rowid, message, asked, opening, conclusion, terms)
  VALUES ('delete', old.key, old.message, old.asked, old.opening, old.conclusion, old.terms);
  INSERT INTO exchanges_fts (rowid, message, asked, opening, conclusion, terms)
  VALUES (new.key, new.message, new.asked, new.opening, new.conclusion, new.terms);
END;
