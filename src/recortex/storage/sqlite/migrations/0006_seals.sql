-- What a row was written as: 16 bytes of BLAKE3 over its values (storage/records/row_checksums.py), since SQLite keeps no sums of its
-- pages. Null: written by an earlier program.
ALTER TABLE memories ADD COLUMN seal BLOB;
ALTER TABLE versions ADD COLUMN seal BLOB;
ALTER TABLE relations ADD COLUMN seal BLOB;
