-- A sync with nothing new reads what is open, waits or was purged, and not the whole log.
DROP INDEX sync_heads_open;
CREATE INDEX sync_heads_open ON sync_heads (record) WHERE leaves > 1 OR leaves < -1;
CREATE INDEX sync_heads_waiting ON sync_heads (record) WHERE leaves < 0 OR (shown = 0 AND leaves > 0);
CREATE INDEX sync_log_purges ON sync_log (record) WHERE operation = 'purge';
CREATE INDEX tombstones_purged ON tombstones (purged_at) WHERE reason = 'purge';
