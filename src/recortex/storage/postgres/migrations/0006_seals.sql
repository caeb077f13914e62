-- What a row was written as: 16 bytes of BLAKE3 over its values (storage/records/row_checksums.py). Null: written by an earlier program.
ALTER TABLE memories ADD COLUMN seal bytea;
ALTER TABLE versions ADD COLUMN seal bytea;
ALTER TABLE relations ADD COLUMN seal bytea;
