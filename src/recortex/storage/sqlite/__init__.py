"""Memories in SQLite: one file, one writer, many readers, several processes."""
