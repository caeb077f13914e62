"""Looking after a store: what is due, how it grows, what becomes of an old log."""
