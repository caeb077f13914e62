-- The vector of a message alone found nothing that the one of the message with what it answers does not (docs/exchanges.md).
DROP INDEX exchanges_message;
DROP INDEX exchanges_unembedded;
ALTER TABLE exchanges DROP COLUMN message_key;
CREATE INDEX exchanges_unembedded ON exchanges (workspace, key) WHERE answered_key IS NULL AND outcome_key IS NULL;
