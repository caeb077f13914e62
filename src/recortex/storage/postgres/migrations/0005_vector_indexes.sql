-- The approximate index of the vectors is the engine's own here (0002): no file beside the store needs a record of it.
SELECT 1;
