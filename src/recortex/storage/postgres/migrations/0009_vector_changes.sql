-- No process holds vectors of this engine in memory: nothing has to tell it that some were deleted.
SELECT 1;
